import { gid } from '../model/ids.ts';
import { sum } from '../model/line-amounts.ts';
import type { OrderRow, TransactionRow } from '../model/order-row.ts';
import { financialStatus, fulfillmentStatus } from '../model/order-status.ts';
import { orderTotals } from '../model/order-totals.ts';
import { agreementsOf } from './agreement-view.ts';
import { connect, type PageArguments } from './connection.ts';
import { addressView, customerView } from './customer-view.ts';
import { applicationView, taxView } from './discount-application-view.ts';
import type { GraphContext, View } from './graph-context.ts';
import { fulfillmentView, lineView, shippingView } from './line-view.ts';
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
  const { rows, shop } = context.world;
  const id = gid('Order', order.id);
  const list =
    <Row extends { readonly id: string }>(entries: readonly Row[], view: (row: Row) => View) =>
    (args: PageArguments) =>
      connect(context, args, {
        rows: entries,
        id: (row) => row.id,
        value: (row) => entries.indexOf(row),
        view,
      });
  const customer = order.customerId === null ? undefined : rows.customers.get(order.customerId);
  return {
    __typename: 'Order',
    id,
    legacyResourceId: order.id,
    name: `#${order.number}`,
    number: order.number,
    createdAt: order.createdAt,
    processedAt: order.processedAt,
    updatedAt: order.updatedAt,
    cancelledAt: order.cancelledAt,
    cancelReason: order.cancelReason?.toUpperCase() ?? null,
    closedAt: order.closedAt,
    closed: order.closedAt !== null,
    confirmed: true,
    test: order.test,
    sourceName: order.sourceName,
    email: order.email,
    phone: order.phone,
    note: order.note,
    tags: order.tags,
    currencyCode: order.currency,
    presentmentCurrencyCode: order.presentment?.currency ?? order.currency,
    taxesIncluded: order.taxesIncluded,
    taxExempt: false,
    displayFinancialStatus: () => financialStatus(order).toUpperCase(),
    displayFulfillmentStatus: () => {
      const status = fulfillmentStatus(order);
      return status === null ? 'UNFULFILLED' : displayFulfillment[status];
    },
    returnStatus: order.returns.length > 0 ? 'IN_PROGRESS' : 'NO_RETURN',
    paymentGatewayNames: order.gateways,
    customAttributes: order.noteAttributes.map(({ name, value }) => ({ key: name, value })),
    statusPageUrl: () => `https://${shop.domain}/${shop.id}/orders/${order.token}`,
    customer: () => (customer ? customerView(context, customer) : null),
    billingAddress: () =>
      order.billingAddress ? addressView(order.billingAddress, order.id) : null,
    shippingAddress: () =>
      order.shippingAddress ? addressView(order.shippingAddress, order.id) : null,
    retailLocation: () => {
      const location = order.locationId === null ? undefined : rows.locations.get(order.locationId);
      return location ? locationView(context, location) : null;
    },
    staffMember: () => {
      const staff = order.staffId === null ? undefined : rows.staff.get(order.staffId);
      return staff ? staffView(staff) : null;
    },
    lineItems: list(order.lines, (line) => lineView(context, order, line)),
    shippingLine: () => (order.shipping[0] ? shippingView(order, order.shipping[0]) : null),
    shippingLines: list(order.shipping, (line) => shippingView(order, line)),
    discountCode: () =>
      order.applications.find(({ type }) => type === 'discount_code')?.name ?? null,
    discountCodes: () =>
      order.applications.filter(({ type }) => type === 'discount_code').map(({ name }) => name),
    discountApplications: (args: PageArguments) =>
      connect(context, args, {
        rows: order.applications,
        id: (application) => String(order.applications.indexOf(application)),
        view: (application) => applicationView(order, order.applications.indexOf(application)),
      }),
    fulfillments: ({ first }: { first?: number | null }) =>
      upTo(order.fulfillments, first).map((one) => fulfillmentView(context, order, one)),
    refunds: ({ first }: { first?: number | null }) =>
      upTo(order.refunds, first).map((refund) => refundView(context, order, refund)),
    transactions: ({ first }: { first?: number | null }) =>
      upTo(order.transactions, first).map((one: TransactionRow) =>
        transactionView(context, order, one),
      ),
    transactionsCount: { count: order.transactions.length, precision: 'EXACT' },
    returns: list(order.returns, (one) => ({
      __typename: 'Return',
      id: gid('Return', one.id),
      name: `#${order.number}-R${order.returns.indexOf(one) + 1}`,
      status: one.closedAt === null ? 'OPEN' : 'CLOSED',
      createdAt: one.createdAt,
      closedAt: one.closedAt,
      totalQuantity: sum(
        order.reductions
          .filter(({ returnId }) => returnId === one.id)
          .map(({ quantity }) => quantity),
      ),
    })),
    agreements: (args: PageArguments) => agreementsOf(context, order, args),
    localizedFields: (args: PageArguments) =>
      connect(context, args, {
        rows: order.localizedFields,
        id: ({ key }) => key,
        view: (field) => ({ ...field }),
      }),
    ...amountFields(order),
    ...metafieldFields(context, id),
  };
}

function amountFields(order: OrderRow): View {
  const bag = (minor: (totals: ReturnType<typeof orderTotals>) => number) => () =>
    moneyBag(order, minor(orderTotals(order)));
  const duties = order.dutiesMinor > 0;
  return {
    subtotalPriceSet: bag(({ subtotalMinor }) => subtotalMinor),
    totalPriceSet: bag(({ totalMinor }) => totalMinor),
    totalTaxSet: bag(({ taxMinor }) => taxMinor),
    totalDiscountsSet: bag(({ discountsMinor }) => discountsMinor),
    totalShippingPriceSet: bag(({ shippingMinor }) => shippingMinor),
    totalTipReceivedSet: bag(({ tipMinor }) => tipMinor),
    totalReceivedSet: bag(({ receivedMinor }) => receivedMinor),
    totalRefundedSet: bag(({ refundedMinor }) => refundedMinor),
    totalOutstandingSet: bag(({ outstandingMinor }) => Math.max(0, outstandingMinor)),
    netPaymentSet: bag(({ receivedMinor, refundedMinor }) => receivedMinor - refundedMinor),
    currentSubtotalPriceSet: bag(({ current }) => current.subtotalMinor),
    currentTotalPriceSet: bag(({ current }) => current.totalMinor),
    currentTotalTaxSet: bag(({ current }) => current.taxMinor),
    currentTotalDiscountsSet: bag(({ current }) => current.discountsMinor),
    currentShippingPriceSet: bag(({ current }) => current.shippingMinor),
    currentSubtotalLineItemsQuantity: () => orderTotals(order).current.pieces,
    originalTotalDutiesSet: duties ? bag(() => order.dutiesMinor) : null,
    currentTotalDutiesSet: duties ? bag(({ current }) => current.dutiesMinor) : null,
    taxLines: () => orderTotals(order).taxes.map((tax) => taxView(order, tax)),
    currentTaxLines: () => orderTotals(order).current.taxes.map((tax) => taxView(order, tax)),
    fullyPaid: () => orderTotals(order).outstandingMinor <= 0,
    unpaid: () => orderTotals(order).receivedMinor === 0,
  };
}

const upTo = <Row>(rows: readonly Row[], first: number | null | undefined): readonly Row[] =>
  first == null ? rows : rows.slice(0, first);
