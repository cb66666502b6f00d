import type * as v from 'valibot';
import { minorDigits } from '../../../shared/store/money.ts';
import { sum } from './line-amounts.ts';
import { parseMinor } from './minor-units.ts';
import type { card, orderReference, payment } from './order-inputs.ts';
import type { OrderRow, TransactionRow } from './order-row.ts';
import { financialStatus } from './order-status.ts';
import { openAuthorization, orderTotals, repaymentsOf } from './order-totals.ts';
import { type Announcement, done, moment, type Outcome, refused, type World } from './world.ts';

interface Means {
  readonly gateway: string;
  readonly card?: v.InferOutput<typeof card> | undefined;
}

/** Pays the outstanding amount or a part of it: captures an authorization, otherwise makes a sale. */
export function payOrder(world: World, input: v.InferOutput<typeof payment>): Outcome<OrderRow> {
  const { rows } = world;
  const order = rows.orders.get(input.orderId);
  if (!order) return refused(`There is no order ${input.orderId}.`);
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
  const paid = recordPayment(world, order, authorization ? 'capture' : 'sale', means, wanted);
  const updated = { ...paid, updatedAt: moment(world) };
  rows.orders.put(order.id, updated);
  const announcements: Announcement[] = [{ topic: 'orders/updated', order: updated }];
  if (financialStatus(updated) === 'paid')
    announcements.unshift({ topic: 'orders/paid', order: updated });
  return done(updated, ...announcements);
}

/** The merchant gives up a payment that was authorized. */
export function voidPayment(
  world: World,
  { orderId }: v.InferOutput<typeof orderReference>,
): Outcome<OrderRow> {
  return endPayment(world, orderId, ({ transactions }, authorization) => [
    ...transactions,
    voidOf(world, authorization),
  ]);
}

/** The time in which the payment could be captured is over. */
export function expirePayment(
  world: World,
  { orderId }: v.InferOutput<typeof orderReference>,
): Outcome<OrderRow> {
  return endPayment(world, orderId, ({ transactions }, authorization) =>
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
  orderId: string,
  end: (order: OrderRow, authorization: TransactionRow) => readonly TransactionRow[],
): Outcome<OrderRow> {
  const order = world.rows.orders.get(orderId);
  if (!order) return refused(`There is no order ${orderId}.`);
  const authorization = openAuthorization(order);
  if (!authorization || orderTotals(order).receivedMinor > 0) {
    return refused('The order has no payment that is authorized only.');
  }
  const transactions = end(order, authorization);
  const updated = { ...order, transactions, updatedAt: moment(world) };
  world.rows.orders.put(orderId, updated);
  return done(updated, { topic: 'orders/updated', order: updated });
}

export function recordPayment(
  world: Pick<World, 'ids' | 'now'>,
  order: OrderRow,
  kind: 'authorization' | 'capture' | 'sale',
  { gateway, card }: Means,
  minor: number = orderTotals(order).outstandingMinor,
): OrderRow {
  if (minor === 0) return order;
  const at = moment(world);
  const transaction: TransactionRow = {
    id: world.ids.next('OrderTransaction'),
    kind,
    status: 'success',
    gateway,
    minor,
    parentId: kind === 'capture' ? (openAuthorization(order)?.id ?? null) : null,
    createdAt: at,
    processedAt: at,
    ...(card && { card }),
  };
  return {
    ...order,
    gateways: [...new Set([...order.gateways, gateway])],
    transactions: [...order.transactions, transaction],
  };
}

/** Where the money of a refund goes, and whether it is there yet. */
export interface Repayment {
  /** To payments of this gateway first. */
  readonly gateway?: string | undefined;
  readonly isPending: boolean;
}

/** Refunds to the payments of the order, the latest first; at most what was paid. */
export function recordRepayment(
  world: Pick<World, 'ids' | 'now'>,
  order: OrderRow,
  minor: number,
  { gateway, isPending }: Repayment,
): { readonly order: OrderRow; readonly transactionIds: string[]; readonly repaidMinor: number } {
  const made: TransactionRow[] = [];
  let left = minor;
  const at = moment(world);
  const received = order.transactions
    .filter(({ kind }) => kind === 'sale' || kind === 'capture')
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
