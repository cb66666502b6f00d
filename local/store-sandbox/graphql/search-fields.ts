import { discountStatus } from '../model/discounts.ts';
import type { CustomerRow, DiscountRow, ProductRow } from '../model/rows.ts';
import type { GraphContext, View } from './graph-context.ts';
import { parseSearch } from './search-query.ts';

export function fitsProduct(query: string | null | undefined, row: ProductRow): boolean {
  return parseSearch(query)(
    (field) =>
      ({
        id: Number(row.id),
        title: row.title,
        vendor: row.vendor,
        product_type: row.productType,
        status: row.status,
        handle: row.handle,
        tag: row.tags,
        updated_at: row.updatedAt,
        created_at: row.createdAt,
        text: row.title,
      })[field],
  );
}

export function fitsCustomer(query: string | null | undefined, row: CustomerRow): boolean {
  return parseSearch(query)(
    (field) =>
      ({
        id: Number(row.id),
        email: row.email ?? '',
        phone: row.phone ?? '',
        first_name: row.firstName ?? '',
        last_name: row.lastName ?? '',
        updated_at: row.updatedAt,
        created_at: row.createdAt,
        text: [row.email ?? '', row.firstName ?? '', row.lastName ?? ''],
      })[field],
  );
}

export function fitsDiscount(
  { world }: GraphContext,
  query: string | null | undefined,
  row: DiscountRow,
): boolean {
  return parseSearch(query)(
    (field) =>
      ({
        id: Number(row.id),
        title: row.title,
        method: row.method,
        status: discountStatus(row, world.now()),
        updated_at: row.updatedAt,
        created_at: row.createdAt,
        starts_at: row.startsAt,
        tag: row.tags,
        text: row.title,
      })[field],
  );
}

export function fitsBulkOperation(query: string | null | undefined, view: View): boolean {
  return parseSearch(query)(
    (field) =>
      ({
        status: String(view.status),
        operation_type: 'query',
        created_at: String(view.createdAt),
        id: Number(String(view.id).split('/').at(-1)),
      })[field],
  );
}
