import { createHash } from 'node:crypto';
import { rememberedForm } from '../ledger/remembered-form.ts';
import type { Expiring } from './expiring-points.ts';

/** What the store's customer was last given, as the ledger keeps it. */
export interface RememberedBalance {
  readonly points: string;
  readonly cashback: string;
  /** Null: the customer has none. Undefined: the service did not say. */
  readonly tier?: string | null;
  /** The same. */
  readonly expiring?: Expiring | null;
  /** Epoch milliseconds: when the last reading of the service began; undefined: never read. */
  readonly readAt?: number;
  /** The deliveries that were settled last: a repetition of one of them changes nothing. */
  readonly seen: readonly string[];
}

/** A repetition that comes later than so many others costs one reading. */
const SEEN_KEPT = 20;

const form = rememberedForm<RememberedBalance>('customer', 1);
export const recallBalance = form.read;

export function rememberBalance(balance: RememberedBalance): string {
  return form.write({ ...balance, seen: balance.seen.slice(-SEEN_KEPT) });
}

/** Names what the customer's metafields hold. */
export function balanceKey({ points, cashback, tier, expiring }: RememberedBalance): string {
  const held = [points, cashback, tier ?? null, expiring?.points ?? null, expiring?.at ?? null];
  return createHash('sha256').update(JSON.stringify(held)).digest('base64url');
}
