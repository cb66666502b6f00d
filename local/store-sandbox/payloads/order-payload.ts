import { gid } from '../model/ids.ts';
import { lineAmounts, shippingAmounts, sum } from '../model/line-amounts.ts';
import {
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
import { idNumber, localMoment, type MoneyWriter, moneyWriter } from './json-values.ts';

function discountApplications({ applications }: OrderRow) {
  return applications.map(({ type, name, target }) => ({
    target_type: target,
    type,
    ...(type === 'discount_code' ? { code: name } : { title: name }),
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

/** The body of every orders/* topic that contains the order, without most fields that the connector does not ask for. */
export function orderPayload(world: World, order: OrderRow) {
  const money = moneyWriter(order);
  const at = (iso: string | null) => localMoment(iso, world.shop.utcOffset);
  return {
    id: idNumber(order.id),
    admin_graphql_api_id: gid('Order', order.id),
    cancel_reason: order.cancelReason,
    cancelled_at: at(order.cancelledAt),
    closed_at: at(order.closedAt),
    contact_email: order.email,
    created_at: at(order.createdAt),
    discount_codes: discountCodes(order, money),
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
    token: order.token,
    updated_at: at(order.updatedAt),
    user_id: idNumber(order.staffId),
    ...orderMoney(order, money),
    billing_address: addressPayload(order.billingAddress),
    customer: orderCustomerPayload(world, order),
    discount_applications: discountApplications(order),
    fulfillments: order.fulfillments.map((one) => fulfillment(world, order, one, money)),
    line_items: order.lines.map((line) => linePayload(world, order, line, money)),
    refunds: order.refunds.map((refund) => refundPayload(world, order, refund)),
    shipping_address: addressPayload(order.shippingAddress),
    shipping_lines: order.shipping.map((line) => shippingLine(order, line, money)),
    returns: order.returns.map(({ id, closedAt }) => ({
      id: idNumber(id),
      admin_graphql_api_id: gid('Return', id),
      status: closedAt === null ? 'open' : 'closed',
    })),
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
    ...both('current_total_price', current.totalMinor),
    ...both('current_total_tax', current.taxMinor),
    current_shipping_price_set: money.set(current.shippingMinor),
    current_total_duties_set: hasDuties ? money.set(current.dutiesMinor) : null,
    ...both('subtotal_price', totals.subtotalMinor),
    tax_lines: taxPayloads(totals.taxes, money),
    total_outstanding: money.flat(Math.max(0, totals.outstandingMinor)),
    ...both('total_price', totals.totalMinor),
    total_shipping_price_set: money.set(totals.shippingMinor),
    ...both('total_tax', totals.taxMinor),
    total_tip_received: money.flat(totals.tipMinor),
  };
}

function shippingLine(order: OrderRow, line: OrderRow['shipping'][number], money: MoneyWriter) {
  const { discountedMinor, currentMinor } = shippingAmounts(order, line);
  return {
    id: idNumber(line.id),
    current_discounted_price_set: money.set(currentMinor),
    discounted_price: money.flat(discountedMinor),
    discounted_price_set: money.set(discountedMinor),
    is_removed: line.isRemoved ?? false,
    price: money.flat(line.priceMinor),
    price_set: money.set(line.priceMinor),
    title: line.title,
    tax_lines: taxPayloads(line.taxes, money),
    discount_allocations: allocationPayloads(line.allocations, money),
  };
}

function fulfillment(
  world: World,
  order: OrderRow,
  one: OrderRow['fulfillments'][number],
  money: MoneyWriter,
) {
  return {
    id: idNumber(one.id),
    admin_graphql_api_id: gid('Fulfillment', one.id),
    created_at: localMoment(one.createdAt, world.shop.utcOffset),
    location_id: idNumber(one.locationId),
    order_id: idNumber(order.id),
    status: one.status,
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
    // Only on tips; null if the tip was paid together with the order.
    ...(line.kind === 'tip' && { tip_payment_gateway: null }),
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
  // A deleted product leaves only its name.
  const exists = line.productId !== null && rows.products.get(line.productId) !== undefined;
  return {
    id: idNumber(line.id),
    admin_graphql_api_id: gid('LineItem', line.id),
    fulfillable_quantity: unfulfilled,
    fulfillment_status: lineFulfillmentStatus(order, line),
    gift_card: line.kind === 'gift-card',
    name,
    price: money.flat(line.unitMinor),
    price_set: money.set(line.unitMinor),
    product_id: exists ? idNumber(line.productId) : null,
    quantity: line.quantity,
    sku: line.sku ?? '',
    taxable: line.taxes.length > 0,
    title: line.title,
    variant_id: exists ? idNumber(line.variantId) : null,
    variant_title: line.variantTitle,
    vendor: line.vendor,
    tax_lines: taxPayloads(line.taxes, money),
    duties: [],
    discount_allocations: allocationPayloads(line.allocations, money),
  };
}

function taxPayloads(taxes: readonly TaxRow[], money: MoneyWriter) {
  return taxes.map(({ title, ratePpm, minor }) => ({
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
  return {
    id: idNumber(one.id),
    admin_graphql_api_id: gid('OrderTransaction', one.id),
    // The only flat amount in the customer's currency (Shopify, "Transaction").
    amount: seen.amount,
    created_at: localMoment(one.createdAt, shop.utcOffset),
    currency: seen.currency_code,
    gateway: one.gateway,
    kind: one.kind,
    location_id: idNumber(order.locationId),
    order_id: idNumber(order.id),
    processed_at: localMoment(one.processedAt, shop.utcOffset),
    source_name: order.sourceName,
    status: one.status,
    test: order.test,
    user_id: idNumber(order.staffId),
  };
}
