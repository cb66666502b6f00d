import type { OrderRow } from '../model/order-row.ts';
import { financialStatus, fulfillmentStatus } from '../model/order-status.ts';
import { orderTotals } from '../model/order-totals.ts';
import { connect, type PageArguments } from './connection.ts';
import type { GraphContext, View } from './graph-context.ts';
import { parseSearch, type SearchFields } from './search-query.ts';

export function listOrders(
  context: GraphContext,
  args: PageArguments & { readonly query?: string | null; readonly sortKey?: string },
  orders: readonly OrderRow[],
): View {
  const fits = parseSearch(args.query);
  return connect(context, args, {
    rows: orders.filter((order) => fits(searchFields(order))),
    id: ({ id }) => id,
    value: sortValue(args.sortKey),
    view: (order) => context.viewOrder(context, order),
  });
}

function sortValue(
  sortKey: string | undefined,
): ((order: OrderRow) => string | number) | undefined {
  switch (sortKey) {
    case 'UPDATED_AT':
      return ({ updatedAt }) => updatedAt;
    case 'CREATED_AT':
      return ({ createdAt }) => createdAt;
    case 'PROCESSED_AT':
      return ({ processedAt }) => processedAt;
    case 'ORDER_NUMBER':
      return ({ number }) => number;
    case 'TOTAL_PRICE':
      return (order) => orderTotals(order).totalMinor;
    default:
      return undefined;
  }
}

function searchFields(order: OrderRow): SearchFields {
  return (field) => {
    switch (field) {
      case 'id':
        return Number(order.id);
      case 'name':
        return [`#${order.number}`, String(order.number)];
      case 'updated_at':
        return order.updatedAt;
      case 'created_at':
        return order.createdAt;
      case 'processed_at':
        return order.processedAt;
      case 'financial_status':
        return financialStatus(order);
      case 'fulfillment_status':
        return fulfillmentStatus(order) ?? 'unfulfilled';
      case 'status':
        return ['any', order.cancelledAt ? 'cancelled' : order.closedAt ? 'closed' : 'open'];
      case 'test':
        return String(order.test);
      case 'email':
        return order.email ?? '';
      case 'customer_id':
        return order.customerId ?? '';
      case 'discount_code':
        return order.applications
          .filter(({ type }) => type === 'discount_code')
          .map(({ name }) => name);
      case 'source_name':
        return order.sourceName;
      case 'tag':
        return order.tags;
      case 'text':
        return [`#${order.number}`, order.email ?? ''];
      default:
        return undefined;
    }
  };
}
