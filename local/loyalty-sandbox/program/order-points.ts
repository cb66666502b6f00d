import { pointType } from './assigned-numbers.ts';
import type { Context } from './context.ts';
import { productInHundredths, scaleUp } from './hundredths.ts';
import { addPoints, removePoints, revisePoints } from './points.ts';
import type { CustomerRow, OrderRow } from './rows.ts';

/**
 * Brings the point record of an order to what the order is worth now, and gives its id (null: none).
 *
 * A completed, not cancelled order is worth its total times the points per unit. Whoever is not
 * enrolled gets no new record; a record given while enrolled goes on following its order.
 */
export function settleOrderPoints(
  context: Context,
  before: OrderRow | undefined,
  after: Omit<OrderRow, 'pointId'>,
): number | null {
  const { settings, tables } = context;
  const findCustomer = (id: string): CustomerRow | undefined => tables.customers.get(id);
  const owner = findCustomer(after.customerId);
  const worth =
    after.IsCompleted && !after.IsCancelledOrReturned
      ? productInHundredths(after.OrderTotal, settings.pointsPerUnit)
      : 0;
  const record = before?.pointId == null ? undefined : tables.points.get(String(before.pointId));

  const earlierOwner = record && findCustomer(record.customerId);
  if (record && earlierOwner) {
    const moved = record.customerId !== after.customerId;
    if (worth > 0 && !moved) {
      if (record.pointsHundredths !== worth) revisePoints(context, earlierOwner, record, worth);
      return record.PointId;
    }
    removePoints(context, earlierOwner, record);
  }
  if (worth === 0 || !owner?.IsEnrolled) return null;
  return addPoints(context, owner, {
    points: worth,
    cashback: scaleUp(worth, settings.cashbackPerPoint),
    type: pointType.order,
    source: { kind: 'order', orderId: after.OriginalId },
  }).PointId;
}
