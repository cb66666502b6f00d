import { gid } from '../model/ids.ts';
import type { OrderRow } from '../model/order-row.ts';
import { financialStatus, fulfillmentStatus } from '../model/order-status.ts';
import { orderTotals } from '../model/order-totals.ts';
import { connect, type PageArguments } from './connection.ts';
import { customerView } from './customer-view.ts';
import type { GraphContext, View } from './graph-context.ts';
import { lineView, shippingView } from './line-view.ts';
import { metafieldFields } from './metafield-view.ts';
import { moneyBag } from './money-view.ts';
import { refundView, transactionView } from './refund-view.ts';
import { locationView, staffView } from './shop-view.ts';

const displayFulfillment = {
  fulfilled: 'FULFILLED',
  partial: 'PARTIALLY_FULFILLED',
  restocked: 'RESTOCKED',
} as const;

export function orderView(context: GraphContext, order: OrderRow): View {
  const { customers } = context.world.rows;
  const id = gid('Order', order.id);
  const list =
    <Row>(entries: readonly Row[], view: (row: Row, index: number) => View) =>
    (args: PageArguments) =>
      connect(context, args, {
        rows: entries.map((row, index) => ({ row, index })),
        id: ({ index }) => String(index),
        view: ({ row, index }) => view(row, index),
      });
  const amount = (minor: (totals: ReturnType<typeof orderTotals>) => number) => () =>
    moneyBag(order, minor(orderTotals(order)));
  const customer = order.customerId === null ? undefined : customers.get(order.customerId);
  return {
    __typename: 'Order',
    id,
    name: `#${order.number}`,
    createdAt: order.createdAt,
    processedAt: order.processedAt,
    updatedAt: order.updatedAt,
    cancelledAt: order.cancelledAt,
    closedAt: order.closedAt,
    test: order.test,
    sourceName: order.sourceName,
    email: order.email,
    phone: order.phone,
    currencyCode: order.currency,
    presentmentCurrencyCode: order.presentment?.currency ?? order.currency,
    taxesIncluded: order.taxesIncluded,
    displayFinancialStatus: () => financialStatus(order).toUpperCase(),
    displayFulfillmentStatus: () => {
      const status = fulfillmentStatus(order);
      return status === null ? 'UNFULFILLED' : displayFulfillment[status];
    },
    paymentGatewayNames: order.gateways,
    customAttributes: order.noteAttributes.map(({ name, value }) => ({ key: name, value })),
    customer: () => (customer ? customerView(context, customer) : null),
    retailLocation: () => locationView(context, order.locationId),
    staffMember: () => staffView(context, order.staffId),
    lineItems: list(order.lines, (line) => lineView(context, order, line)),
    shippingLines: list(order.shipping, (line) => shippingView(order, line)),
    discountApplications: list(order.applications, ({ type, name }, index) => ({
      __typename: applicationTypes[type],
      index,
      ...(type === 'discount_code' && { code: name }),
    })),
    fulfillments: upTo(order.fulfillments, ({ id, status, createdAt }) => ({
      ...{ __typename: 'Fulfillment', id: gid('Fulfillment', id) },
      ...{ status: status.toUpperCase(), createdAt },
    })),
    refunds: upTo(order.refunds, (refund) =>
      refundView(context, order, refund, () => orderView(context, order)),
    ),
    transactions: upTo(order.transactions, (one) => transactionView(order, one)),
    // The only place in the schema that marks a line as a tip.
    agreements: list([order], () => ({
      __typename: 'OrderAgreement',
      sales: list(order.lines, (line) => ({
        __typename: saleTypes[line.kind],
        lineItem: () => lineView(context, order, line),
      })),
    })),
    localizedFields: list(order.localizedFields, ({ key, value }) => ({
      ...{ __typename: 'LocalizedField', key, value },
    })),
    disputes: order.disputes.map(({ status }) => ({
      __typename: 'OrderDisputeSummary',
      status: status.toUpperCase(),
    })),
    totalOutstandingSet: amount(({ outstandingMinor }) => Math.max(0, outstandingMinor)),
    totalReceivedSet: amount(({ receivedMinor }) => receivedMinor),
    totalRefundedSet: amount(({ refundedMinor }) => refundedMinor),
    totalTipReceivedSet: amount(({ tipMinor }) => tipMinor),
    currentSubtotalPriceSet: amount(({ current }) => current.subtotalMinor),
    currentTotalPriceSet: amount(({ current }) => current.totalMinor),
    currentShippingPriceSet: amount(({ current }) => current.shippingMinor),
    ...metafieldFields(context, id),
  };
}

const applicationTypes = {
  discount_code: 'DiscountCodeApplication',
  automatic: 'AutomaticDiscountApplication',
  manual: 'ManualDiscountApplication',
} as const;

const saleTypes = {
  product: 'ProductSale',
  custom: 'ProductSale',
  'gift-card': 'GiftCardSale',
  tip: 'TipSale',
} as const;

function upTo<Row>(rows: readonly Row[], view: (row: Row) => View) {
  return ({ first }: { readonly first?: number | null }) =>
    rows.slice(0, first ?? undefined).map(view);
}
