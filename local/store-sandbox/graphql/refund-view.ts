import { minorDigits } from '../../../shared/store/money.ts';
import { gid } from '../model/ids.ts';
import { sum } from '../model/line-amounts.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { OrderRow, RefundRow, TransactionRow } from '../model/order-row.ts';
import { connect, type PageArguments } from './connection.ts';
import type { GraphContext, View } from './graph-context.ts';
import { lineById, shippingView } from './line-view.ts';
import { moneyBag } from './money-view.ts';

export function refundView(context: GraphContext, order: OrderRow, refund: RefundRow): View {
  const transactions = order.transactions.filter(({ id }) => refund.transactionIds.includes(id));
  return {
    __typename: 'Refund',
    id: gid('Refund', refund.id),
    legacyResourceId: refund.id,
    note: refund.note,
    createdAt: refund.createdAt,
    processedAt: refund.createdAt,
    updatedAt: refund.createdAt,
    order: () => context.viewOrder(context, order),
    totalRefundedSet: () => moneyBag(order, sum(transactions.map(({ minor }) => minor))),
    refundLineItems: (args: PageArguments) =>
      connect(context, args, {
        rows: order.reductions.filter(({ refundId }) => refundId === refund.id),
        id: ({ id }) => id,
        view: (one) => ({
          __typename: 'RefundLineItem',
          id: gid('RefundLineItem', one.id),
          quantity: one.quantity,
          restockType: one.restock.toUpperCase(),
          restocked: one.restock !== 'no_restock',
          lineItem: () => lineById(context, order, one.lineId),
          subtotalSet: moneyBag(order, one.worthMinor),
          totalTaxSet: moneyBag(order, sum(one.taxesMinor)),
        }),
      }),
    refundShippingLines: (args: PageArguments) =>
      connect(context, args, {
        rows: refund.shipping,
        id: ({ id }) => id,
        view: (one) => ({
          __typename: 'RefundShippingLine',
          id: gid('RefundShippingLine', one.id),
          subtotalAmountSet: moneyBag(order, one.minor),
          taxAmountSet: moneyBag(order, sum(one.taxesMinor)),
          shippingLine: () => {
            const line = order.shipping.find(({ id }) => id === one.shippingId);
            return line ? shippingView(order, line) : null;
          },
        }),
      }),
    orderAdjustments: (args: PageArguments) =>
      connect(context, args, {
        rows: refund.discrepancy ? [refund.discrepancy] : [],
        id: ({ id }) => id,
        view: ({ id, minor }) => ({
          __typename: 'OrderAdjustment',
          id: gid('OrderAdjustment', id),
          reason: 'REFUND_DISCREPANCY',
          amountSet: moneyBag(order, minor),
          taxAmountSet: moneyBag(order, 0),
        }),
      }),
    transactions: (args: PageArguments) =>
      connect(context, args, {
        rows: transactions,
        id: ({ id }) => id,
        view: (one) => transactionView(context, order, one),
      }),
  };
}

export function transactionView(context: GraphContext, order: OrderRow, row: TransactionRow): View {
  const parent = order.transactions.find(({ id }) => id === row.parentId);
  return {
    __typename: 'OrderTransaction',
    id: gid('OrderTransaction', row.id),
    kind: row.kind.toUpperCase(),
    status: row.status.toUpperCase(),
    gateway: row.gateway,
    formattedGateway: row.gateway.replaceAll('_', ' '),
    manualPaymentGateway: row.gateway === 'manual',
    test: order.test,
    createdAt: row.createdAt,
    processedAt: row.createdAt,
    amount: formatMinor(row.minor, minorDigits(order.currency)),
    amountSet: moneyBag(order, row.minor),
    accountNumber: row.card ? `•••• ${row.card.last4}` : null,
    errorCode: null,
    order: () => context.viewOrder(context, order),
    parentTransaction: () => (parent ? transactionView(context, order, parent) : null),
    paymentDetails: row.card
      ? {
          __typename: 'CardPaymentDetails',
          company: row.card.company,
          paymentMethodName: row.card.methodName,
          number: `•••• •••• •••• ${row.card.last4}`,
          name: null,
          bin: null,
          wallet: null,
          expirationMonth: null,
          expirationYear: null,
          avsResultCode: null,
          cvvResultCode: null,
        }
      : null,
  };
}
