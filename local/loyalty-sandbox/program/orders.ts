import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import { type Context, takeNumber } from './context.ts';
import { useCoupon } from './coupons.ts';
import { planCustomer, saveCustomer } from './customers.ts';
import { fromHundredths, toHundredths } from './hundredths.ts';
import { refundedOf, settleOrderPoints } from './order-points.ts';
import { describeOrder } from './order-view.ts';
import { done, findUnreadable, type Outcome, type Refusal, refuse } from './outcome.ts';
import { readOrder, readOrderId, type SentOrder } from './read-order.ts';
import type { OrderRow } from './rows.ts';

/**
 * An upsert by OriginalId, if the settings allow it. The first broken rule answers, in this order: 36
 * a body that is not JSON; 39 no OriginalId; 33 the stored order is cancelled, which is final; 36 what
 * cannot be stored; 11, 12, 14, 15 the dates; 13 where the settings want it; then those of the
 * customer. An order can pass to another customer: stores merge customers,
 * and guests sign up.
 */
export function sendOrder(
  context: Context,
  call: Call,
): Outcome<components['schemas']['OrderResult']> {
  const { tables, settings } = context;
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(36, unreadable);
  const id = readOrderId(call.body);
  if (id === null) return refuse(39, 'OriginalId must be given.');
  const before = tables.orders.get(id);
  if (before?.IsCancelledOrReturned) return refuse(33, 'The order is cancelled.');
  if (before && settings.repeatedOrder === 'refuse') {
    return refuse(36, 'An order with this OriginalId is stored already.');
  }
  const reading = readOrder(call, id);
  if (reading.kind === 'refused') return reading;
  const wrongDates = checkDates(reading.order);
  if (wrongDates) return wrongDates;
  const { IsCompleted, IsCancelledOrReturned } = reading.order;
  const breaks13 =
    (settings.error13 === 'both-flags' && IsCompleted && IsCancelledOrReturned) ||
    (settings.error13 === 'return-completed' && before?.IsCompleted && IsCancelledOrReturned);
  if (breaks13) return refuse(13, 'A completed order cannot be cancelled.');
  const plan = planCustomer(context, reading.customer, reading.faults, 'order');
  if (plan.kind === 'refused') return plan;

  const customer = saveCustomer(context, plan, reading.order.OrderPlacementDate);
  const after = saveOrder(context, before, reading.order, customer.OriginalId);
  if (after.Coupon !== null) useCoupon(context, after.Coupon, after.OriginalId);
  return done(describeOrder(context, after, customer));
}

/** 37 for an unknown order. */
export function getOrder(
  context: Context,
  { path }: Call,
): Outcome<components['schemas']['ReadOrder']> {
  const { tables, catalog, settings } = context;
  const row = tables.orders.get(path.orderId ?? '');
  const customer = row && tables.customers.get(row.customerId);
  if (!row || !customer) return refuse(37, 'No order has this id.');
  const redemption = tables.redemptions.get(tables.externalCodes.get(row.Coupon ?? '') ?? '');
  const reward = catalog.rewards.find(({ id }) => id === redemption?.configurationId);
  return done({
    ...describeOrder(context, row, customer),
    OriginalId: row.OriginalId,
    OrderTotal:
      settings.readTotal === 'as-sent'
        ? row.OrderTotal
        : fromHundredths(toHundredths(row.OrderTotal) - refundedOf(row)),
    Reward: redemption && reward ? { Id: redemption.RewardId, Title: reward.title } : null,
  });
}

function checkDates(order: SentOrder): Refusal | undefined {
  const placed = Date.parse(order.OrderPlacementDate);
  const isBefore = (date: string | null) => date !== null && Date.parse(date) < placed;
  if (order.IsCompleted && order.OrderCompletedDate === null) {
    return refuse(11, 'A completed order needs OrderCompletedDate.');
  }
  if (isBefore(order.OrderCompletedDate)) {
    return refuse(12, 'OrderCompletedDate is before OrderPlacementDate.');
  }
  if (order.IsCancelledOrReturned && order.OrderCancelledDate === null) {
    return refuse(14, 'A cancelled order needs OrderCancelledDate.');
  }
  if (isBefore(order.OrderCancelledDate)) {
    return refuse(15, 'OrderCancelledDate is before OrderPlacementDate.');
  }
  return undefined;
}

function saveOrder(
  context: Context,
  before: OrderRow | undefined,
  sent: SentOrder,
  customerId: string,
): OrderRow {
  const { tables } = context;
  const unsettled = {
    ...sent,
    Id: before?.Id ?? takeNumber(context, 'order'),
    customerId,
    UpdatedDate: sent.UpdatedDate ?? context.now().toISOString(),
    cancelDue: before?.cancelDue ?? null,
    partialCancels: before?.partialCancels ?? [],
    // A pair keeps its id for as long as its name stays in its place.
    Metadatas: sent.Metadatas.map((pair, i) => {
      const earlier = before?.Metadatas[i];
      const isSame = earlier !== undefined && earlier.Name === pair.Name;
      return { Id: isSame ? earlier.Id : takeNumber(context, 'metadata'), ...pair };
    }),
  };
  const row = { ...unsettled, ...settleOrderPoints(context, before, unsettled) };
  tables.orders.put(row.OriginalId, row);
  return row;
}
