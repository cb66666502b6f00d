import { minorDigits } from '../../../shared/store/money.ts';
import { sum } from './line-amounts.ts';
import { parseMinor } from './minor-units.ts';
import { financialStatus, openAuthorization, orderTotals, repaymentsOf } from './order-totals.ts';
import type { DisputeRow, DisputeStatus, OrderRow, TransactionRow } from './rows.ts';
import { STORE_CREDIT, settleStoreCredit } from './store-credit.ts';
import { done, type Input, moment, type Outcome, putOrder, refused, type World } from './world.ts';

interface Means {
  readonly gateway: string;
  readonly card?: Input<'card'> | undefined;
  readonly isPending?: boolean;
}

/** Pays the outstanding amount or a part of it: captures an authorization, otherwise makes a sale. */
export function payOrder(
  world: World,
  order: OrderRow,
  input: Input<'payment'>,
): Outcome<OrderRow> {
  if (order.cancelledAt !== null) return refused('The order is cancelled.');
  const { outstandingMinor } = orderTotals(order);
  if (outstandingMinor <= 0) return refused('Nothing is left to pay.');
  const wanted =
    input.amount === undefined
      ? outstandingMinor
      : parseMinor(input.amount, minorDigits(order.currency));
  if (wanted === undefined || wanted === 0 || wanted > outstandingMinor) {
    return refused('The amount must be above 0 and at most the outstanding amount.');
  }
  const authorization = openAuthorization(order);
  const gateway = input.gateway ?? authorization?.gateway ?? 'shopify_payments';
  const means = { gateway, card: input.card ?? authorization?.card };
  // Store credit is never captured from the authorization of another means.
  const isCapture =
    authorization && (gateway !== STORE_CREDIT || authorization.gateway === STORE_CREDIT);
  const paid = recordPayment(world, order, isCapture ? 'capture' : 'sale', means, wanted);
  const problem = settleStoreCredit(world, order, paid);
  if (problem) return problem;
  const updated = { ...paid, updatedAt: moment(world) };
  const isPaid = financialStatus(updated) === 'paid';
  return putOrder(
    world,
    updated,
    ...(isPaid ? [{ topic: 'orders/paid', order: updated } as const] : []),
  );
}

/** The merchant gives up a payment that was authorized. */
export function voidPayment(world: World, order: OrderRow): Outcome<OrderRow> {
  return endPayment(world, order, ({ transactions }, authorization) => [
    ...transactions,
    voidOf(world, authorization),
  ]);
}

/** The time in which the payment could be captured is over. */
export function expirePayment(world: World, order: OrderRow): Outcome<OrderRow> {
  return endPayment(world, order, ({ transactions }, authorization) =>
    transactions.map((one) => (one === authorization ? { ...one, hasExpired: true } : one)),
  );
}

export function voidOf(
  world: Pick<World, 'ids' | 'now'>,
  authorization: TransactionRow,
): TransactionRow {
  const at = moment(world);
  return {
    ...authorization,
    id: world.ids.next('OrderTransaction'),
    kind: 'void',
    parentId: authorization.id,
    createdAt: at,
    processedAt: at,
  };
}

function endPayment(
  world: World,
  order: OrderRow,
  end: (order: OrderRow, authorization: TransactionRow) => readonly TransactionRow[],
): Outcome<OrderRow> {
  const authorization = openAuthorization(order);
  if (!authorization || orderTotals(order).receivedMinor > 0) {
    return refused('The order has no payment that is authorized only.');
  }
  const transactions = end(order, authorization);
  const updated = { ...order, transactions, updatedAt: moment(world) };
  settleStoreCredit(world, order, updated);
  return putOrder(world, updated);
}

export function recordPayment(
  world: Pick<World, 'ids' | 'now' | 'shop'>,
  order: OrderRow,
  kind: 'authorization' | 'capture' | 'sale',
  { gateway, card, isPending = false }: Means,
  minor: number = orderTotals(order).outstandingMinor,
): OrderRow {
  if (minor === 0) return order;
  const at = moment(world);
  const parent =
    kind === 'capture'
      ? openAuthorization(order)
      : order.transactions.find((one) => one.kind === 'sale' && one.status === 'pending');
  const transaction: TransactionRow = {
    id: world.ids.next('OrderTransaction'),
    kind,
    status: isPending ? 'pending' : 'success',
    gateway,
    minor,
    parentId: parent?.id ?? null,
    createdAt: at,
    processedAt: isPending ? null : at,
    ...(card && { card }),
  };
  return {
    ...order,
    gateways: [...new Set([...order.gateways, gateway])],
    transactions: [...order.transactions, transaction],
  };
}

/** Where the money of a refund goes, and whether it is there yet. */
interface Repayment {
  /** To payments of this gateway first. */
  readonly gateway?: string | undefined;
  readonly isPending: boolean;
  readonly to?: RefundTarget | undefined;
}

/** To the payments themselves, or to the customer's store credit instead. */
export type RefundTarget = 'original-payments' | 'store-credit';

/** Refunds the payments of the order, the latest first; at most what was paid. */
export function recordRepayment(
  world: Pick<World, 'ids' | 'now' | 'shop'>,
  order: OrderRow,
  minor: number,
  { gateway, isPending, to }: Repayment,
): { readonly order: OrderRow; readonly transactionIds: string[]; readonly repaidMinor: number } {
  const made: TransactionRow[] = [];
  let left = minor;
  const at = moment(world);
  const received = order.transactions
    .filter(({ kind, status }) => (kind === 'sale' || kind === 'capture') && status === 'success')
    .toReversed();
  const first = received.filter((payment) => payment.gateway === gateway);
  for (const payment of new Set([...first, ...received])) {
    const returned = sum(
      repaymentsOf(order)
        .filter(({ parentId }) => parentId === payment.id)
        .map((one) => one.minor),
    );
    const part = Math.min(left, payment.minor - returned);
    if (part <= 0) continue;
    left -= part;
    made.push({
      ...payment,
      id: world.ids.next('OrderTransaction'),
      kind: 'refund',
      gateway: to === 'store-credit' ? STORE_CREDIT : payment.gateway,
      status: isPending ? 'pending' : 'success',
      minor: part,
      parentId: payment.id,
      createdAt: at,
      processedAt: isPending ? null : at,
    });
  }
  return {
    order: { ...order, transactions: [...order.transactions, ...made] },
    transactionIds: made.map(({ id }) => id),
    repaidMinor: minor - left,
  };
}

const OPEN: ReadonlySet<DisputeStatus> = new Set(['needs_response', 'under_review']);

/**
 * A customer's bank questions a payment. Whether the order's `updated_at` or its financial status change is not
 * documented: here neither does, so that nobody relies on it.
 */
export function openDispute(
  world: World,
  order: OrderRow,
  { type, amount }: Input<'dispute'>,
): Outcome<DisputeRow> {
  const isPaid = order.transactions.some(
    ({ kind, status, gateway }) =>
      (kind === 'sale' || kind === 'capture') &&
      status === 'success' &&
      gateway === 'shopify_payments',
  );
  if (!isPaid) return refused('Only a payment by Shopify Payments can be disputed.');
  const { receivedMinor } = orderTotals(order);
  const minor =
    amount === undefined ? receivedMinor : parseMinor(amount, minorDigits(order.currency));
  if (minor === undefined || minor > receivedMinor) {
    return refused('The amount must be at most what was paid.');
  }
  const dispute: DisputeRow = {
    id: world.ids.next('ShopifyPaymentsDispute'),
    type,
    status: 'needs_response',
    minor,
  };
  return put(world, order, dispute, 'disputes/create');
}

export function updateDispute(
  world: World,
  order: OrderRow,
  { disputeId, status, type }: Input<'disputeChange'>,
): Outcome<DisputeRow> {
  const dispute = order.disputes.findLast(({ id }) => id === (disputeId ?? id));
  if (!dispute) return refused('The order has no such dispute.');
  if (!OPEN.has(dispute.status)) return refused('The dispute is over.');
  const changed: DisputeRow = {
    ...dispute,
    status: status ?? dispute.status,
    type: type ?? dispute.type,
  };
  return put(world, order, changed, 'disputes/update');
}

function put(
  { rows }: World,
  order: OrderRow,
  dispute: DisputeRow,
  topic: 'disputes/create' | 'disputes/update',
): Outcome<DisputeRow> {
  const others = order.disputes.filter(({ id }) => id !== dispute.id);
  const updated = { ...order, disputes: [...others, dispute] };
  rows.orders.put(order.id, updated);
  return done(dispute, { topic, order: updated, dispute });
}
