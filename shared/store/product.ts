import type { Amount } from './money.ts';

/** A product as it stands now. Dates and statements as in `StoreOrder`. */
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
  /** The merchant's own word for what it is. */
  readonly productType: string | undefined;
  /** Of the cheapest variant that the source listed. */
  readonly price: Amount | undefined;
  readonly updatedAt: string;
}

export interface StoreCategory {
  /** Of the leaf, as the taxonomy writes it: `sg-4-17-2-17`. */
  readonly id: string | undefined;
  /** At least one name. */
  readonly names: readonly string[];
}
