import { gid } from '../model/ids.ts';
import { lineAmounts, shippingAmounts, sum } from '../model/line-amounts.ts';
import { financialStatus, fulfillmentStatus, orderTotals } from '../model/order-totals.ts';
import type {
  AgreementRow,
  LineRow,
  OrderRow,
  RefundRow,
  SaleRow,
  ShippingRow,
  TransactionRow,
} from '../model/rows.ts';
import { connect, listOf, type PageArguments } from './connection.ts';
import {
  customerView,
  locationView,
  metafieldFields,
  moneyBag,
  productView,
  staffView,
} from './entity-views.ts';
import type { GraphContext, View } from './graph-context.ts';

const displayFulfillment = {
  fulfilled: 'FULFILLED',
  partial: 'PARTIALLY_FULFILLED',
  restocked: 'RESTOCKED',
} as const;

export function orderView(context: GraphContext, order: OrderRow): View {
  const { customers } = context.world.rows;
  const id = gid('Order', order.id);
  const list = <Row>(entries: readonly Row[], view: (row: Row, index: number) => View) =>
    listOf(
      () => entries.map((row, index) => ({ row, id: String(index) })),
      ({ row, id }) => view(row, Number(id)),
    );
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
    shippingLines: list(
      order.shipping.filter(({ isRemoved }) => !isRemoved),
      (line) => shippingView(order, line),
    ),
    discountCodes: order.applications.flatMap(({ type, name }) =>
      type === 'discount_code' ? [name] : [],
    ),
    discountApplications: list(order.applications, ({ type, name }, index) => ({
      __typename: applicationTypes[type],
      index,
      ...(type === 'discount_code' && { code: name }),
    })),
    fulfillments: upTo(order.fulfillments, ({ createdAt }) => ({ status: 'SUCCESS', createdAt })),
    refunds: upTo(order.refunds, (refund) =>
      refundView(context, order, refund, () => orderView(context, order)),
    ),
    transactions: upTo(order.transactions, (one) => transactionView(order, one)),
    agreements: agreementsOf(context, order),
    localizedFields: list(order.localizedFields, ({ key, value }) => ({ key, value })),
    disputes: order.disputes.map(({ status }) => ({ status: status.toUpperCase() })),
    totalOutstandingSet: amount(({ outstandingMinor }) => Math.max(0, outstandingMinor)),
    totalReceivedSet: amount(({ receivedMinor }) => receivedMinor),
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

const agreementTypes = {
  ORDER: 'OrderAgreement',
  ORDER_EDIT: 'OrderEditAgreement',
  REFUND: 'RefundAgreement',
  RETURN: 'ReturnAgreement',
} as const satisfies Record<AgreementRow['reason'], string>;

const saleTypes = {
  PRODUCT: 'ProductSale',
  GIFT_CARD: 'GiftCardSale',
  TIP: 'TipSale',
  SHIPPING: 'ShippingLineSale',
  DUTY: 'DutySale',
  FEE: 'FeeSale',
  ADDITIONAL_FEE: 'AdditionalFeeSale',
  ADJUSTMENT: 'AdjustmentSale',
} as const satisfies Record<SaleRow['lineType'], string>;

/** The oldest first. That of agreements of one second is not documented. */
function agreementsOf(context: GraphContext, order: OrderRow) {
  const isReversed = context.world.shop.sameSecondAgreements === 'reversed';
  // Ids have fewer than twenty digits.
  const reversed = (id: string) => String(10n ** 20n - BigInt(id));
  return (page: PageArguments): View =>
    connect(page, {
      rows: order.agreements,
      value: ({ id, happenedAt }) => (isReversed ? `${happenedAt} ${reversed(id)}` : happenedAt),
      view: (agreement) => agreementView(context, order, agreement),
    });
}

function agreementView(context: GraphContext, order: OrderRow, agreement: AgreementRow): View {
  const { happenedAt, reason, sales } = agreement;
  const refund = order.refunds.find((one) => one.id === agreement.refundId);
  return {
    __typename: agreementTypes[reason],
    happenedAt,
    sales: listOf(
      () => sales,
      (sale) => saleView(context, order, sale),
    ),
    ...(refund && {
      refund: () => refundView(context, order, refund, () => orderView(context, order)),
    }),
  };
}

function saleView(context: GraphContext, order: OrderRow, sale: SaleRow): View {
  const line = order.lines.find(({ id }) => id === sale.ofId);
  return {
    __typename: saleTypes[sale.lineType],
    lineType: sale.lineType,
    quantity: sale.quantity,
    totalAmount: moneyBag(order, sale.minor),
    totalTaxAmount: () => moneyBag(order, sum(sale.taxesMinor)),
    ...(line && { lineItem: () => lineView(context, order, line) }),
  };
}

function upTo<Row>(rows: readonly Row[], view: (row: Row) => View) {
  return ({ first }: { readonly first?: number | null }) =>
    rows.slice(0, first ?? undefined).map(view);
}

function lineView(context: GraphContext, order: OrderRow, line: LineRow): View {
  const { products } = context.world.rows;
  const product = line.productId === null ? undefined : products.get(line.productId);
  return {
    __typename: 'LineItem',
    id: gid('LineItem', line.id),
    title: line.title,
    name: line.variantTitle === null ? line.title : `${line.title} - ${line.variantTitle}`,
    vendor: line.vendor,
    isGiftCard: line.kind === 'gift-card',
    quantity: line.quantity,
    currentQuantity: () => lineAmounts(order, line).kept,
    product: () => (product ? productView(context, product) : null),
    originalUnitPriceSet: () => moneyBag(order, line.unitMinor),
    ...discountsAndTaxes(order, line),
    staffMember: () => staffView(context, line.staffId),
  };
}

function shippingView(order: OrderRow, line: ShippingRow): View {
  return {
    originalPriceSet: moneyBag(order, line.priceMinor),
    discountedPriceSet: moneyBag(order, shippingAmounts(order, line).discountedMinor),
    ...discountsAndTaxes(order, line),
  };
}

function discountsAndTaxes(
  order: OrderRow,
  { allocations, taxes }: Pick<LineRow, 'allocations' | 'taxes'>,
): View {
  return {
    discountAllocations: () =>
      allocations.map(({ minor }) => ({ allocatedAmountSet: moneyBag(order, minor) })),
    taxLines: () => taxes.map(({ minor }) => ({ priceSet: moneyBag(order, minor) })),
  };
}

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
    transactions: listOf(
      () => paid,
      (one) => transactionView(order, one),
    ),
    duties: refund.dutiesMinor > 0 ? [{ amountSet: moneyBag(order, refund.dutiesMinor) }] : [],
    refundLineItems: listOf(
      () => order.reductions.filter(({ refundId }) => refundId === refund.id),
      (one) => ({
        quantity: one.quantity,
        lineItem: () => {
          const line = order.lines.find(({ id }) => id === one.lineId);
          return line ? lineView(context, order, line) : null;
        },
        subtotalSet: moneyBag(order, one.worthMinor),
        totalTaxSet: moneyBag(order, sum(one.taxesMinor)),
      }),
    ),
    refundShippingLines: listOf(
      () => refund.shipping,
      (one) => ({
        subtotalAmountSet: moneyBag(order, one.minor),
        taxAmountSet: moneyBag(order, sum(one.taxesMinor)),
      }),
    ),
    orderAdjustments: listOf(
      () => refund.discrepancies,
      ({ minor }) => ({ amountSet: moneyBag(order, minor), taxAmountSet: moneyBag(order, 0) }),
    ),
  };
}

function transactionView(order: OrderRow, row: TransactionRow): View {
  const parent = order.transactions.find(({ id }) => id === row.parentId);
  return {
    __typename: 'OrderTransaction',
    id: gid('OrderTransaction', row.id),
    kind: row.kind.toUpperCase(),
    status: row.status.toUpperCase(),
    gateway: row.gateway,
    parentTransaction: () => (parent ? transactionView(order, parent) : null),
    processedAt: row.processedAt,
    amountSet: moneyBag(order, row.minor),
    paymentDetails: row.card && {
      __typename: 'CardPaymentDetails',
      company: row.card.company,
      paymentMethodName: row.card.methodName,
    },
  };
}
