import type * as v from 'valibot';
import { minorDigits } from '../../../shared/store/money.ts';
import { parseMinor } from './minor-units.ts';
import type { disputeChange, dispute as disputeInput } from './order-inputs.ts';
import type { DisputeRow, DisputeStatus, OrderRow } from './order-row.ts';
import { orderTotals } from './order-totals.ts';
import { done, moment, type Outcome, refused, type World } from './world.ts';

const OPEN: ReadonlySet<DisputeStatus> = new Set(['needs_response', 'under_review']);

/**
 * A customer's bank questions a payment. Whether the order's `updated_at` or its financial status change is not
 * documented: here neither does, so that nobody relies on it.
 */
export function openDispute(
  world: World,
  { orderId, type, amount }: v.InferOutput<typeof disputeInput>,
): Outcome<DisputeRow> {
  const { rows, ids } = world;
  const order = rows.orders.get(orderId);
  if (!order) return refused(`There is no order ${orderId}.`);
  const isPaid = order.transactions.some(
    ({ kind, status, gateway }) =>
      (kind === 'sale' || kind === 'capture') &&
      status === 'success' &&
      gateway === 'shopify_payments',
  );
  if (!isPaid) return refused('Only a payment by Shopify Payments can be disputed.');
  const { receivedMinor } = orderTotals(order);
  const minor =
    amount === undefined ? receivedMinor : parseMinor(amount, minorDigits(order.currency));
  if (minor === undefined || minor > receivedMinor) {
    return refused('The amount must be at most what was paid.');
  }
  const dispute: DisputeRow = {
    id: ids.next('ShopifyPaymentsDispute'),
    initiatedAs: type,
    type,
    status: 'needs_response',
    minor,
    initiatedAt: moment(world),
    finalizedOn: null,
  };
  return put(world, order, dispute, 'disputes/create');
}

export function updateDispute(
  world: World,
  { orderId, disputeId, status, type }: v.InferOutput<typeof disputeChange>,
): Outcome<DisputeRow> {
  const order = world.rows.orders.get(orderId);
  if (!order) return refused(`There is no order ${orderId}.`);
  const dispute = order.disputes.findLast(({ id }) => id === (disputeId ?? id));
  if (!dispute) return refused('The order has no such dispute.');
  if (!OPEN.has(dispute.status)) return refused('The dispute is over.');
  const next = status ?? dispute.status;
  const isOver = !OPEN.has(next);
  const changed: DisputeRow = {
    ...dispute,
    status: next,
    type: type ?? dispute.type,
    finalizedOn: isOver ? moment(world) : null,
  };
  return put(world, order, changed, 'disputes/update');
}

function put(
  { rows }: World,
  order: OrderRow,
  dispute: DisputeRow,
  topic: 'disputes/create' | 'disputes/update',
): Outcome<DisputeRow> {
  const others = order.disputes.filter(({ id }) => id !== dispute.id);
  const updated = { ...order, disputes: [...others, dispute] };
  rows.orders.put(order.id, updated);
  return done(dispute, { topic, order: updated, dispute });
}
