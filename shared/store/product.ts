import type { Amount } from './money.ts';

/** A product as it is now. Dates and `undefined` as in `StoreOrder`. */
export interface StoreProduct {
  readonly id: string;
  readonly title: string;
  /** The last part of its address in the store. */
  readonly handle: string | undefined;
  readonly imageUrl: string | undefined;
  /** `active`, `draft`, `archived`, … */
  readonly status: string;
  readonly vendor: string | undefined;
  /** The store's taxonomy, root first; undefined when the product has no category there. */
  readonly category: StoreCategory | undefined;
  /** The merchant's own name for the kind of product. */
  readonly productType: string | undefined;
  /** The price of the cheapest variant that the source lists. */
  readonly price: Amount | undefined;
  readonly updatedAt: string;
}

export interface StoreCategory {
  /** The id of the leaf in the taxonomy: `sg-4-17-2-17`. */
  readonly id: string | undefined;
  /** At least one name. */
  readonly names: readonly string[];
}
