import type { EntityEntry } from '../../../shared/core/ledger/ledger.ts';
import type { EntityKey } from '../../../shared/core/ledger/ledger-key.ts';
import type { Mapped } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreAnswer, StoreEntity } from '../../../shared/core/sync/store-reader.ts';
import type { ReadLetter } from '../dead-letters/read-letter.ts';

/** What the loyalty service lets us read back: nothing of an order but its customer. */
export type ReadBack =
  | { readonly kind: 'nothing-to-read' }
  | { readonly kind: 'known'; readonly customerId: string; readonly tier: string | undefined }
  | { readonly kind: 'not-known'; readonly customerId: string; readonly why: string };

/** Everything known of one order, product or coupon. */
export interface Trace {
  readonly key: EntityKey;
  readonly entry: EntityEntry | undefined;
  readonly letters: readonly ReadLetter[];
  readonly store: StoreAnswer<StoreEntity>;
  /** What the loyalty service should hold by today's rules; undefined: it cannot be told. */
  readonly mapped: Mapped | undefined;
  readonly readBack: ReadBack;
}
