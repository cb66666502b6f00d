import type { ErrorNumber } from '../../../shared/loyalty/error-codes.ts';
import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call } from '../call.ts';
import { orderState } from './assigned-numbers.ts';
import { type Context, daysLater } from './context.ts';
import { fromHundredths, toHundredths } from './hundredths.ts';
import { refundedOf, settleOrderPoints } from './order-points.ts';
import { stateOf } from './orders.ts';
import { type Answer, describeFaults, done, type Outcome, refuse } from './outcome.ts';
import { readFields } from './read-fields.ts';
import { giveRewardBack } from './redemptions.ts';
import type { OrderRow } from './rows.ts';

/**
 * One rule for both paths. The first broken one answers: 37 unknown order, 33 cancelled already, 13
 * where the settings want it for a completed order, 36 a body that cannot be read, 14 no date, 15 a
 * date before the order was placed. Points already given are removed.
 */
export function cancelOrder(context: Context, call: Call): Answer<'OrderCancellationResult'> {
  const { tables, settings } = context;
  const before = tables.orders.get(call.path.orderId ?? '');
  if (!before) return refuse(37, 'No order has this id.');
  if (before.IsCancelledOrReturned) return refuse(33, 'The order is cancelled.');
  const refusesCompleted = ['cancel-completed', 'return-completed'].includes(settings.error13);
  if (before.IsCompleted && refusesCompleted) return refuse(13, 'The order is completed.');

  const end = readEnd(call, before, 'OrderCancelledDate', 14, 15);
  if (end.kind === 'refused') return end;
  const { date, status } = end.result;

  const UpdatedAt = context.now().toISOString();
  if (settings.lateCancel) {
    const at = before.cancelDue?.at ?? daysLater(context.now(), 1);
    tables.orders.put(before.OriginalId, { ...before, cancelDue: { at, date, status } });
    tables.dueOrders.put(before.OriginalId, before.OriginalId);
    return done({ isCanceled: false, UpdatedAt, Status: stateOf(before) });
  }
  applyCancel(context, before, date, status);
  return done({ isCanceled: true, UpdatedAt, Status: orderState.cancelled });
}

/** When the order ended, with its status then. `missing` and `early`: the errors of a wrong date. */
function readEnd(
  call: Call,
  { OrderPlacementDate }: OrderRow,
  name: 'OrderCancelledDate' | 'OrderCompletedDate',
  missing: ErrorNumber,
  early: ErrorNumber,
): Outcome<{ date: string; status: string | null }> {
  const faults = [...call.faults];
  const fields = call.body === undefined ? null : readFields(call.body, faults);
  const date = fields?.date(name) ?? null;
  const status = fields?.text('OrderStatus') ?? null;
  if (faults.length > 0) return refuse(36, describeFaults(faults));
  if (date === null) return refuse(missing, `${name} must be given.`);
  return Date.parse(date) < Date.parse(OrderPlacementDate)
    ? refuse(early, `${name} is before OrderPlacementDate.`)
    : done({ date, status });
}

function applyCancel(context: Context, before: OrderRow, date: string, status: string | null) {
  const after = {
    ...before,
    OrderCancelledDate: date,
    OrderStatus: status ?? before.OrderStatus,
    IsCancelledOrReturned: true,
    UpdatedDate: context.now().toISOString(),
    cancelDue: null,
  };
  context.tables.orders.put(before.OriginalId, {
    ...after,
    ...settleOrderPoints(context, before, after),
  });
}

/** 37 unknown, 33 cancelled, 36 unreadable, 11 no date, 12 a date before the placement. */
export function completeOrder(context: Context, call: Call): Answer<'OrderCompletionResult'> {
  const { tables } = context;
  const before = tables.orders.get(call.path.orderId ?? '');
  if (!before) return refuse(37, 'No order has this id.');
  if (before.IsCancelledOrReturned) return refuse(33, 'The order is cancelled.');
  const end = readEnd(call, before, 'OrderCompletedDate', 11, 12);
  if (end.kind === 'refused') return end;
  const { date, status } = end.result;
  const UpdatedAt = context.now().toISOString();
  const after = {
    ...before,
    OrderCompletedDate: date,
    OrderStatus: status ?? before.OrderStatus,
    IsCompleted: true,
    UpdatedDate: UpdatedAt,
  };
  tables.orders.put(before.OriginalId, { ...after, ...settleOrderPoints(context, before, after) });
  return done({ IsCompleted: true, UpdatedAt, Status: orderState.completed });
}

/** What time alone brings about: points after the waiting days, cancellations that show late. */
export function settleDueOrders(context: Context): void {
  const { tables } = context;
  const isDue = (date: string) => Date.parse(date) <= context.now().getTime();
  for (const id of [...tables.dueOrders.values()]) {
    const order = tables.orders.get(id);
    if (order?.cancelDue && isDue(order.cancelDue.at)) {
      applyCancel(context, order, order.cancelDue.date, order.cancelDue.status);
    } else if (order?.pointsDueAt && isDue(order.pointsDueAt)) {
      tables.orders.put(id, { ...order, ...settleOrderPoints(context, order, order) });
    }
    const left = tables.orders.get(id);
    if (!left?.cancelDue && !left?.pointsDueAt) tables.dueOrders.delete(id);
  }
}

type Result = Schemas['PartialCancelResult'];
type Details = Schemas['RefundErrorDetails'];

/**
 * One rule for both paths: 37 unknown order, 33 cancelled, 36 a body that cannot be read, 7 no key, 9
 * a value that is not above zero. What the order does not allow is no error of the envelope, but
 * RefundErrorDetails: their codes are the sandbox's own.
 */
export function partiallyCancelOrder(context: Context, call: Call): Outcome<Result> {
  const { tables, settings } = context;
  const before = tables.orders.get(call.path.orderId ?? '');
  if (!before) return refuse(37, 'No order has this id.');
  if (before.IsCancelledOrReturned) return refuse(33, 'The order is cancelled.');
  const faults = [...call.faults].filter(({ path }) => path !== 'ValueToRefund');
  const fields = readFields(call.body, faults);
  const key = fields?.key('CancelKey') ?? null;
  const value = toHundredths(fields?.amount('ValueToRefund') ?? 0);
  const parts =
    fields?.list('Products')?.map((part) => ({
      id: part.key('OriginalId'),
      value: toHundredths(part.amount('ValueToRefund') ?? 0),
    })) ?? [];
  const shouldRefundRedeem = fields?.flag('ShouldRefundRedeem') ?? false;
  if (faults.length > 0 || !fields) return refuse(36, describeFaults(faults));
  if (key === null) return refuse(7, 'CancelKey must be given.');
  if (value <= 0) return refuse(9, 'ValueToRefund must be above zero.');

  const UpdatedAt = context.now().toISOString();
  const answer = (order: OrderRow, details: Details | null): Outcome<Result> =>
    done({
      isCanceled: refundedOf(order) === toHundredths(order.OrderTotal),
      UpdatedAt,
      Status: stateOf(order),
      RefundErrorDetails: details,
    });
  if (before.partialCancels.some(({ CancelKey }) => CancelKey === key)) {
    return settings.usedCancelKey === 'envelope-error'
      ? refuse(97, 'This CancelKey was used before.')
      : answer(before, refundError('CancelKeyAlreadyUsed', 'CancelKey'));
  }
  const wrong = findWrongParts(before, value, parts) ?? exceeds(before, value);
  if (wrong) return answer(before, wrong);

  const after = {
    ...before,
    partialCancels: [
      ...before.partialCancels,
      { CancelKey: key, valueHundredths: value, at: UpdatedAt },
    ],
    UpdatedDate: UpdatedAt,
  };
  const row = { ...after, ...settleOrderPoints(context, before, after) };
  tables.orders.put(before.OriginalId, row);
  if (shouldRefundRedeem) giveRewardBack(context, before.Coupon);
  return answer(row, null);
}

/** How several partial cancels of one order add up is not shown: together, as its parts. */
function exceeds(order: OrderRow, value: number): Details | undefined {
  const most = toHundredths(order.OrderTotal) - refundedOf(order);
  return value <= most
    ? undefined
    : refundError('ExceedsOrderTotal', 'ValueToRefund', { most, value });
}

function findWrongParts(
  { Products }: OrderRow,
  value: number,
  parts: readonly { readonly id: string | null; readonly value: number }[],
): Details | undefined {
  if (parts.length === 0) return undefined;
  const unknown = parts.find(({ id }) => !Products?.some(({ OriginalId }) => OriginalId === id));
  if (unknown) {
    return { ...refundError('ProductNotOnOrder', 'Products'), ProductOriginalId: unknown.id };
  }
  const sum = parts.reduce((total, part) => total + part.value, 0);
  if (sum === value) return undefined;
  return refundError('ProductsDoNotAddUp', 'Products', { most: value, value: sum });
}

function refundError(
  Code: string,
  Field: string,
  amounts?: { readonly most: number; readonly value: number },
): Details {
  return {
    Code,
    Message: `${Code}: see ${Field}.`,
    Field,
    ProductOriginalId: null,
    ExpectedValue: amounts ? fromHundredths(amounts.most) : null,
    ActualValue: amounts ? fromHundredths(amounts.value) : null,
  };
}
