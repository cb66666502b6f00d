import { gid } from '../model/ids.ts';
import { lineAmounts, shippingAmounts, sum } from '../model/line-amounts.ts';
import {
  cashRounding,
  financialStatus,
  fulfillmentStatus,
  lineFulfillmentStatus,
  orderTotals,
} from '../model/order-totals.ts';
import type {
  AllocationRow,
  LineRow,
  OrderRow,
  RefundRow,
  TaxRow,
  TransactionRow,
} from '../model/rows.ts';
import type { World } from '../model/world.ts';
import { addressPayload, orderCustomerPayload } from './customer-payload.ts';
import {
  idNumber,
  localMoment,
  type MoneySet,
  type MoneyWriter,
  moneyWriter,
} from './json-values.ts';

function discountApplications(order: OrderRow, money: MoneyWriter) {
  return order.applications.map(({ type, name, value, target, selection, method }) => ({
    target_type: target,
    type,
    value: value.kind === 'percentage' ? (value.ppm / 10_000).toFixed(1) : money.flat(value.minor),
    value_type: value.kind,
    allocation_method: method,
    target_selection: selection,
    ...(type === 'discount_code' ? { code: name } : { title: name }),
    ...(type === 'manual' && { description: name }),
  }));
}

/** Codes, and the titles of manual discounts; no automatic discounts. */
function discountCodes(order: OrderRow, money: MoneyWriter) {
  return order.applications.flatMap((application, index) =>
    application.type === 'automatic'
      ? []
      : [
          {
            code: application.name,
            amount: money.flat(allocatedTo(order, index)),
            type: application.target === 'shipping_line' ? 'shipping' : application.value.kind,
          },
        ],
  );
}

function allocatedTo(order: OrderRow, index: number): number {
  return sum(
    [...order.lines, ...order.shipping]
      .flatMap(({ allocations }) => allocations)
      .filter(({ application }) => application === index)
      .map(({ minor }) => minor),
  );
}

/** The body of every orders/* topic that contains the order. */
export function orderPayload(world: World, order: OrderRow) {
  const money = moneyWriter(order);
  const at = (iso: string | null) => localMoment(iso, world.shop.utcOffset);
  return {
    id: idNumber(order.id),
    admin_graphql_api_id: gid('Order', order.id),
    app_id: 580111,
    browser_ip: null,
    buyer_accepts_marketing: false,
    cancel_reason: order.cancelReason,
    cancelled_at: at(order.cancelledAt),
    cart_token: null,
    checkout_token: null,
    client_details: null,
    closed_at: at(order.closedAt),
    confirmation_number: order.token.slice(0, 9).toUpperCase(),
    confirmed: true,
    contact_email: order.email,
    created_at: at(order.createdAt),
    customer_locale: 'en',
    device_id: null,
    discount_codes: discountCodes(order, money),
    duties_included: false,
    email: order.email ?? '',
    estimated_taxes: false,
    financial_status: financialStatus(order),
    fulfillment_status: fulfillmentStatus(order),
    landing_site: null,
    landing_site_ref: null,
    location_id: idNumber(order.locationId),
    merchant_business_entity_id: 'MTAwMDAwMDAw',
    merchant_of_record_app_id: null,
    name: `#${order.number}`,
    note: order.note,
    note_attributes: order.noteAttributes,
    number: order.number - 1_000,
    order_number: order.number,
    order_status_url: `https://${world.shop.domain}/${world.shop.id}/orders/${order.token}/authenticate?key=sandbox`,
    payment_gateway_names: order.gateways,
    phone: order.phone,
    po_number: null,
    processed_at: at(order.processedAt),
    reference: null,
    referring_site: null,
    source_identifier: null,
    source_name: order.sourceName,
    source_url: null,
    tags: order.tags.join(', '),
    tax_exempt: false,
    taxes_included: order.taxesIncluded,
    test: order.test,
    token: order.token,
    updated_at: at(order.updatedAt),
    user_id: idNumber(order.staffId),
    ...orderMoney(order, money),
    billing_address: addressPayload(order.billingAddress),
    customer: orderCustomerPayload(world, order),
    discount_applications: discountApplications(order, money),
    fulfillments: order.fulfillments.map((one, i) => fulfillment(world, order, one, i, money)),
    line_items: order.lines.map((line) => linePayload(world, order, line, money)),
    payment_terms: null,
    refunds: order.refunds.map((refund) => refundPayload(world, order, refund)),
    shipping_address: addressPayload(order.shippingAddress),
    shipping_lines: order.shipping.map((line) => shippingLine(order, line, money)),
    returns: order.returns.map(({ id, closedAt }) => ({
      id: idNumber(id),
      admin_graphql_api_id: gid('Return', id),
      status: closedAt === null ? 'open' : 'closed',
    })),
    line_item_groups: [],
  };
}

function orderMoney(order: OrderRow, money: MoneyWriter) {
  const totals = orderTotals(order);
  const { current } = totals;
  const both = <Name extends string>(name: Name, minor: number) =>
    ({ [name]: money.flat(minor), [`${name}_set`]: money.set(minor) }) as Record<
      Name | `${Name}_set`,
      unknown
    >;
  const hasDuties = order.dutiesMinor > 0;
  const hasFees = totals.additionalFeesMinor > 0;
  const rounding = cashRounding(order);
  return {
    currency: order.currency,
    presentment_currency: order.presentment?.currency ?? order.currency,
    ...both('current_subtotal_price', current.subtotalMinor),
    ...both('current_total_discounts', current.discountsMinor),
    ...both('current_total_price', current.totalMinor),
    ...both('current_total_tax', current.taxMinor),
    current_shipping_price_set: money.set(current.shippingMinor),
    current_total_additional_fees_set: hasFees ? money.set(current.additionalFeesMinor) : null,
    current_total_duties_set: hasDuties ? money.set(current.dutiesMinor) : null,
    original_total_additional_fees_set: hasFees ? money.set(totals.additionalFeesMinor) : null,
    original_total_duties_set: hasDuties ? money.set(order.dutiesMinor) : null,
    ...both('subtotal_price', totals.subtotalMinor),
    tax_lines: taxPayloads(totals.taxes, money),
    total_cash_rounding_payment_adjustment_set: money.set(rounding.paymentMinor),
    total_cash_rounding_refund_adjustment_set: money.set(rounding.refundMinor),
    ...both('total_discounts', totals.discountsMinor),
    ...both('total_line_items_price', totals.linesMinor),
    total_outstanding: money.flat(Math.max(0, totals.outstandingMinor)),
    ...both('total_price', totals.totalMinor),
    total_shipping_price_set: money.set(totals.shippingMinor),
    ...both('total_tax', totals.taxMinor),
    total_tip_received: money.flat(totals.tipMinor),
    total_weight: order.lines.reduce((grams, { quantity }) => grams + 200 * quantity, 0),
  };
}

function shippingLine(order: OrderRow, line: OrderRow['shipping'][number], money: MoneyWriter) {
  const { discountedMinor, currentMinor } = shippingAmounts(order, line);
  return {
    id: idNumber(line.id),
    carrier_identifier: null,
    code: line.title,
    current_discounted_price_set: money.set(currentMinor),
    discounted_price: money.flat(discountedMinor),
    discounted_price_set: money.set(discountedMinor),
    is_removed: line.isRemoved ?? false,
    phone: null,
    price: money.flat(line.priceMinor),
    price_set: money.set(line.priceMinor),
    requested_fulfillment_service_id: null,
    source: 'shopify',
    title: line.title,
    tax_lines: taxPayloads(line.taxes, money),
    discount_allocations: allocationPayloads(line.allocations, money),
  };
}

function fulfillment(
  world: World,
  order: OrderRow,
  one: OrderRow['fulfillments'][number],
  index: number,
  money: MoneyWriter,
) {
  return {
    id: idNumber(one.id),
    admin_graphql_api_id: gid('Fulfillment', one.id),
    created_at: localMoment(one.createdAt, world.shop.utcOffset),
    location_id: idNumber(one.locationId),
    name: `#${order.number}.${index + 1}`,
    order_id: idNumber(order.id),
    origin_address: {},
    receipt: {},
    service: 'manual',
    shipment_status: null,
    status: one.status,
    tracking_company: one.trackingNumber === null ? null : 'Example Post',
    tracking_number: one.trackingNumber,
    tracking_numbers: one.trackingNumber === null ? [] : [one.trackingNumber],
    tracking_url: null,
    tracking_urls: [],
    updated_at: localMoment(one.updatedAt, world.shop.utcOffset),
    line_items: one.lines.flatMap(({ lineId, quantity }) => {
      const line = order.lines.find(({ id }) => id === lineId);
      return line ? [{ ...plainLine(world, order, line, money), quantity }] : [];
    }),
  };
}

function linePayload(world: World, order: OrderRow, line: LineRow, money: MoneyWriter) {
  return {
    ...plainLine(world, order, line, money),
    attributed_staffs:
      line.staffId === null
        ? []
        : [{ id: gid('StaffMember', line.staffId), quantity: line.quantity }],
    current_quantity: lineAmounts(order, line).kept,
    sales_line_item_group_id: null,
    // Only on tips; null if the tip was paid together with the order.
    ...(line.kind === 'tip' && { tip_payment_gateway: null, tip_payment_method: null }),
  };
}

/** The line in a fulfilment or a refund, which lacks some fields. */
function plainLine(
  { rows }: Pick<World, 'rows'>,
  order: OrderRow,
  line: LineRow,
  money: MoneyWriter,
) {
  const name = line.variantTitle === null ? line.title : `${line.title} - ${line.variantTitle}`;
  const { unfulfilled } = lineAmounts(order, line);
  const shippable = line.kind === 'product' || line.kind === 'custom';
  // A deleted product leaves only its name.
  const exists = line.productId !== null && rows.products.get(line.productId) !== undefined;
  return {
    id: idNumber(line.id),
    admin_graphql_api_id: gid('LineItem', line.id),
    fulfillable_quantity: unfulfilled,
    fulfillment_service: 'manual',
    fulfillment_status: lineFulfillmentStatus(order, line),
    gift_card: line.kind === 'gift-card',
    grams: shippable ? 200 : 0,
    name,
    price: money.flat(line.unitMinor),
    price_set: money.set(line.unitMinor),
    product_exists: exists,
    product_id: exists ? idNumber(line.productId) : null,
    properties: [],
    quantity: line.quantity,
    requires_shipping: shippable,
    sku: line.sku ?? '',
    taxable: line.taxes.length > 0,
    title: line.title,
    // As in real payloads, even if allocations exist.
    total_discount: money.flat(0),
    total_discount_set: money.set(0),
    variant_id: exists ? idNumber(line.variantId) : null,
    variant_inventory_management: line.variantId === null ? null : 'shopify',
    variant_title: line.variantTitle,
    vendor: line.vendor,
    tax_lines: taxPayloads(line.taxes, money),
    duties: [],
    discount_allocations: allocationPayloads(line.allocations, money),
  };
}

function taxPayloads(taxes: readonly TaxRow[], money: MoneyWriter) {
  return taxes.map(({ title, ratePpm, minor }) => ({
    channel_liable: false,
    price: money.flat(minor),
    price_set: money.set(minor),
    rate: ratePpm / 1_000_000,
    title,
  }));
}

function allocationPayloads(allocations: readonly AllocationRow[], money: MoneyWriter) {
  return allocations.map(({ application, minor }) => ({
    amount: money.flat(minor),
    amount_set: money.set(minor),
    discount_application_index: application,
  }));
}

/** The body of refunds/create, and an entry of an order's `refunds`. */
export function refundPayload(world: World, order: OrderRow, refund: RefundRow) {
  const money = moneyWriter(order);
  const at = localMoment(refund.createdAt, world.shop.utcOffset);
  const reductions = order.reductions.filter(({ refundId }) => refundId === refund.id);
  return {
    id: idNumber(refund.id),
    admin_graphql_api_id: gid('Refund', refund.id),
    created_at: at,
    note: refund.note,
    order_id: idNumber(order.id),
    processed_at: at,
    restock: reductions.some(({ restock }) => restock !== 'no_restock'),
    total_duties_set: money.set(refund.dutiesMinor),
    user_id: idNumber(refund.staffId ?? world.shop.id),
    order_adjustments: adjustments(order, refund, money),
    transactions: order.transactions
      .filter(({ id }) => refund.transactionIds.includes(id))
      .map((one) => transactionPayload(world, order, one)),
    refund_line_items: reductions.flatMap((one) => {
      const line = order.lines.find(({ id }) => id === one.lineId);
      if (!line) return [];
      const taxMinor = sum(one.taxesMinor);
      return [
        {
          id: idNumber(one.id),
          line_item_id: idNumber(one.lineId),
          location_id: idNumber(one.locationId),
          quantity: one.quantity,
          restock_type: one.restock,
          subtotal: money.number(one.worthMinor),
          subtotal_set: money.set(one.worthMinor),
          total_tax: money.number(taxMinor),
          total_tax_set: money.set(taxMinor),
          line_item: plainLine(world, order, line, money),
        },
      ];
    }),
    refund_shipping_lines: refund.shipping.map((one) => ({
      id: idNumber(one.id),
      shipping_line: { id: idNumber(one.shippingId) },
      subtotal_amount_set: money.set(one.minor),
      tax_amount_set: money.set(sum(one.taxesMinor)),
    })),
    duties: [],
    return:
      refund.returnId === null
        ? null
        : {
            id: idNumber(refund.returnId),
            admin_graphql_api_id: gid('Return', refund.returnId),
          },
  };
}

/** Contains refunds of shipping, too: adding up both lists counts them twice. */
function adjustments(order: OrderRow, refund: RefundRow, money: MoneyWriter) {
  const adjustment = (
    id: string,
    kind: string,
    reason: string,
    minor: number,
    taxMinor: number,
  ) => ({
    id: idNumber(id),
    order_id: idNumber(order.id),
    refund_id: idNumber(refund.id),
    amount: money.flat(minor),
    amount_set: money.set(minor),
    tax_amount: money.flat(taxMinor),
    tax_amount_set: money.set(taxMinor),
    kind,
    reason,
  });
  return [
    ...refund.shipping.map(({ adjustmentId, minor, taxesMinor }) =>
      adjustment(adjustmentId, 'shipping_refund', 'Shipping refund', -minor, -sum(taxesMinor)),
    ),
    ...refund.discrepancies.map(({ id, minor, reason }) =>
      adjustment(id, 'refund_discrepancy', reason, minor, 0),
    ),
  ];
}

function transactionPayload({ shop }: World, order: OrderRow, one: TransactionRow) {
  const money = moneyWriter(order);
  const seen = money.set(one.minor).presentment_money;
  const unsettled = one.status === 'pending' ? one.minor : 0;
  return {
    id: idNumber(one.id),
    admin_graphql_api_id: gid('OrderTransaction', one.id),
    // The only flat amount in the customer's currency (Shopify, "Transaction").
    amount: seen.amount,
    amount_rounding:
      one.roundingMinor === undefined
        ? null
        : money.set(one.roundingMinor).presentment_money.amount,
    authorization: null,
    created_at: localMoment(one.createdAt, shop.utcOffset),
    currency: seen.currency_code,
    device_id: null,
    error_code: null,
    gateway: one.gateway,
    kind: one.kind,
    location_id: idNumber(order.locationId),
    manual_payment_gateway: one.gateway === 'manual',
    message: messages[one.status],
    order_id: idNumber(order.id),
    parent_id: idNumber(one.parentId),
    payment_id: `#${order.number}.${one.id.slice(-3)}`,
    processed_at: localMoment(one.processedAt, shop.utcOffset),
    receipt: {},
    source_name: order.sourceName,
    status: one.status,
    test: order.test,
    total_unsettled_set: withCurrency(money.set(unsettled)),
    user_id: idNumber(order.staffId),
  };
}

const messages = {
  success: 'Transaction approved',
  pending: 'Transaction pending',
  failure: 'Transaction failed',
} as const satisfies Record<TransactionRow['status'], string>;

/** The only set whose key is `currency`, as in recorded deliveries. */
function withCurrency({ shop_money, presentment_money }: MoneySet) {
  const rename = ({ amount, currency_code }: MoneySet['shop_money']) => ({
    amount,
    currency: currency_code,
  });
  return { presentment_money: rename(presentment_money), shop_money: rename(shop_money) };
}
