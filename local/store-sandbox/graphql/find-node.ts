import {
  customerView,
  discountNodeView,
  productView,
  storeCreditAccountView,
} from './entity-views.ts';
import { type GraphContext, isVisible, type View } from './graph-context.ts';
import { orderView, refundView } from './order-view.ts';

/** The object with this global id, if the app may read it. */
export function findNode(context: GraphContext, globalId: string): View | undefined {
  const [, type = '', id = ''] = /^gid:\/\/shopify\/(\w+)\/(\d+)(?:\?.*)?$/.exec(globalId) ?? [];
  const { rows } = context.world;
  switch (type) {
    case 'Order':
      return found(rows.orders.get(id), (row) =>
        isVisible(context, row) ? orderView(context, row) : undefined,
      );
    case 'Refund':
      return findRefund(context, id);
    case 'Product':
      return found(rows.products.get(id), (row) => productView(context, row));
    case 'Customer':
      return found(rows.customers.get(id), (row) => customerView(context, row));
    case 'StoreCreditAccount':
      return found(rows.storeCreditAccounts.get(id), (row) => storeCreditAccountView(context, row));
    case 'DiscountCodeNode':
    case 'DiscountAutomaticNode':
      return found(rows.discounts.get(id), (row) =>
        (row.method === 'code') === (type === 'DiscountCodeNode')
          ? discountNodeView(context, row)
          : undefined,
      );
    default:
      return undefined;
  }
}

function findRefund(context: GraphContext, id: string): View | undefined {
  for (const order of context.world.rows.orders.values()) {
    const refund = order.refunds.find((one) => one.id === id);
    if (refund && isVisible(context, order)) {
      return refundView(context, order, refund, () => orderView(context, order));
    }
  }
  return undefined;
}

function found<Row>(row: Row | undefined, view: (row: Row) => View | undefined): View | undefined {
  return row === undefined ? undefined : view(row);
}
