import { pointType } from './assigned-numbers.ts';
import { type Context, daysLater, formatMoney } from './context.ts';
import { fromHundredths, productInHundredths, scaleUp, toHundredths } from './hundredths.ts';
import { addPoints, removePoints, revisePoints } from './points.ts';
import type { CustomerRow, OrderRow } from './rows.ts';

type Settled = Pick<OrderRow, 'pointId' | 'pointsDueAt'>;

/**
 * Brings the point record of an order to what the order is worth now.
 *
 * A completed, not cancelled order is worth the points per unit of what is left of its total, after
 * the waiting days. A customer who is not enrolled, or inactive, gets no new record; a record given before
 * goes on following its order.
 */
export function settleOrderPoints(
  context: Context,
  before: OrderRow | undefined,
  after: Omit<OrderRow, keyof Settled>,
): Settled {
  const { settings, tables } = context;
  const worth = worthOf(context, after);
  const record = before?.pointId == null ? undefined : tables.points.get(String(before.pointId));
  const earlierOwner = record && tables.customers.get(record.customerId);
  if (before && record && earlierOwner) {
    const moved = record.customerId !== after.customerId;
    if (worth > 0 && !moved) {
      const isResent = before.partialCancels.length === after.partialCancels.length;
      const keeps = isResent && settings.changedTotal === 'keeps-points';
      if (record.pointsHundredths !== worth && !keeps) {
        revisePoints(context, earlierOwner, record, worth);
      }
      return { pointId: record.PointId, pointsDueAt: null };
    }
    removePoints(context, earlierOwner, record);
  }
  const owner = tables.customers.get(after.customerId);
  if (worth === 0 || !owner || !mayTakePart(owner)) return { pointId: null, pointsDueAt: null };
  const dueAt = before?.pointsDueAt ?? daysLater(context.now(), settings.daysToWaitToGrantPoints);
  if (Date.parse(dueAt) > context.now().getTime()) {
    tables.dueOrders.put(after.OriginalId, after.OriginalId);
    return { pointId: null, pointsDueAt: dueAt };
  }
  const { PointId } = addPoints(context, owner, {
    points: worth,
    cashback: scaleUp(worth, settings.cashbackPerPoint),
    type: pointType.order,
    source: { kind: 'order', orderId: after.OriginalId },
  });
  return { pointId: PointId, pointsDueAt: null };
}

/** Of the program: earning and redeeming. */
export function mayTakePart({ IsEnrolled, isActive }: CustomerRow): boolean {
  return IsEnrolled && isActive;
}

/** In hundredths. */
export function refundedOf({ partialCancels }: Pick<OrderRow, 'partialCancels'>): number {
  return partialCancels.reduce((sum, { valueHundredths }) => sum + valueHundredths, 0);
}

/** What the order gives, or would give once it is complete. */
export function estimateOf(context: Context, order: OrderRow) {
  const owner = context.tables.customers.get(order.customerId);
  const worth = owner && mayTakePart(owner) ? worthOf(context, { ...order, IsCompleted: true }) : 0;
  const cashback = fromHundredths(scaleUp(worth, context.settings.cashbackPerPoint));
  return {
    GenerateBonus: worth > 0,
    EstimatedPoints: fromHundredths(worth),
    EstimatedCashback: cashback,
    EstimatedCashbackFormatted: formatMoney(context, cashback),
  };
}

function worthOf({ settings }: Context, order: Omit<OrderRow, keyof Settled>): number {
  if (!order.IsCompleted || order.IsCancelledOrReturned) return 0;
  const refunded = refundedOf(order);
  const left =
    refunded === 0
      ? order.OrderTotal
      : fromHundredths(Math.max(0, toHundredths(order.OrderTotal) - refunded));
  return productInHundredths(left, settings.pointsPerUnit);
}
