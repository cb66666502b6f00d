import type * as v from 'valibot';
import { lineAmounts } from './line-amounts.ts';
import type { fulfilment } from './order-inputs.ts';
import type { FulfillmentRow, OrderRow } from './order-row.ts';
import { fulfillmentStatus } from './order-status.ts';
import { done, moment, type Outcome, refused, type World } from './world.ts';

export function fulfilOrder(
  world: World,
  { orderId, lines, trackingNumber }: v.InferOutput<typeof fulfilment>,
): Outcome<OrderRow> {
  const { rows, ids } = world;
  const order = rows.orders.get(orderId);
  if (!order) return refused(`There is no order ${orderId}.`);
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
  rows.orders.put(orderId, updated);
  const topic =
    fulfillmentStatus(updated) === 'fulfilled' ? 'orders/fulfilled' : 'orders/partially_fulfilled';
  return done(updated, { topic, order: updated }, { topic: 'orders/updated', order: updated });
}
