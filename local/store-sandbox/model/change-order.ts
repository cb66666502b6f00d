import { minorDigits } from '../../../shared/store/money.ts';
import { agree } from './agreements.ts';
import { draftLine, feeRow } from './draft-order.ts';
import {
  checkReductions,
  discountOf,
  lineAmounts,
  reduceLine,
  shippingAmounts,
  sum,
  taxesOn,
} from './line-amounts.ts';
import { parseMinor } from './minor-units.ts';
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
  type Refused,
  refused,
  type World,
} from './world.ts';

export function fulfilOrder(
  world: World,
  order: OrderRow,
  { lines }: Input<'fulfilment'>,
): Outcome<OrderRow> {
  const { ids } = world;
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
  const fulfillment: FulfillmentRow = { id: ids.next('Fulfillment'), createdAt: at, lines: sent };
  const updated = { ...order, fulfillments: [...order.fulfillments, fulfillment], updatedAt: at };
  const topic =
    fulfillmentStatus(updated) === 'fulfilled' ? 'orders/fulfilled' : 'orders/partially_fulfilled';
  return putOrder(world, updated, { topic, order: updated });
}

/**
 * Adds lines, changes quantities and discounts, and removes shipping. Added items get no discount of the order. Removed items are
 * recorded as a refund without a payment, as in the real store. A fulfilled line does not grow (Shopify, "Editing order
 * items"); that it shrinks is more than the real store allows.
 */
export function editOrder(world: World, order: OrderRow, input: Input<'edit'>): Outcome<OrderRow> {
  const { ids } = world;
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
    const line = newLine(world, order, draft);
    if ('why' in line) return line;
    additions.push({ id: line.id, delta: line.quantity });
    next = { ...next, lines: [...next.lines, line] };
  }
  for (const { lineId, amount } of input.discount) {
    if ([...additions, ...removals].some(({ id }) => id === lineId)) {
      return refused(`Change the pieces of line ${lineId} and its discount in two edits.`);
    }
    const discounted = discountLine(next, lineId, amount);
    if ('why' in discounted) return discounted;
    next = discounted;
  }
  if (input.removeShipping) {
    next = { ...next, shipping: next.shipping.map((line) => ({ ...line, isRemoved: true })) };
  }
  const isChanged = input.discount.length > 0 || (input.removeShipping && next.shipping.length > 0);
  if (additions.length + removals.length === 0 && !isChanged) {
    return refused('The edit changes nothing.');
  }

  const announcements: Announcement[] = [];
  const at = moment(world);
  if (removals.length > 0) {
    const lines = removals.map(({ id, delta }) => ({ lineId: id, quantity: delta }));
    const plan = { lines, shippingMinor: [], duties: false, repay: false };
    const recorded = recordRefund(world, next, plan);
    next = recorded.order;
    announcements.push({ topic: 'refunds/create', order: next, refund: recorded.refund });
  }
  const change: OrderEdit = { id: ids.next('OrderEdit'), orderId: order.id, at };
  const edited = { topic: 'orders/edited', edit: change } as const;
  const agreed = agree(world, { ...next, updatedAt: at }, { reason: 'ORDER_EDIT' });
  return putOrder(world, agreed, edited, ...announcements);
}

/** Without a discount of the order. */
function newLine(
  world: World,
  order: OrderRow,
  draft: Input<'edit'>['add'][number],
): LineRow | Refused {
  const line = draftLine(world, draft, order.staffId);
  if ('why' in line) return line;
  const { taxable, ...plain } = line;
  const rates = order.lines.find(({ taxes }) => taxes.length > 0)?.taxes ?? world.shop.taxes;
  const net = line.unitMinor * line.quantity;
  return {
    ...plain,
    taxes: taxable ? taxesOn(net, rates, order.taxesIncluded) : [],
    allocations: [],
  };
}

const EDIT_DISCOUNT = 'Discount of an edit';

function discountLine(
  order: OrderRow,
  lineId: string,
  amount: string | number,
): OrderRow | Refused {
  const line = order.lines.find(({ id }) => id === lineId);
  if (!line || line.kind === 'tip' || line.kind === 'gift-card') {
    return refused(`The order has no line ${lineId} to discount.`);
  }
  const earlier = line.allocations.find(
    ({ application }) => order.applications[application]?.name === EDIT_DISCOUNT,
  );
  const { keptNetMinor, keptTaxesMinor } = lineAmounts(order, line);
  const mostMinor = keptNetMinor + (earlier?.minor ?? 0);
  const minor = parseMinor(amount, minorDigits(order.currency));
  if (minor === undefined || minor > mostMinor) {
    return refused('The discount must be at most what is left of the line.');
  }
  const application = earlier?.application ?? order.applications.length;
  // What was taken out keeps its tax.
  const now = taxesOn(mostMinor - minor, line.taxes, order.taxesIncluded);
  const discounted: LineRow = {
    ...line,
    allocations: [...line.allocations.filter((one) => one !== earlier), { application, minor }],
    taxes: line.taxes.map((tax, i) => ({
      ...tax,
      minor: tax.minor - (keptTaxesMinor[i] ?? 0) + (now[i]?.minor ?? 0),
    })),
  };
  const applications = [...order.applications];
  applications[application] = {
    type: 'manual',
    name: EDIT_DISCOUNT,
    value: { kind: 'fixed_amount', minor },
    target: 'line_item',
    method: 'across',
  };
  const lines = order.lines.map((one) => (one === line ? discounted : one));
  return { ...order, applications, lines };
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
    fees: true,
    repay: input.refund,
    to: input.to,
  };
  if (input.to === 'store-credit' && order.customerId === null) {
    return refused('Only a customer has store credit.');
  }
  // After a full refund nothing is left, except possibly duties and fees.
  const { dutiesMinor } = orderTotals(order).current;
  const isFree = dutiesMinor === 0 && order.fees.every(({ isTakenBack }) => isTakenBack);
  const isEmpty = plan.lines.length === 0 && sum(plan.shippingMinor) === 0 && isFree;
  const { order: emptied, refund } = isEmpty
    ? { order, refund: undefined }
    : recordRefund(world, order, plan);
  const authorization = openAuthorization(emptied);
  const captured = emptied.transactions.some(({ kind }) => kind === 'capture');
  const voided = authorization && !captured ? [voidOf(world, authorization)] : [];
  const updated: OrderRow = {
    ...(refund ? agree(world, emptied, { reason: 'REFUND', refundId: refund.id }) : emptied),
    transactions: [...emptied.transactions, ...voided],
    cancelledAt: at,
    closedAt: order.closedAt ?? at,
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
  { lines, exchange, fee }: Input<'returning'>,
): Outcome<ReturnRow> {
  const { rows, ids, shop } = world;
  const problem = checkReductions(order, lines);
  if (problem !== undefined) return refused(problem);
  const feeMinor = parseMinor(fee ?? 0, minorDigits(order.currency));
  if (feeMinor === undefined) return refused('The fee is not an amount of the currency.');
  const added: LineRow[] = [];
  for (const draft of exchange) {
    const line = newLine(world, order, draft);
    if ('why' in line) return line;
    added.push(line);
  }
  const at = moment(world);
  const before = orderTotals(order).current.totalMinor;
  const returnId = ids.next('Return');
  const isOneAgreement = shop.exchangeAgreement === 'return';
  const charged: OrderRow = {
    ...order,
    lines: isOneAgreement ? [...order.lines, ...added] : order.lines,
    fees: feeMinor > 0 ? [...order.fees, feeRow(world, 'FEE', feeMinor)] : order.fees,
    updatedAt: at,
  };
  const withAll = { ...charged, lines: [...order.lines, ...added] };
  const chargesMinor = orderTotals(withAll).current.totalMinor - before;
  const row: ReturnRow = { id: returnId, chargesMinor };
  let next: OrderRow = { ...charged, returns: [...order.returns, row] };
  for (const one of lines) {
    const line = next.lines.find(({ id }) => id === one.lineId);
    if (line) next = reduceLine(world, next, line, one, { returnId });
  }
  next = agree(world, next, { reason: 'RETURN' });
  if (!isOneAgreement) {
    const exchanged = { ...next, lines: withAll.lines };
    next = agree(world, exchanged, { reason: 'ORDER_EDIT' });
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
