import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import type { Context } from './context.ts';
import { fromHundredths, toHundredths } from './hundredths.ts';
import { refundedOf, settleOrderPoints } from './order-points.ts';
import { stateOf } from './order-view.ts';
import { describeFaults, done, type Outcome, refuse } from './outcome.ts';
import { readFields } from './read-fields.ts';
import { giveRewardBack } from './redemptions.ts';
import type { OrderRow } from './rows.ts';

type Result = components['schemas']['PartialCancelResult'];
type Details = components['schemas']['RefundErrorDetails'];

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
  const shouldRefundRedeem = fields?.flag('ShouldRefundRedeem') ?? settings.cancelGivesRewardBack;
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
  const wrong = findWrongParts(before, value, parts) ?? exceeds(context, before, value);
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

function exceeds({ settings }: Context, order: OrderRow, value: number): Details | undefined {
  const refunded = settings.partialCancelLimit === 'sum' ? refundedOf(order) : 0;
  const most = toHundredths(order.OrderTotal) - refunded;
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
