import { gid } from '../model/ids.ts';
import { lineAmounts, shippingAmounts } from '../model/line-amounts.ts';
import type { LineRow, OrderRow, ShippingRow } from '../model/order-row.ts';
import type { GraphContext, View } from './graph-context.ts';
import { moneyBag } from './money-view.ts';
import { productView } from './product-view.ts';
import { staffView } from './shop-view.ts';

export function lineView(context: GraphContext, order: OrderRow, line: LineRow): View {
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

export function shippingView(order: OrderRow, line: ShippingRow): View {
  return {
    __typename: 'ShippingLine',
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
