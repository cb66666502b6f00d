import type { StoreUnavailable } from '../sync/store-reader.ts';
import type { Expiring } from './expiring-points.ts';

/** What to write for one customer of a store. */
export interface BalanceChange {
  /** The customer's id in the store. */
  readonly customerId: string;
  readonly points: string;
  readonly cashback: string;
  /** Null takes it away; undefined leaves it as it is. */
  readonly tier?: string | null;
  /** The same. */
  readonly expiring?: Expiring | null;
}

/** What became of one change. */
export type BalanceWritten =
  | { readonly kind: 'written' }
  | { readonly kind: 'unknown-customer' }
  /** The store does not take this value. `code` is the store's name of the reason. */
  | { readonly kind: 'refused'; readonly code: string }
  | StoreUnavailable;

/** Where balances are shown to customers. */
export interface BalanceStore {
  /**
   * Writes the changes of many customers in as few calls as possible. Returns the result of each, in
   * the order of the changes. A fault in one does not keep the others from being written.
   */
  writeBalances(
    shop: string,
    changes: readonly BalanceChange[],
  ): Promise<readonly BalanceWritten[]>;
}
