import { atLeastZero, subtract, ZERO } from '../../store/money.ts';
import type { StoreOrder } from '../../store/store-entities.ts';
import type { OrderRules } from './mapping-rules.ts';

/** How far an order has come, as the loyalty service asks for it. */
export interface OrderProgress {
  /** One word: programs list the words that count as completed or cancelled. */
  readonly status: string;
  readonly completedAt: string | undefined;
  readonly cancelledAt: string | undefined;
}

/**
 * An order that was sent as completed stays completed, at its first date: an exchange adds a line that
 * is not fulfilled yet, and must not take the points of the whole order.
 * See docs/decisions/0041-an-order-completes-once.md.
 */
export function orderProgress(
  order: StoreOrder,
  rules: Pick<OrderRules, 'completeWhen'>,
  completedBefore: string | undefined,
): OrderProgress {
  const completes = isCompleted(order, rules);
  return {
    status: statusOf(order),
    completedAt: completedBefore ?? (completes ? completionDate(order, rules) : undefined),
    cancelledAt: cancellationDate(order),
  };
}

/** Cancelled, or all of its money went back. Final: the loyalty service revives no cancelled order. */
export function isOver(order: StoreOrder): boolean {
  return order.cancelledAt !== undefined || isReturned(order);
}

/** Its payment was voided, or the authorization has expired: no money came, whatever was shipped. */
export function isUnpaid({ paymentStatus }: StoreOrder): boolean {
  return paymentStatus === 'voided' || paymentStatus === 'expired';
}

/**
 * True when the snapshot completes the order for the first time and does not say when it was paid, or whether
 * all of it was. No webhook says when; one from soon after the order was placed leaves little to say.
 */
export function lacksPayment(
  order: StoreOrder,
  rules: Pick<OrderRules, 'completeWhen'>,
  completedBefore: string | undefined,
): boolean {
  if (rules.completeWhen !== 'paid' || completedBefore || !isCompleted(order, rules)) return false;
  if (order.paymentStatus !== 'paid' && order.outstanding === undefined) return true;
  const age = Date.parse(order.updatedAt) - Date.parse(order.placedAt);
  return order.paidAt === undefined && age > PAID_AT_ONCE_MS;
}

const PAID_AT_ONCE_MS = 3_600_000;

/** Nothing is kept, and all of the money is: the middle of an exchange. Its next event decides. */
export function isBetweenLines(order: StoreOrder): boolean {
  const nothingKept = order.lines.length > 0 && order.lines.every((line) => line.kept === 0);
  return nothingKept && order.paymentStatus === 'paid' && order.cancelledAt === undefined;
}

/**
 * An order that was never sent, if pending orders are not: it is not completed, or it ended and nothing
 * says that it ever was.
 */
export function neverCompleted(
  order: StoreOrder,
  rules: Pick<OrderRules, 'completeWhen'>,
): boolean {
  if (isCompleted(order, rules)) return false;
  if (!isOver(order)) return true;
  return rules.completeWhen === 'paid' ? !isReturned(order) : order.fulfilledAt === undefined;
}

function isReturned(order: StoreOrder): boolean {
  return order.paymentStatus === 'refunded';
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
      return order.fulfillmentStatus === 'fulfilled' && !isUnpaid(order);
    case 'paid':
      return (
        order.paymentStatus === 'paid' ||
        (order.paymentStatus === 'partially_refunded' && !isOwed(order))
      );
  }
}

/**
 * A deposit of which a part was refunded is in part refunded, too. Whether the store counts what it refunded without
 * lines as owed again is not documented. If it does, it never states less than that: only that very amount is not owed.
 */
function isOwed({ outstanding = ZERO, refundedWithoutLines = ZERO }: StoreOrder): boolean {
  const givenAway = subtract(outstanding, refundedWithoutLines) === ZERO;
  return atLeastZero(outstanding) !== ZERO && !givenAway;
}

/** The service accepts equal dates: its own sample client sends every sale so. */
function completionDate(order: StoreOrder, rules: Pick<OrderRules, 'completeWhen'>): string {
  const fulfilledAt = order.fulfilledAt ?? order.closedAt;
  const completedAt = rules.completeWhen === 'paid' ? order.paidAt : fulfilledAt;
  return notBefore(order.placedAt, completedAt ?? order.placedAt);
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
