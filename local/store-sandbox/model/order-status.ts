import { lineAmounts, sum } from './line-amounts.ts';
import type { OrderRow } from './order-row.ts';
import { openAuthorization, orderTotals } from './order-totals.ts';

export type FinancialStatus =
  | 'pending'
  | 'authorized'
  | 'partially_paid'
  | 'paid'
  | 'partially_refunded'
  | 'refunded'
  | 'voided'
  | 'expired';

export function financialStatus(order: OrderRow): FinancialStatus {
  const { receivedMinor, refundedMinor, totalMinor, current } = orderTotals(order);
  if (receivedMinor === 0) {
    if (order.cancelledAt !== null) return 'voided';
    const authorizations = order.transactions.filter(({ kind }) => kind === 'authorization');
    if (openAuthorization(order)) return 'authorized';
    if (authorizations.length > 0) {
      return authorizations.some(({ hasExpired }) => hasExpired) ? 'expired' : 'voided';
    }
    // A free order needs no payment.
    return totalMinor === 0 ? 'paid' : 'pending';
  }
  if (refundedMinor >= receivedMinor) return 'refunded';
  if (refundedMinor > 0) return 'partially_refunded';
  return receivedMinor >= current.totalMinor ? 'paid' : 'partially_paid';
}

export type FulfillmentStatus = 'fulfilled' | 'partial' | 'restocked' | null;

export function fulfillmentStatus(order: OrderRow): FulfillmentStatus {
  const lines = order.lines
    .filter(({ kind }) => kind !== 'tip')
    .map((line) => lineAmounts(order, line));
  const sent = sum(
    order.fulfillments
      .filter(({ status }) => status === 'success')
      .flatMap((fulfillment) => fulfillment.lines.map(({ quantity }) => quantity)),
  );
  const waiting = sum(lines.map(({ unfulfilled }) => unfulfilled));
  if (sent > 0) return waiting === 0 ? 'fulfilled' : 'partial';
  const allGone = lines.every(({ kept }) => kept === 0);
  const restocked = order.reductions.some(({ restock }) => restock !== 'no_restock');
  return allGone && restocked ? 'restocked' : null;
}

export function lineFulfillmentStatus(
  order: OrderRow,
  line: OrderRow['lines'][number],
): 'fulfilled' | 'partial' | null {
  const { unfulfilled } = lineAmounts(order, line);
  const sent = order.fulfillments.some(
    ({ status, lines }) => status === 'success' && lines.some(({ lineId }) => lineId === line.id),
  );
  if (!sent) return null;
  return unfulfilled === 0 ? 'fulfilled' : 'partial';
}

/** Cancelled, or no item or no amount is left. */
export function isEnded(order: OrderRow): boolean {
  if (order.cancelledAt !== null || financialStatus(order) === 'refunded') return true;
  const sold = order.lines.filter(({ kind }) => kind !== 'tip');
  return sold.every((line) => lineAmounts(order, line).kept === 0);
}
