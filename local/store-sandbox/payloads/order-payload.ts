import { gid } from '../model/ids.ts';
import { shippingAmounts, sum } from '../model/line-amounts.ts';
import type { ApplicationRow, OrderRow } from '../model/order-row.ts';
import { financialStatus, fulfillmentStatus } from '../model/order-status.ts';
import { orderTotals } from '../model/order-totals.ts';
import type { World } from '../model/world.ts';
import { addressPayload, orderCustomerPayload } from './customer-payload.ts';
import { idNumber, localMoment, type MoneyWriter, moneyWriter } from './json-values.ts';
import { allocationPayloads, linePayload, plainLine, taxPayloads } from './line-payload.ts';
import { refundPayload } from './refund-payload.ts';

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
            type: codeType(application),
          },
        ],
  );
}

function codeType({ target, value }: ApplicationRow): string {
  return target === 'shipping_line' ? 'shipping' : value.kind;
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
  return {
    currency: order.currency,
    presentment_currency: order.presentment?.currency ?? order.currency,
    ...both('current_subtotal_price', current.subtotalMinor),
    ...both('current_total_discounts', current.discountsMinor),
    ...both('current_total_price', current.totalMinor),
    ...both('current_total_tax', current.taxMinor),
    current_shipping_price_set: money.set(current.shippingMinor),
    current_total_additional_fees_set: null,
    current_total_duties_set: hasDuties ? money.set(current.dutiesMinor) : null,
    original_total_additional_fees_set: null,
    original_total_duties_set: hasDuties ? money.set(order.dutiesMinor) : null,
    ...both('subtotal_price', totals.subtotalMinor),
    tax_lines: taxPayloads(totals.taxes, money),
    total_cash_rounding_payment_adjustment_set: money.set(0),
    total_cash_rounding_refund_adjustment_set: money.set(0),
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
    is_removed: false,
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
