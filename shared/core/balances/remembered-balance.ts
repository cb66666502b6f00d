import { createHash } from 'node:crypto';
import { rememberedForm } from '../ledger/remembered-form.ts';

/** What the store's customer was last given, as the ledger keeps it. */
export interface RememberedBalance {
  readonly points: string;
  readonly cashback: string;
  /** Null: the customer has none. Undefined: the service did not say. */
  readonly tier?: string | null;
  /** The deliveries that were settled at the entry's version: an event date may have whole seconds. */
  readonly seen: readonly string[];
}

/** More transactions of one customer in one moment are not remembered one by one. */
const SEEN_KEPT = 20;

const form = rememberedForm<RememberedBalance>('customer', 1);
export const recallBalance = form.read;

export function rememberBalance(balance: RememberedBalance): string {
  return form.write({ ...balance, seen: balance.seen.slice(-SEEN_KEPT) });
}

/** Names what the customer's metafields hold. */
export function balanceKey({ points, cashback, tier }: RememberedBalance): string {
  const material = JSON.stringify([points, cashback, tier ?? null]);
  return createHash('sha256').update(material).digest('base64url');
}
