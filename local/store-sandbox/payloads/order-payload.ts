import { gid } from '../model/ids.ts';
import { lineAmounts, shippingAmounts, sum } from '../model/line-amounts.ts';
import { financialStatus, fulfillmentStatus, orderTotals } from '../model/order-totals.ts';
import type { LineRow, OrderRow, RefundRow, TransactionRow } from '../model/rows.ts';
import type { World } from '../model/world.ts';
import { addressPayload, orderCustomerPayload } from './customer-payload.ts';
import { idNumber, localMoment, type MoneyWriter, moneyWriter } from './json-values.ts';

/** The body of every orders/* topic that contains the order, without most fields that the connector does not ask for. */
export function orderPayload(world: World, order: OrderRow) {
  const money = moneyWriter(order);
  const at = (iso: string | null) => localMoment(iso, world.shop.utcOffset);
  return {
    id: idNumber(order.id),
    admin_graphql_api_id: gid('Order', order.id),
    cancelled_at: at(order.cancelledAt),
    closed_at: at(order.closedAt),
    contact_email: order.email,
    created_at: at(order.createdAt),
    email: order.email ?? '',
    financial_status: financialStatus(order),
    fulfillment_status: fulfillmentStatus(order),
    location_id: idNumber(order.locationId),
    name: `#${order.number}`,
    note: order.note,
    note_attributes: order.noteAttributes,
    payment_gateway_names: order.gateways,
    phone: order.phone,
    processed_at: at(order.processedAt),
    source_name: order.sourceName,
    tags: order.tags.join(', '),
    taxes_included: order.taxesIncluded,
    test: order.test,
    updated_at: at(order.updatedAt),
    user_id: idNumber(order.staffId),
    ...orderMoney(order, money),
    billing_address: addressPayload(order.billingAddress),
    customer: orderCustomerPayload(world, order),
    discount_applications: order.applications.map(({ type, name }) => ({
      type,
      ...(type === 'discount_code' ? { code: name } : { title: name }),
    })),
    fulfillments: order.fulfillments.map(({ createdAt }) => ({
      status: 'success',
      created_at: at(createdAt),
    })),
    line_items: order.lines.map((line) => linePayload(world, order, line, money)),
    refunds: order.refunds.map((refund) => refundPayload(world, order, refund)),
    shipping_address: addressPayload(order.shippingAddress),
    shipping_lines: order.shipping.map((line) => shippingLine(order, line, money)),
  };
}

function orderMoney(order: OrderRow, money: MoneyWriter) {
  const { current, outstandingMinor, totalMinor } = orderTotals(order);
  return {
    currency: order.currency,
    presentment_currency: order.presentment?.currency ?? order.currency,
    current_subtotal_price: money.flat(current.subtotalMinor),
    current_total_price: money.flat(current.totalMinor),
    current_shipping_price_set: money.set(current.shippingMinor),
    total_outstanding: money.flat(Math.max(0, outstandingMinor)),
    total_price: money.flat(totalMinor),
    total_price_set: money.set(totalMinor),
  };
}

function shippingLine(order: OrderRow, line: OrderRow['shipping'][number], money: MoneyWriter) {
  return {
    id: idNumber(line.id),
    discounted_price: money.flat(shippingAmounts(order, line).discountedMinor),
    is_removed: line.isRemoved ?? false,
    price: money.flat(line.priceMinor),
    title: line.title,
    ...discountsAndTaxes(line, money),
  };
}

function linePayload({ rows }: World, order: OrderRow, line: LineRow, money: MoneyWriter) {
  // A deleted product leaves only its name.
  const exists = line.productId !== null && rows.products.get(line.productId) !== undefined;
  return {
    id: idNumber(line.id),
    attributed_staffs:
      line.staffId === null
        ? []
        : [{ id: gid('StaffMember', line.staffId), quantity: line.quantity }],
    current_quantity: lineAmounts(order, line).kept,
    gift_card: line.kind === 'gift-card',
    name: line.variantTitle === null ? line.title : `${line.title} - ${line.variantTitle}`,
    price: money.flat(line.unitMinor),
    product_id: exists ? idNumber(line.productId) : null,
    quantity: line.quantity,
    title: line.title,
    variant_id: exists ? idNumber(line.variantId) : null,
    vendor: line.vendor,
    ...discountsAndTaxes(line, money),
    // Only on tips; null if the tip was paid together with the order.
    ...(line.kind === 'tip' && { tip_payment_gateway: null }),
  };
}

const discountsAndTaxes = (
  { taxes, allocations }: Pick<LineRow, 'taxes' | 'allocations'>,
  money: MoneyWriter,
) => ({
  tax_lines: taxes.map(({ title, minor }) => ({ price: money.flat(minor), title })),
  discount_allocations: allocations.map(({ minor }) => ({ amount: money.flat(minor) })),
});

/** The body of refunds/create, and an entry of an order's `refunds`. */
export function refundPayload(world: World, order: OrderRow, refund: RefundRow) {
  const money = moneyWriter(order);
  const at = localMoment(refund.createdAt, world.shop.utcOffset);
  const reductions = order.reductions.filter(({ refundId }) => refundId === refund.id);
  return {
    id: idNumber(refund.id),
    created_at: at,
    order_id: idNumber(order.id),
    processed_at: at,
    total_duties_set: money.set(refund.dutiesMinor),
    order_adjustments: adjustments(refund, money),
    transactions: order.transactions
      .filter(({ id }) => refund.transactionIds.includes(id))
      .map((one) => transactionPayload(world, one, money)),
    refund_line_items: reductions.map((one) => ({
      line_item_id: idNumber(one.lineId),
      quantity: one.quantity,
      subtotal: money.number(one.worthMinor),
      subtotal_set: money.set(one.worthMinor),
      total_tax: money.number(sum(one.taxesMinor)),
      total_tax_set: money.set(sum(one.taxesMinor)),
    })),
    refund_shipping_lines: refund.shipping.map((one) => ({
      subtotal_amount_set: money.set(one.minor),
      tax_amount_set: money.set(sum(one.taxesMinor)),
    })),
  };
}

/** Contains refunds of shipping, too: adding up both lists counts them twice. */
function adjustments(refund: RefundRow, money: MoneyWriter) {
  const adjustment = (kind: string, reason: string, minor: number, taxMinor: number) => ({
    amount: money.flat(minor),
    amount_set: money.set(minor),
    tax_amount: money.flat(taxMinor),
    kind,
    reason,
  });
  return [
    ...refund.shipping.map(({ minor, taxesMinor }) =>
      adjustment('shipping_refund', 'Shipping refund', -minor, -sum(taxesMinor)),
    ),
    ...refund.discrepancies.map(({ minor, reason }) =>
      adjustment('refund_discrepancy', reason, minor, 0),
    ),
  ];
}

function transactionPayload({ shop }: World, one: TransactionRow, money: MoneyWriter) {
  const seen = money.set(one.minor).presentment_money;
  return {
    // The only flat amount in the customer's currency (Shopify, "Transaction").
    amount: seen.amount,
    currency: seen.currency_code,
    gateway: one.gateway,
    kind: one.kind,
    processed_at: localMoment(one.processedAt, shop.utcOffset),
    status: one.status,
  };
}
