import type * as v from 'valibot';
import { minorDigits } from '../../../shared/store/money.ts';
import { parseMinor } from './minor-units.ts';
import type { card, payment } from './order-inputs.ts';
import type { OrderRow, TransactionRow } from './order-row.ts';
import { financialStatus } from './order-status.ts';
import { orderTotals } from './order-totals.ts';
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
  const authorization = order.transactions.find(({ kind }) => kind === 'authorization');
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

export function recordPayment(
  world: Pick<World, 'ids' | 'now'>,
  order: OrderRow,
  kind: 'authorization' | 'capture' | 'sale',
  { gateway, card }: Means,
  minor: number = orderTotals(order).outstandingMinor,
): OrderRow {
  if (minor === 0) return order;
  const transaction: TransactionRow = {
    id: world.ids.next('OrderTransaction'),
    kind,
    status: 'success',
    gateway,
    minor,
    parentId:
      kind === 'capture'
        ? (order.transactions.find((one) => one.kind === 'authorization')?.id ?? null)
        : null,
    createdAt: moment(world),
    ...(card && { card }),
  };
  return {
    ...order,
    gateways: [...new Set([...order.gateways, gateway])],
    transactions: [...order.transactions, transaction],
  };
}

/** Refunds to the payments of the order, the latest first; at most what was paid. */
export function recordRepayment(
  world: Pick<World, 'ids' | 'now'>,
  order: OrderRow,
  minor: number,
): { readonly order: OrderRow; readonly transactionIds: string[]; readonly repaidMinor: number } {
  const made: TransactionRow[] = [];
  let left = minor;
  const received = order.transactions.filter(({ kind }) => kind === 'sale' || kind === 'capture');
  for (const payment of received.toReversed()) {
    const returned = order.transactions
      .filter(({ kind, parentId }) => kind === 'refund' && parentId === payment.id)
      .reduce((sum, one) => sum + one.minor, 0);
    const part = Math.min(left, payment.minor - returned);
    if (part <= 0) continue;
    left -= part;
    made.push({
      ...payment,
      id: world.ids.next('OrderTransaction'),
      kind: 'refund',
      minor: part,
      parentId: payment.id,
      createdAt: moment(world),
    });
  }
  return {
    order: { ...order, transactions: [...order.transactions, ...made] },
    transactionIds: made.map(({ id }) => id),
    repaidMinor: minor - left,
  };
}
