import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import { accountOf } from './balances.ts';
import { type Context, takeNumber } from './context.ts';
import { useCoupon } from './coupon-use.ts';
import { planCustomer, saveCustomer } from './customers.ts';
import { settleOrderPoints } from './order-points.ts';
import { describeOrder } from './order-view.ts';
import { done, type Outcome, type Refusal, refuse } from './outcome.ts';
import { readOrder, readOrderId, type SentOrder } from './read-order.ts';
import type { OrderRow } from './rows.ts';

/**
 * An upsert by OriginalId. The first broken rule answers, in this order: 39 no OriginalId; 33 the
 * stored order is cancelled, which is final; 36 what cannot be stored; 11, 12, 14, 15 the dates; then
 * those of the customer.
 *
 * Assumed: a completed order may be sent with IsCancelledOrReturned, which takes its points back.
 */
export function sendOrder(
  context: Context,
  call: Call,
): Outcome<components['schemas']['OrderResult']> {
  const { tables } = context;
  const id = readOrderId(call.body);
  if (id === null) return refuse(39, 'OriginalId must be given.');
  const before = tables.orders.get(id);
  if (before?.IsCancelledOrReturned) return refuse(33, 'The order is cancelled.');
  const reading = readOrder(call, id);
  if (reading.kind === 'refused') return reading;
  const wrongDates = checkDates(reading.order);
  if (wrongDates) return wrongDates;
  const plan = planCustomer(context, reading.customer, reading.faults, 'order');
  if (plan.kind === 'refused') return plan;

  const customer = saveCustomer(context, plan);
  const after = saveOrder(context, before, reading.order, customer.OriginalId);
  if (after.Coupon !== null) useCoupon(context, after.Coupon, after.OriginalId);
  return done(describeOrder(context, after, customer));
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
    // A pair keeps its id for as long as its name stays in its place.
    Metadatas: sent.Metadatas.map((pair, i) => {
      const earlier = before?.Metadatas[i];
      const isSame = earlier !== undefined && earlier.Name === pair.Name;
      return { Id: isSame ? earlier.Id : takeNumber(context, 'metadata'), ...pair };
    }),
  };
  assignOrder(context, sent.OriginalId, before?.customerId, customerId);
  const row = { ...unsettled, pointId: settleOrderPoints(context, before, unsettled) };
  tables.orders.put(row.OriginalId, row);
  return row;
}

/** An order can pass to another customer: the store merges customers, and guests sign up. */
function assignOrder(
  context: Context,
  orderId: string,
  from: string | undefined,
  to: string,
): void {
  if (from === to) return;
  const { accounts } = context.tables;
  if (from !== undefined) {
    const account = accountOf(context, from);
    accounts.put(from, { ...account, orderIds: account.orderIds.filter((id) => id !== orderId) });
  }
  const account = accountOf(context, to);
  accounts.put(to, { ...account, orderIds: [...account.orderIds, orderId] });
}
