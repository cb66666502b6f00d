import { gid } from '../model/ids.ts';
import { sum } from '../model/line-amounts.ts';
import type { OrderRow, RefundRow, TransactionRow } from '../model/order-row.ts';
import { connect, type PageArguments } from './connection.ts';
import type { GraphContext, View } from './graph-context.ts';
import { lineView } from './line-view.ts';
import { moneyBag } from './money-view.ts';

/** `viewOrder`: the view of its order, which has this view in it. */
export function refundView(
  context: GraphContext,
  order: OrderRow,
  refund: RefundRow,
  viewOrder: () => View,
): View {
  const paid = order.transactions.filter(({ id }) => refund.transactionIds.includes(id));
  return {
    __typename: 'Refund',
    id: gid('Refund', refund.id),
    createdAt: refund.createdAt,
    processedAt: refund.createdAt,
    order: viewOrder,
    transactions: (args: PageArguments) =>
      connect(context, args, {
        rows: paid,
        id: ({ id }) => id,
        view: (one) => transactionView(order, one),
      }),
    duties: refund.dutiesMinor > 0 ? [{ amountSet: moneyBag(order, refund.dutiesMinor) }] : [],
    refundLineItems: (args: PageArguments) =>
      connect(context, args, {
        rows: order.reductions.filter(({ refundId }) => refundId === refund.id),
        id: ({ id }) => id,
        view: (one) => ({
          quantity: one.quantity,
          lineItem: () => {
            const line = order.lines.find(({ id }) => id === one.lineId);
            return line ? lineView(context, order, line) : null;
          },
          subtotalSet: moneyBag(order, one.worthMinor),
          totalTaxSet: moneyBag(order, sum(one.taxesMinor)),
        }),
      }),
    refundShippingLines: (args: PageArguments) =>
      connect(context, args, {
        rows: refund.shipping,
        id: ({ id }) => id,
        view: (one) => ({
          subtotalAmountSet: moneyBag(order, one.minor),
          taxAmountSet: moneyBag(order, sum(one.taxesMinor)),
        }),
      }),
    orderAdjustments: (args: PageArguments) =>
      connect(context, args, {
        rows: refund.discrepancies,
        id: ({ id }) => id,
        view: ({ minor, reason }) => ({
          reason: reason.replaceAll(' ', '_').toUpperCase(),
          amountSet: moneyBag(order, minor),
          taxAmountSet: moneyBag(order, 0),
        }),
      }),
  };
}

export function transactionView(order: OrderRow, row: TransactionRow): View {
  return {
    __typename: 'OrderTransaction',
    id: gid('OrderTransaction', row.id),
    kind: row.kind.toUpperCase(),
    status: row.status.toUpperCase(),
    gateway: row.gateway,
    createdAt: row.createdAt,
    processedAt: row.processedAt,
    amountSet: moneyBag(order, row.minor),
    paymentDetails: row.card && {
      __typename: 'CardPaymentDetails',
      company: row.card.company,
      paymentMethodName: row.card.methodName,
    },
  };
}
