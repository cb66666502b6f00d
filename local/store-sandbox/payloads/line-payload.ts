import { gid } from '../model/ids.ts';
import { lineAmounts } from '../model/line-amounts.ts';
import type { AllocationRow, LineRow, OrderRow, TaxRow } from '../model/order-row.ts';
import { lineFulfillmentStatus } from '../model/order-status.ts';
import type { World } from '../model/world.ts';
import { idNumber, type MoneyWriter } from './json-values.ts';

export function linePayload(world: World, order: OrderRow, line: LineRow, money: MoneyWriter) {
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
export function plainLine(
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

export function taxPayloads(taxes: readonly TaxRow[], money: MoneyWriter) {
  return taxes.map(({ title, ratePpm, minor }) => ({
    channel_liable: false,
    price: money.flat(minor),
    price_set: money.set(minor),
    rate: ratePpm / 1_000_000,
    title,
  }));
}

export function allocationPayloads(allocations: readonly AllocationRow[], money: MoneyWriter) {
  return allocations.map(({ application, minor }) => ({
    amount: money.flat(minor),
    amount_set: money.set(minor),
    discount_application_index: application,
  }));
}
