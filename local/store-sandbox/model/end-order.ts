import type * as v from 'valibot';
import { checkReductions, lineAmounts, reduceLine, shippingAmounts, sum } from './line-amounts.ts';
import type { cancellation, orderReference, returning, tagging } from './order-inputs.ts';
import type { OrderRow, ReturnRow } from './order-row.ts';
import { openAuthorization, orderTotals } from './order-totals.ts';
import { voidOf } from './payments.ts';
import { recordRefund } from './refund-order.ts';
import { type Announcement, done, moment, type Outcome, refused, type World } from './world.ts';

type OrderReference = v.InferOutput<typeof orderReference>;

/** Refunds and restocks everything that is left of the order. */
export function cancelOrder(
  world: World,
  input: v.InferOutput<typeof cancellation>,
): Outcome<OrderRow> {
  const { rows } = world;
  const order = rows.orders.get(input.orderId);
  if (!order) return refused(`There is no order ${input.orderId}.`);
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
  };
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
  rows.orders.put(order.id, updated);
  const announcements: Announcement[] = [
    { topic: 'orders/cancelled', order: updated },
    { topic: 'orders/updated', order: updated },
  ];
  if (refund) announcements.splice(1, 0, { topic: 'refunds/create', order: updated, refund });
  return done(updated, ...announcements);
}

/** The items count as returned from now on; a refund of this return pays the money back. */
export function returnItems(
  world: World,
  { orderId, lines }: v.InferOutput<typeof returning>,
): Outcome<ReturnRow> {
  const { rows, ids } = world;
  const order = rows.orders.get(orderId);
  if (!order) return refused(`There is no order ${orderId}.`);
  const problem = checkReductions(order, lines);
  if (problem !== undefined) return refused(problem);
  const at = moment(world);
  const row: ReturnRow = { id: ids.next('Return'), createdAt: at, closedAt: null };
  let next: OrderRow = { ...order, returns: [...order.returns, row], updatedAt: at };
  for (const one of lines) {
    const line = next.lines.find(({ id }) => id === one.lineId);
    if (line) next = reduceLine(world, next, line, one, { returnId: row.id }, order.locationId);
  }
  rows.orders.put(orderId, next);
  return done(row, { topic: 'orders/updated', order: next });
}

/** A change that does not matter to the connector, like most orders/updated. */
export function tagOrder(
  world: World,
  { orderId, tags }: v.InferOutput<typeof tagging>,
): Outcome<OrderRow> {
  const order = world.rows.orders.get(orderId);
  if (!order) return refused(`There is no order ${orderId}.`);
  const updated = { ...order, tags, updatedAt: moment(world) };
  world.rows.orders.put(orderId, updated);
  return done(updated, { topic: 'orders/updated', order: updated });
}

export function closeOrder(world: World, { orderId }: OrderReference): Outcome<OrderRow> {
  const order = world.rows.orders.get(orderId);
  if (!order) return refused(`There is no order ${orderId}.`);
  const at = moment(world);
  const updated = { ...order, closedAt: order.closedAt ?? at, updatedAt: at };
  world.rows.orders.put(orderId, updated);
  return done(updated, { topic: 'orders/updated', order: updated });
}

export function deleteOrder(world: World, { orderId }: OrderReference): Outcome<string> {
  if (!world.rows.orders.get(orderId)) return refused(`There is no order ${orderId}.`);
  world.rows.orders.delete(orderId);
  return done(orderId, { topic: 'orders/delete', id: orderId });
}
