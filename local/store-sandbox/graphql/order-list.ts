import type { OrderRow } from '../model/order-row.ts';
import { parseSearch } from './search-query.ts';

export function findOrders(
  orders: readonly OrderRow[],
  query: string | null | undefined,
): readonly OrderRow[] {
  const fits = parseSearch(query);
  return orders.filter((order) =>
    fits(
      (field) =>
        ({
          id: Number(order.id),
          name: [`#${order.number}`, String(order.number)],
          updated_at: order.updatedAt,
          created_at: order.createdAt,
          processed_at: order.processedAt,
          status: ['any', order.cancelledAt ? 'cancelled' : order.closedAt ? 'closed' : 'open'],
          email: order.email ?? '',
          customer_id: order.customerId ?? '',
          text: [`#${order.number}`, order.email ?? ''],
        })[field],
    ),
  );
}
