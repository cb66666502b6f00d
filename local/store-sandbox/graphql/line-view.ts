import { gid } from '../model/ids.ts';
import { discountOf, lineAmounts, shippingAmounts, sum } from '../model/line-amounts.ts';
import type { FulfillmentRow, LineRow, OrderRow, ShippingRow } from '../model/order-row.ts';
import { connect, type PageArguments } from './connection.ts';
import { allocationView, taxView } from './discount-application-view.ts';
import type { GraphContext, View } from './graph-context.ts';
import { moneyBag } from './money-view.ts';
import { productView, variantView } from './product-view.ts';
import { locationView, staffView } from './shop-view.ts';

export function lineView(context: GraphContext, order: OrderRow, line: LineRow): View {
  const { rows } = context.world;
  const product = line.productId === null ? undefined : rows.products.get(line.productId);
  const variant = product?.variants.find(({ id }) => id === line.variantId);
  const gross = line.unitMinor * line.quantity;
  const net = gross - discountOf(line);
  return {
    __typename: 'LineItem',
    id: gid('LineItem', line.id),
    title: line.title,
    variantTitle: line.variantTitle,
    name: line.variantTitle === null ? line.title : `${line.title} - ${line.variantTitle}`,
    sku: line.sku,
    vendor: line.vendor,
    isGiftCard: line.kind === 'gift-card',
    quantity: line.quantity,
    currentQuantity: () => lineAmounts(order, line).kept,
    refundableQuantity: () => lineAmounts(order, line).kept,
    unfulfilledQuantity: () => lineAmounts(order, line).unfulfilled,
    requiresShipping: line.kind === 'product' || line.kind === 'custom',
    taxable: line.taxes.length > 0,
    customAttributes: [],
    product: () => (product ? productView(context, product) : null),
    variant: () => (product && variant ? variantView(context, product, variant) : null),
    originalUnitPriceSet: () => moneyBag(order, line.unitMinor),
    originalTotalSet: () => moneyBag(order, gross),
    // Without discounts on the whole order, such as codes.
    discountedTotalSet: ({ withCodeDiscounts }: { withCodeDiscounts?: boolean }) =>
      moneyBag(order, withCodeDiscounts ? net : gross - lineLevelDiscounts(order, line)),
    totalDiscountSet: () => moneyBag(order, discountOf(line)),
    discountAllocations: () => line.allocations.map((one) => allocationView(order, one)),
    taxLines: () => line.taxes.map((tax) => taxView(order, tax)),
    duties: [],
    staffMember: () => {
      const staff = line.staffId === null ? undefined : rows.staff.get(line.staffId);
      return staff ? staffView(staff) : null;
    },
  };
}

function lineLevelDiscounts({ applications }: OrderRow, { allocations }: LineRow): number {
  const own = allocations.filter(
    ({ application }) => applications[application]?.selection !== 'all',
  );
  return sum(own.map(({ minor }) => minor));
}

export function shippingView(order: OrderRow, line: ShippingRow): View {
  const { discountedMinor, currentMinor } = shippingAmounts(order, line);
  return {
    __typename: 'ShippingLine',
    id: gid('ShippingLine', line.id),
    title: line.title,
    code: line.title,
    source: 'shopify',
    custom: false,
    isRemoved: false,
    carrierIdentifier: null,
    phone: null,
    originalPriceSet: moneyBag(order, line.priceMinor),
    discountedPriceSet: moneyBag(order, discountedMinor),
    currentDiscountedPriceSet: moneyBag(order, currentMinor),
    discountAllocations: () => line.allocations.map((one) => allocationView(order, one)),
    taxLines: () => line.taxes.map((tax) => taxView(order, tax)),
  };
}

export function fulfillmentView(context: GraphContext, order: OrderRow, row: FulfillmentRow): View {
  const location = context.world.rows.locations.get(row.locationId);
  return {
    __typename: 'Fulfillment',
    id: gid('Fulfillment', row.id),
    legacyResourceId: row.id,
    name: `#${order.number}.${order.fulfillments.indexOf(row) + 1}`,
    status: row.status.toUpperCase(),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    totalQuantity: sum(row.lines.map(({ quantity }) => quantity)),
    order: () => context.viewOrder(context, order),
    location: () => (location ? locationView(context, location) : null),
    trackingInfo:
      row.trackingNumber === null ? [] : [{ number: row.trackingNumber, company: null, url: null }],
    fulfillmentLineItems: (args: PageArguments) =>
      connect(context, args, {
        rows: row.lines,
        id: ({ lineId }) => lineId,
        view: ({ lineId, quantity }) => ({
          __typename: 'FulfillmentLineItem',
          id: gid('FulfillmentLineItem', `${row.id}${lineId.slice(-4)}`),
          quantity,
          lineItem: () => lineById(context, order, lineId),
        }),
      }),
  };
}

export function lineById(context: GraphContext, order: OrderRow, lineId: string): View | null {
  const line = order.lines.find(({ id }) => id === lineId);
  return line ? lineView(context, order, line) : null;
}
