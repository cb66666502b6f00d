import type { StoreOrder } from '../../store/order.ts';
import type { OrderRules } from './mapping-rules.ts';

/** How far an order has come, as the loyalty service asks for it. */
export interface OrderProgress {
  /** One word: programs list the words that count as completed or cancelled. */
  readonly status: string;
  readonly completedAt: string | undefined;
  readonly cancelledAt: string | undefined;
}

export function orderProgress(
  order: StoreOrder,
  rules: Pick<OrderRules, 'completeWhen'>,
): OrderProgress {
  return {
    status: statusOf(order),
    completedAt: isCompleted(order, rules) ? completionDate(order, rules) : undefined,
    cancelledAt: cancellationDate(order),
  };
}

/** Cancelled, or nothing of it is left. */
export function isOver(order: StoreOrder): boolean {
  return order.cancelledAt !== undefined || isReturned(order);
}

/** Nothing of it is kept, or all of its money went back. An order of free things is neither. */
function isReturned(order: StoreOrder): boolean {
  const nothingKept = order.lines.length > 0 && order.lines.every((line) => line.kept === 0);
  return nothingKept || order.paymentStatus === 'refunded';
}

function statusOf(order: StoreOrder): string {
  if (order.cancelledAt !== undefined) return 'cancelled';
  if (isReturned(order)) return 'returned';
  if (order.fulfillmentStatus === 'fulfilled') return 'fulfilled';
  if (order.fulfillmentStatus === 'partial') return 'partially_fulfilled';
  return order.paymentStatus ?? 'open';
}

function isCompleted(order: StoreOrder, rules: Pick<OrderRules, 'completeWhen'>): boolean {
  switch (rules.completeWhen) {
    case 'fulfilled':
      return order.fulfillmentStatus === 'fulfilled';
    case 'paid':
      return order.paymentStatus === 'paid' || order.paymentStatus === 'partially_refunded';
  }
}

/**
 * The service wants a date, and one that no later event moves: a date that followed `updatedAt` would
 * make every event a change. When an order was paid is in no webhook, so a paid order counts from the
 * day it was placed.
 */
function completionDate(order: StoreOrder, rules: Pick<OrderRules, 'completeWhen'>): string {
  if (rules.completeWhen === 'paid') return order.placedAt;
  return notBefore(order.placedAt, order.fulfilledAt ?? order.closedAt ?? order.placedAt);
}

function cancellationDate(order: StoreOrder): string | undefined {
  if (order.cancelledAt !== undefined) return notBefore(order.placedAt, order.cancelledAt);
  if (!isReturned(order)) return undefined;
  return notBefore(order.placedAt, order.refundedAt ?? order.updatedAt);
}

/** Dates are all in one form and offset, so they compare as text. */
function notBefore(earliest: string, date: string): string {
  return date < earliest ? earliest : date;
}
