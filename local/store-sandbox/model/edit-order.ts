import type * as v from 'valibot';
import { draftLine } from './draft-lines.ts';
import { discountOf, lineAmounts, taxesOn } from './line-amounts.ts';
import type { edit } from './order-inputs.ts';
import type { LineRow, OrderRow } from './order-row.ts';
import { recordRefund } from './refund-order.ts';
import {
  type Announcement,
  done,
  moment,
  type OrderEdit,
  type Outcome,
  refused,
  type World,
} from './world.ts';

/**
 * Adds lines and changes quantities. Added items get no discount of the order. Removed items are
 * recorded as a refund without a payment, as in the real store. A fulfilled line does not grow (Shopify, "Editing order
 * items"); that it shrinks is more than the real store allows.
 */
export function editOrder(world: World, input: v.InferOutput<typeof edit>): Outcome<OrderRow> {
  const { rows, ids, shop } = world;
  const order = rows.orders.get(input.orderId);
  if (!order) return refused(`There is no order ${input.orderId}.`);
  if (order.cancelledAt !== null) return refused('The order is cancelled.');
  const additions: { id: string; delta: number }[] = [];
  const removals: { id: string; delta: number }[] = [];
  let next = order;
  for (const { lineId, quantity } of input.set) {
    const line = next.lines.find(({ id, kind }) => id === lineId && kind !== 'tip');
    if (!line) return refused(`The order has no line ${lineId} to edit.`);
    const { kept, unfulfilled } = lineAmounts(next, line);
    const delta = quantity - kept;
    if (delta > 0) {
      if (unfulfilled === 0 && isSent(order, line)) {
        return refused(`Line ${lineId} is fulfilled: more of it is a line of its own.`);
      }
      additions.push({ id: lineId, delta });
      next = replaceLine(next, raise(next, line, delta));
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
  const updated = { ...next, updatedAt: at };
  rows.orders.put(order.id, updated);
  const change: OrderEdit = {
    id: ids.next('OrderEdit'),
    orderId: order.id,
    at,
    staffNote: input.staffNote,
    additions,
    removals,
  };
  return done(updated, { topic: 'orders/edited', edit: change }, ...announcements, {
    topic: 'orders/updated',
    order: updated,
  });
}

function isSent({ fulfillments }: OrderRow, { id }: LineRow): boolean {
  return fulfillments.some(
    ({ status, lines }) => status === 'success' && lines.some(({ lineId }) => lineId === id),
  );
}

function raise(order: OrderRow, line: LineRow, by: number): LineRow {
  const quantity = line.quantity + by;
  const net = line.unitMinor * quantity - discountOf(line);
  return { ...line, quantity, taxes: taxesOn(net, line.taxes, order.taxesIncluded) };
}

function replaceLine(order: OrderRow, line: LineRow): OrderRow {
  return { ...order, lines: order.lines.map((one) => (one.id === line.id ? line : one)) };
}
