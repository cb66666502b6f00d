import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import { orderState } from './assigned-numbers.ts';
import type { Context } from './context.ts';
import { describeFaults, done, type Outcome, refuse } from './outcome.ts';
import { readFields } from './read-fields.ts';

/**
 * One rule for both paths. The first broken one answers: 37 unknown order, 33 cancelled already, 13
 * completed (only sendOrder can take that back), 36 a body that cannot be read, 14 no date, 15 a date
 * before the order was placed.
 */
export function cancelOrder(
  context: Context,
  call: Call,
): Outcome<components['schemas']['OrderCancellationResult']> {
  const { tables } = context;
  const before = tables.orders.get(call.path.orderId ?? '');
  if (!before) return refuse(37, 'No order has this id.');
  if (before.IsCancelledOrReturned) return refuse(33, 'The order is cancelled.');
  if (before.IsCompleted) return refuse(13, 'The order is completed.');

  const faults = [...call.faults];
  const fields = call.body === undefined ? null : readFields(call.body, faults);
  const date = fields?.date('OrderCancelledDate') ?? null;
  const status = fields?.text('OrderStatus') ?? null;
  if (faults.length > 0) return refuse(36, describeFaults(faults));
  if (date === null) return refuse(14, 'OrderCancelledDate must be given.');
  if (Date.parse(date) < Date.parse(before.OrderPlacementDate)) {
    return refuse(15, 'OrderCancelledDate is before OrderPlacementDate.');
  }

  const UpdatedAt = context.now().toISOString();
  // There are no points to take back: only a completed order has any.
  tables.orders.put(before.OriginalId, {
    ...before,
    OrderCancelledDate: date,
    OrderStatus: status ?? before.OrderStatus,
    IsCancelledOrReturned: true,
    UpdatedDate: UpdatedAt,
  });
  return done({ isCanceled: true, UpdatedAt, Status: orderState.cancelled });
}
