import type { Table, Tables } from '../../sandbox-kit/tables.ts';
import type { AddressRow, OrderRow } from './order-row.ts';

export interface ProductRow {
  readonly id: string;
  readonly title: string;
  readonly handle: string;
  readonly description: string;
  readonly vendor: string;
  readonly productType: string;
  /** The id (`aa-1-13-8`) and path (`Apparel & Accessories > …`) in the taxonomy. */
  readonly category: { readonly id: string; readonly fullName: string } | null;
  readonly status: 'active' | 'draft' | 'archived';
  readonly tags: readonly string[];
  readonly imageUrl: string | null;
  readonly imageId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly variants: readonly VariantRow[];
}

export interface VariantRow {
  readonly id: string;
  readonly title: string;
  readonly priceMinor: number;
  readonly sku: string;
  readonly inventoryItemId: string;
  readonly inventory: number;
  readonly updatedAt: string;
}

export interface DiscountRow {
  readonly id: string;
  readonly method: 'code' | 'automatic';
  readonly kind: 'basic' | 'bxgy' | 'free-shipping' | 'app';
  readonly title: string;
  /** Null for free shipping and for an app's discount. */
  readonly value: DiscountValue | null;
  readonly startsAt: string;
  readonly endsAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly context:
    | { readonly kind: 'all' }
    | { readonly kind: 'customers'; readonly ids: readonly string[] }
    | { readonly kind: 'segments' };
  readonly usageLimit: number | null;
  readonly oncePerCustomer: boolean;
  readonly minimumMinor: number | null;
  /** Null: every product. */
  readonly productIds: readonly string[] | null;
  /** Classes of discounts; absent: all. */
  readonly combinesWith?: readonly ('order' | 'product' | 'shipping')[];
  readonly tags: readonly string[];
}

export type DiscountValue =
  | { readonly kind: 'percentage'; readonly ppm: number }
  | { readonly kind: 'fixed'; readonly minor: number; readonly each: boolean };

export interface CodeRow {
  readonly id: string;
  /** As written; the lookup ignores case. */
  readonly code: string;
  readonly discountId: string;
  readonly used: number;
}

export interface CustomerRow {
  readonly id: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly note: string | null;
  readonly tags: readonly string[];
  readonly address: AddressRow | null;
  readonly addressId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface MetafieldRow {
  readonly id: string;
  readonly ownerGid: string;
  readonly namespace: string;
  readonly key: string;
  readonly type: string;
  readonly value: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface MetafieldDefinitionRow {
  readonly id: string;
  /** `CUSTOMER` */
  readonly ownerType: string;
  readonly namespace: string;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly pinned: boolean;
  readonly storefront: 'NONE' | 'PUBLIC_READ';
  readonly customerAccount: 'NONE' | 'READ' | 'READ_WRITE';
}

interface LocationRow {
  readonly id: string;
  readonly name: string;
}

interface StaffRow {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
}

export interface StoreRows {
  readonly orders: Table<OrderRow>;
  readonly products: Table<ProductRow>;
  readonly discounts: Table<DiscountRow>;
  /** By the code in lower case. */
  readonly codes: Table<CodeRow>;
  readonly customers: Table<CustomerRow>;
  /** By owner, namespace and key. */
  readonly metafields: Table<MetafieldRow>;
  /** By owner's type, namespace and key. */
  readonly metafieldDefinitions: Table<MetafieldDefinitionRow>;
  readonly locations: Table<LocationRow>;
  readonly staff: Table<StaffRow>;
  readonly counters: Table<number>;
}

export function openRows(tables: Tables): StoreRows {
  return {
    orders: tables.table('orders'),
    products: tables.table('products'),
    discounts: tables.table('discounts'),
    codes: tables.table('codes'),
    customers: tables.table('customers'),
    metafields: tables.table('metafields'),
    metafieldDefinitions: tables.table('metafieldDefinitions'),
    locations: tables.table('locations'),
    staff: tables.table('staff'),
    counters: tables.table('counters'),
  };
}
