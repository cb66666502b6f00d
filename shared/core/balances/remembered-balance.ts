import { createHash } from 'node:crypto';

/** What the store's customer was last given, as the ledger keeps it. */
export interface RememberedBalance {
  readonly points: string;
  readonly cashback: string;
  /** Null: the customer has none. Undefined: the service did not say. */
  readonly tier?: string | null;
  /** The deliveries that were settled at the entry's version: an event date may have whole seconds. */
  readonly seen: readonly string[];
}

/** The letter names the form and its version: an older one can be told apart after an upgrade. */
const FORM = 'b1';

/** More transactions of one customer in one moment are not remembered one by one. */
const SEEN_KEPT = 20;

export function rememberBalance(balance: RememberedBalance): string {
  return `${FORM}${JSON.stringify({ ...balance, seen: balance.seen.slice(-SEEN_KEPT) })}`;
}

/** Undefined for what another version wrote or redaction erased: forgetting must never be fatal. */
export function recallBalance(remembered: string | undefined): RememberedBalance | undefined {
  if (!remembered?.startsWith(FORM)) return undefined;
  try {
    return JSON.parse(remembered.slice(FORM.length)) as RememberedBalance;
  } catch {
    return undefined;
  }
}

/** Names what the customer's metafields hold. */
export function balanceKey({ points, cashback, tier }: RememberedBalance): string {
  const material = JSON.stringify([points, cashback, tier ?? null]);
  return createHash('sha256').update(material).digest('base64url');
}
