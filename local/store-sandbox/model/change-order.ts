import { draftLine } from './draft-order.ts';
import {
  checkReductions,
  discountOf,
  lineAmounts,
  reduceLine,
  shippingAmounts,
  sum,
  taxesOn,
} from './line-amounts.ts';
import {
  fulfillmentStatus,
  lineFulfillmentStatus,
  openAuthorization,
  orderTotals,
} from './order-totals.ts';
import { voidOf } from './payments.ts';
import { recordRefund } from './refund-order.ts';
import type { FulfillmentRow, LineRow, OrderRow, ReturnRow } from './rows.ts';
import { settleStoreCredit } from './store-credit.ts';
import {
  type Announcement,
  done,
  type Input,
  moment,
  type OrderEdit,
  type Outcome,
  putOrder,
  refused,
  type World,
} from './world.ts';

export function fulfilOrder(
  world: World,
  order: OrderRow,
  { lines, trackingNumber }: Input<'fulfilment'>,
): Outcome<OrderRow> {
  const { rows, ids } = world;
  if (order.cancelledAt !== null) return refused('The order is cancelled.');
  const waiting = new Map(
    order.lines.map((line) => [line.id, lineAmounts(order, line).unfulfilled]),
  );
  const wanted = lines ?? [...waiting].map(([lineId, quantity]) => ({ lineId, quantity }));
  const sent = wanted.filter(({ quantity }) => quantity > 0);
  if (sent.length === 0) return refused('Nothing is left to send.');
  for (const [lineId, group] of Map.groupBy(sent, (one) => one.lineId)) {
    const left = waiting.get(lineId) ?? 0;
    if (group.reduce((sum, { quantity }) => sum + quantity, 0) > left) {
      return refused(`Of line ${lineId} only ${left} are left to send.`);
    }
  }
  const at = moment(world);
  const fulfillment: FulfillmentRow = {
    id: ids.next('Fulfillment'),
    createdAt: at,
    updatedAt: at,
    status: 'success',
    locationId: order.locationId ?? [...rows.locations.values()][0]?.id ?? '0',
    trackingNumber,
    lines: sent,
  };
  const updated = { ...order, fulfillments: [...order.fulfillments, fulfillment], updatedAt: at };
  const topic =
    fulfillmentStatus(updated) === 'fulfilled' ? 'orders/fulfilled' : 'orders/partially_fulfilled';
  return putOrder(world, updated, { topic, order: updated });
}

/**
 * Adds lines and changes quantities. Added items get no discount of the order. Removed items are
 * recorded as a refund without a payment, as in the real store. A fulfilled line does not grow (Shopify, "Editing order
 * items"); that it shrinks is more than the real store allows.
 */
export function editOrder(world: World, order: OrderRow, input: Input<'edit'>): Outcome<OrderRow> {
  const { ids, shop } = world;
  if (order.cancelledAt !== null) return refused('The order is cancelled.');
  const additions: { id: string; delta: number }[] = [];
  const removals: { id: string; delta: number }[] = [];
  let next = order;
  for (const { lineId, quantity } of input.set) {
    const line = next.lines.find(({ id, kind }) => id === lineId && kind !== 'tip');
    if (!line) return refused(`The order has no line ${lineId} to edit.`);
    const { kept } = lineAmounts(next, line);
    const delta = quantity - kept;
    if (delta > 0) {
      if (lineFulfillmentStatus(next, line) === 'fulfilled') {
        return refused(`Line ${lineId} is fulfilled: more of it is a line of its own.`);
      }
      additions.push({ id: lineId, delta });
      const raised = raise(next, line, delta);
      next = { ...next, lines: next.lines.map((one) => (one === line ? raised : one)) };
    } else if (delta < 0) removals.push({ id: lineId, delta: -delta });
  }
  for (const draft of input.add) {
    const line = draftLine(world, draft, order.staffId);
    if ('why' in line) return line;
    const { taxable, ...plain } = line;
    const rates = order.lines.find(({ taxes }) => taxes.length > 0)?.taxes ?? shop.taxes;
    const net = line.unitMinor * line.quantity;
    const taxes = taxable ? taxesOn(net, rates, order.taxesIncluded) : [];
    additions.push({ id: line.id, delta: line.quantity });
    next = { ...next, lines: [...next.lines, { ...plain, taxes, allocations: [] }] };
  }
  if (additions.length + removals.length === 0) return refused('The edit changes nothing.');

  const announcements: Announcement[] = [];
  const at = moment(world);
  if (removals.length > 0) {
    const lines = removals.map(({ id, delta }) => ({ lineId: id, quantity: delta }));
    const plan = { lines, shippingMinor: [], duties: false, note: '', repay: false };
    const recorded = recordRefund(world, next, plan);
    next = recorded.order;
    announcements.push({ topic: 'refunds/create', order: next, refund: recorded.refund });
  }
  const change: OrderEdit = {
    id: ids.next('OrderEdit'),
    orderId: order.id,
    at,
    staffNote: input.staffNote,
    additions,
    removals,
  };
  const edited = { topic: 'orders/edited', edit: change } as const;
  return putOrder(world, { ...next, updatedAt: at }, edited, ...announcements);
}

function raise(order: OrderRow, line: LineRow, by: number): LineRow {
  const quantity = line.quantity + by;
  const net = line.unitMinor * quantity - discountOf(line);
  return { ...line, quantity, taxes: taxesOn(net, line.taxes, order.taxesIncluded) };
}

/** Refunds and restocks everything that is left of the order. */
export function cancelOrder(
  world: World,
  order: OrderRow,
  input: Input<'cancellation'>,
): Outcome<OrderRow> {
  if (order.cancelledAt !== null) return refused('The order is already cancelled.');
  const at = moment(world);
  const plan = {
    lines: order.lines.flatMap((line) => {
      const { kept } = lineAmounts(order, line);
      return kept > 0 ? [{ lineId: line.id, quantity: kept, restock: input.restock }] : [];
    }),
    shippingMinor: order.shipping.map((line) => shippingAmounts(order, line).currentMinor),
    duties: true,
    note: '',
    repay: input.refund,
    to: input.to,
  };
  if (input.to === 'store-credit' && order.customerId === null) {
    return refused('Only a customer has store credit.');
  }
  // After a full refund nothing is left, except possibly duties.
  const { dutiesMinor } = orderTotals(order).current;
  const isEmpty = plan.lines.length === 0 && sum(plan.shippingMinor) === 0 && dutiesMinor === 0;
  const { order: emptied, refund } = isEmpty
    ? { order, refund: undefined }
    : recordRefund(world, order, plan);
  const authorization = openAuthorization(emptied);
  const captured = emptied.transactions.some(({ kind }) => kind === 'capture');
  const voided = authorization && !captured ? [voidOf(world, authorization)] : [];
  const updated: OrderRow = {
    ...emptied,
    transactions: [...emptied.transactions, ...voided],
    cancelledAt: at,
    closedAt: order.closedAt ?? at,
    cancelReason: input.reason,
    updatedAt: at,
  };
  const refusal = settleStoreCredit(
    world,
    order,
    updated,
    'ORDER_CANCELLATION',
    input.creditExpiresAt,
  );
  if (refusal) return refusal;
  const announced = refund ? [{ topic: 'refunds/create', order: updated, refund } as const] : [];
  return putOrder(world, updated, { topic: 'orders/cancelled', order: updated }, ...announced);
}

/** The items count as returned from now on; a refund of this return pays the money back. */
export function returnItems(
  world: World,
  order: OrderRow,
  { lines }: Input<'returning'>,
): Outcome<ReturnRow> {
  const { rows, ids } = world;
  const problem = checkReductions(order, lines);
  if (problem !== undefined) return refused(problem);
  const at = moment(world);
  const row: ReturnRow = { id: ids.next('Return'), createdAt: at, closedAt: null };
  let next: OrderRow = { ...order, returns: [...order.returns, row], updatedAt: at };
  for (const one of lines) {
    const line = next.lines.find(({ id }) => id === one.lineId);
    if (line) next = reduceLine(world, next, line, one, { returnId: row.id }, order.locationId);
  }
  rows.orders.put(order.id, next);
  return done(row, { topic: 'orders/updated', order: next });
}

/** A change that does not matter to the connector, like most orders/updated. */
export function tagOrder(world: World, order: OrderRow, { tags }: Input<'tagging'>) {
  return putOrder(world, { ...order, tags, updatedAt: moment(world) });
}

export function closeOrder(world: World, order: OrderRow): Outcome<OrderRow> {
  const at = moment(world);
  return putOrder(world, { ...order, closedAt: order.closedAt ?? at, updatedAt: at });
}

export function deleteOrder({ rows }: World, { id }: OrderRow): Outcome<string> {
  rows.orders.delete(id);
  return done(id, { topic: 'orders/delete', id });
}
