import { readAmount, sum, ZERO } from '../../store/money.ts';
import { LOCALIZED_FIELDS, type StoreOrder } from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import type { OrderPayload } from '../webhooks/order-amounts.ts';
import { latest } from '../webhooks/read-event.ts';
import type { DataOf } from './client/admin-client.ts';
import type { orderDocument, refundDocument } from './documents.gen.ts';

export type OrderNode = NonNullable<DataOf<typeof orderDocument>['order']>;
type OrderLineNode = OrderNode['lineItems']['nodes'][number];
type ShippingNode = OrderNode['shippingLines']['nodes'][number];
export type CustomerNode = NonNullable<OrderNode['customer']>;
export type RefundNode = NonNullable<DataOf<typeof refundDocument>['refund']>;
export type RefundLineNode = RefundNode['refundLineItems']['nodes'][number];

/** An order with all pages of its lists. */
export interface WholeOrder {
  readonly node: OrderNode;
  /** By the id of the refund, with all their lines; empty where nothing of the order is kept. */
  readonly refunds: ReadonlyMap<string, RefundNode>;
  /** Global ids of the lines that are tips. */
  readonly tipLines: ReadonlySet<string>;
}

/** A rule about a field that only webhooks state would not apply to what is read. Place and staff are asked apart. */
type AllFields = Readonly<
  Record<Exclude<keyof OrderPayload, 'id' | 'location_id' | 'user_id'>, unknown>
>;

/**
 * An order of the Admin API in the shape of a webhook's body, so that one reader reads both and they
 * cannot differ in money, dates or customers.
 */
export function orderAsPayload({ node, refunds, tipLines }: WholeOrder): AllFields {
  // Each refund says what was received: only then it matters.
  const [refund] = refunds.values();
  return {
    admin_graphql_api_id: node.id,
    name: node.name,
    created_at: node.createdAt,
    processed_at: node.processedAt,
    updated_at: node.updatedAt,
    cancelled_at: node.cancelledAt,
    closed_at: node.closedAt,
    test: node.test,
    source_name: node.sourceName,
    currency: node.currencyCode,
    taxes_included: node.taxesIncluded,
    financial_status: node.displayFinancialStatus?.toLowerCase(),
    fulfillment_status: fulfillmentStatus(node),
    fulfillments: node.fulfillments.map(({ status, createdAt }) => ({
      status: status.toLowerCase(),
      created_at: createdAt,
    })),
    line_items: node.lineItems.nodes.map((line) => linePayload(line, tipLines.has(line.id))),
    shipping_lines: node.shippingLines.nodes.map((line) => ({
      price: amountOf(line.originalPriceSet),
      discounted_price: amountOf(line.discountedPriceSet),
      ...discountsAndTaxes(line),
    })),
    refunds: node.refunds.map(({ id, createdAt, processedAt }) => ({
      created_at: createdAt,
      processed_at: processedAt,
      ...refundPayload(refunds.get(id)),
    })),
    current_subtotal_price: amountOf(node.currentSubtotalPriceSet),
    current_total_price: amountOf(node.currentTotalPriceSet),
    current_shipping_price_set: moneySet(node.currentShippingPriceSet),
    total_outstanding: amountOf(node.totalOutstandingSet),
    total_received: refund && amountOf(refund.order.totalReceivedSet),
    discount_applications: node.discountApplications.nodes
      .toSorted((one, other) => one.index - other.index)
      .map(discountPayload),
    payment_gateway_names: node.paymentGatewayNames,
    note_attributes: node.customAttributes.map(({ key, value }) => ({ name: key, value })),
    email: node.email,
    phone: node.phone,
    customer: node.customer && customerPayload(node.customer),
  };
}

type Money = ShippingNode['originalPriceSet'];

function amountOf({ shopMoney }: Money): string {
  return shopMoney.amount;
}

function moneySet({ shopMoney }: Money) {
  return { shop_money: shopMoney };
}

function linePayload(line: OrderLineNode, tip: boolean) {
  return {
    id: idFromGid(line.id, 'LineItem'),
    product_id: idFromGid(line.product?.id, 'Product'),
    title: line.title,
    name: line.name,
    vendor: line.vendor,
    gift_card: line.isGiftCard,
    quantity: line.quantity,
    current_quantity: line.currentQuantity,
    price: amountOf(line.originalUnitPriceSet),
    ...discountsAndTaxes(line),
    ...(tip && { tip_payment_gateway: null }),
  };
}

function discountsAndTaxes(line: Pick<ShippingNode, 'discountAllocations' | 'taxLines'>) {
  return {
    discount_allocations: line.discountAllocations.map((one) => ({
      amount: amountOf(one.allocatedAmountSet),
    })),
    tax_lines: line.taxLines.map((one) => ({ price: amountOf(one.priceSet) })),
  };
}

/** Nothing of a refund that was not read. */
function refundPayload(node: RefundNode | undefined) {
  if (!node) return {};
  const duties = node.duties ?? [];
  return {
    refund_line_items: node.refundLineItems.nodes.map((line) => ({
      line_item_id: idFromGid(line.lineItem.id, 'LineItem'),
      quantity: line.quantity,
      subtotal_set: moneySet(line.subtotalSet),
      total_tax_set: moneySet(line.totalTaxSet),
    })),
    refund_shipping_lines: node.refundShippingLines.nodes.map((line) => ({
      subtotal_amount_set: moneySet(line.subtotalAmountSet),
      tax_amount_set: moneySet(line.taxAmountSet),
    })),
    // The Admin API lists refunded shipping separately.
    order_adjustments: node.orderAdjustments.nodes.map(({ amountSet, taxAmountSet }) => ({
      kind: 'refund_discrepancy',
      amount: amountOf(amountSet),
      tax_amount: amountOf(taxAmountSet),
    })),
    total_duties_set: {
      shop_money: { amount: sum(duties.map((one) => readAmount(amountOf(one.amountSet)) ?? ZERO)) },
    },
    transactions: node.transactions.nodes.map(({ kind, status, amountSet }) => ({
      kind: kind.toLowerCase(),
      status: status.toLowerCase(),
      amount: amountOf(amountSet),
    })),
  };
}

function discountPayload(discount: OrderNode['discountApplications']['nodes'][number]) {
  return discount.__typename === 'DiscountCodeApplication'
    ? { type: 'discount_code', code: discount.code }
    : { type: discount.__typename === 'ManualDiscountApplication' ? 'manual' : 'other' };
}

export function customerPayload(customer: Omit<CustomerNode, 'metafields'>) {
  return {
    admin_graphql_api_id: customer.id,
    first_name: customer.firstName,
    last_name: customer.lastName,
    email: customer.defaultEmailAddress?.emailAddress,
    phone: customer.defaultPhoneNumber?.phoneNumber,
    created_at: customer.createdAt,
    default_address: customer.defaultAddress,
  };
}

/**
 * As a webhook writes it: `fulfilled`, `partial`, `restocked` or nothing. The Admin API has only the
 * status that merchants see, where "on hold" hides that a part was sent; the fulfillments show it.
 */
function fulfillmentStatus(node: OrderNode): string | undefined {
  switch (node.displayFulfillmentStatus) {
    case 'FULFILLED':
      return 'fulfilled';
    case 'PARTIALLY_FULFILLED':
      return 'partial';
    case 'RESTOCKED':
      return 'restocked';
    case 'UNFULFILLED':
    case 'OPEN':
    case 'FULFILLMENT_NOT_REQUIRED':
      return undefined;
    case 'IN_PROGRESS':
    case 'ON_HOLD':
    case 'PENDING_FULFILLMENT':
    case 'REQUEST_DECLINED':
    case 'SCHEDULED':
      return node.fulfillments.some(({ status }) => status === 'SUCCESS') ? 'partial' : undefined;
  }
}

/** What is read of an order beyond its webhook. Each option costs an access scope, query points or both. */
export interface Enrichment {
  /** Brand and type of the card, from the order's transactions. */
  readonly card?: boolean | undefined;
  /** When the order was paid, from the same. */
  readonly paymentDates?: boolean | undefined;
  /** Whether a chargeback was lost. */
  readonly disputes?: boolean | undefined;
  /** What a payment with store credit was made of. Needs the scopes of store credit accounts and their transactions. */
  readonly storeCredit?: boolean | undefined;
  /** Name of the retail location. Needs `read_locations`. */
  readonly locationNames?: boolean | undefined;
  /** Name of the staff member. Needs `read_users`, which Shopify grants only to some plans. */
  readonly staffNames?: boolean | undefined;
  /** What a country requires at checkout, such as a Brazilian tax id. */
  readonly localizedFields?: boolean | undefined;
  readonly metafields?: readonly MetafieldName[] | undefined;
}

export interface MetafieldName {
  readonly owner: 'order' | 'customer';
  readonly namespace: string;
  readonly key: string;
}

/** The page size in the document. */
const MAX_METAFIELDS = 10;

export function extrasVariables(enrichment: Enrichment) {
  const orderMetafields = metafieldKeys(enrichment, 'order');
  const customerMetafields = metafieldKeys(enrichment, 'customer');
  return {
    withCard: enrichment.card ?? false,
    withPayments: enrichment.card === true || enrichment.paymentDates === true,
    withDisputes: enrichment.disputes ?? false,
    withLocation: enrichment.locationNames ?? false,
    withStaff: enrichment.staffNames ?? false,
    withLocalizedFields: enrichment.localizedFields ?? false,
    withOrderMetafields: orderMetafields.length > 0,
    orderMetafields,
    withCustomerMetafields: customerMetafields.length > 0,
    customerMetafields,
  };
}

/** `namespace.key` of each metafield of one owner. */
export function metafieldKeys(
  { metafields = [] }: Enrichment,
  owner: MetafieldName['owner'],
): string[] {
  const keys = metafields
    .filter((name) => name.owner === owner && name.namespace !== LOCALIZED_FIELDS)
    .map(({ namespace, key }) => `${namespace}.${key}`);
  const distinct = [...new Set(keys)];
  if (distinct.length <= MAX_METAFIELDS) return distinct;
  throw new Error(`at most ${MAX_METAFIELDS} metafields of an ${owner} can be read`);
}

/** What no webhook contains, where it was asked for. */
export function orderDetails(node: OrderNode) {
  const { retailLocation } = node;
  const staff = [node, ...node.lineItems.nodes].map((one) => one.staffMember).find(Boolean);
  const staffId = idFromGid(staff?.id, 'StaffMember');
  return {
    card: cardOf(node),
    paidAt: paidAtOf(node.transactions ?? []),
    lostDispute: node.disputes?.some(({ status }) => LOST.has(status)),
    location: retailLocation
      ? { id: retailLocation.legacyResourceId, name: retailLocation.name }
      : undefined,
    staff: staff && staffId !== undefined ? { id: staffId, name: staff.name } : undefined,
    metafields: metafieldsOf(node),
  };
}

const PAYMENTS: ReadonlySet<string> = new Set([
  'AUTHORIZATION',
  'CAPTURE',
  'EMV_AUTHORIZATION',
  'SALE',
]);

/** The first card payment that succeeded. A pending one can still fail. */
function cardOf({ transactions = [] }: OrderNode): StoreOrder['card'] {
  const card = transactions.find(
    ({ kind, status, paymentDetails }) =>
      paymentDetails?.company?.trim() && status === 'SUCCESS' && PAYMENTS.has(kind),
  );
  const brand = card?.paymentDetails?.company?.trim();
  if (!brand) return undefined;
  // The method's name is often the brand again.
  const method = card?.paymentDetails?.paymentMethodName?.trim();
  const repeats = !method || method.toLowerCase() === brand.toLowerCase();
  return { brand, type: repeats ? undefined : method };
}

/** An inquiry moves no money and ends otherwise: one that is lost became a chargeback, which its beginning does not say. */
const LOST: ReadonlySet<string> = new Set(['LOST', 'ACCEPTED']);

type Paid = Pick<NonNullable<OrderNode['transactions']>[number], 'kind' | 'status' | 'processedAt'>;

export function paidAtOf(transactions: readonly Paid[]): string | undefined {
  const dates = transactions
    .filter(({ kind, status }) => status === 'SUCCESS' && (kind === 'SALE' || kind === 'CAPTURE'))
    .flatMap(({ processedAt }) => (processedAt ? [new Date(processedAt).toISOString()] : []));
  return latest(dates);
}

function metafieldsOf({ metafields, customer, localizedFields }: OrderNode) {
  const localized = localizedFields?.nodes.map((one) => ({ ...one, namespace: LOCALIZED_FIELDS }));
  const all = [
    ...(metafields?.nodes ?? []).map((one) => ({ owner: 'order', ...one }) as const),
    ...(customer?.metafields?.nodes ?? []).map((one) => ({ owner: 'customer', ...one }) as const),
    ...(localized ?? []).map((one) => ({ owner: 'order', ...one }) as const),
  ];
  return all.flatMap(({ owner, namespace, key, value }) =>
    [namespace, key, value].every((one) => typeof one === 'string')
      ? [{ owner, namespace, key, value }]
      : [],
  );
}
