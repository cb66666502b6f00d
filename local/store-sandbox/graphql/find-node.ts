import { customerView } from './customer-view.ts';
import { discountNodeView } from './discount-view.ts';
import { type GraphContext, isVisible, type View } from './graph-context.ts';
import { fulfillmentView, lineView } from './line-view.ts';
import { metafieldView } from './metafield-view.ts';
import { orderView } from './order-view.ts';
import { productView, variantView } from './product-view.ts';
import { refundView, transactionView } from './refund-view.ts';
import { locationView, shopView, staffView } from './shop-view.ts';
import { subscriptionView } from './subscription-view.ts';

/** The object with this global id, if the app may read it. */
export function findNode(context: GraphContext, globalId: string): View | undefined {
  const [, type = '', id = ''] = /^gid:\/\/shopify\/(\w+)\/(\d+)(?:\?.*)?$/.exec(globalId) ?? [];
  const { world, subscriptions, bulk } = context;
  const { rows, shop } = world;
  switch (type) {
    case 'Order':
      return found(rows.orders.get(id), (row) =>
        isVisible(context, row) ? orderView(context, row) : undefined,
      );
    case 'LineItem':
    case 'Refund':
    case 'Fulfillment':
    case 'OrderTransaction':
      return findInOrders(context, type, id);
    case 'Product':
      return found(rows.products.get(id), (row) => productView(context, row));
    case 'ProductVariant':
      for (const product of rows.products.values()) {
        const variant = product.variants.find((one) => one.id === id);
        if (variant) return variantView(context, product, variant);
      }
      return undefined;
    case 'Customer':
      return found(rows.customers.get(id), (row) => customerView(context, row));
    case 'DiscountCodeNode':
    case 'DiscountAutomaticNode':
      return found(rows.discounts.get(id), (row) =>
        (row.method === 'code') === (type === 'DiscountCodeNode')
          ? discountNodeView(context, row)
          : undefined,
      );
    case 'Location':
      return found(rows.locations.get(id), (row) => locationView(context, row));
    case 'StaffMember':
      return found(rows.staff.get(id), staffView);
    case 'Metafield':
      return found(
        [...rows.metafields.values()].find((one) => one.id === id),
        metafieldView,
      );
    case 'WebhookSubscription':
      return found(subscriptions.get(id), subscriptionView);
    case 'BulkOperation':
      return bulk.get(globalId);
    case 'Shop':
      return id === shop.id ? shopView(context) : undefined;
    default:
      return undefined;
  }
}

function findInOrders(
  context: GraphContext,
  type: 'LineItem' | 'Refund' | 'Fulfillment' | 'OrderTransaction',
  id: string,
): View | undefined {
  for (const order of context.world.rows.orders.values()) {
    if (!isVisible(context, order)) continue;
    const is = (row: { readonly id: string }) => row.id === id;
    const view = {
      LineItem: () => found(order.lines.find(is), (row) => lineView(context, order, row)),
      Refund: () => found(order.refunds.find(is), (row) => refundView(context, order, row)),
      Fulfillment: () =>
        found(order.fulfillments.find(is), (row) => fulfillmentView(context, order, row)),
      OrderTransaction: () =>
        found(order.transactions.find(is), (row) => transactionView(context, order, row)),
    }[type]();
    if (view) return view;
  }
  return undefined;
}

function found<Row>(row: Row | undefined, view: (row: Row) => View | undefined): View | undefined {
  return row === undefined ? undefined : view(row);
}
