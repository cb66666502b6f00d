import { type RememberedBalance, recallBalance } from '../balances/remembered-balance.ts';
import { type Ledger, type LedgerEntry, readEntry } from '../ledger/ledger.ts';
import { ledgerKeyText } from '../ledger/ledger-key.ts';
import { followMerges, mergedInto } from '../ledger/merged-customer.ts';
import type { Redemption } from '../redeem/redemption.ts';
import { bookKey, recallBook } from '../redeem/redemption-book.ts';

/** Null: neither an event nor a reading has reported it yet. */
export interface KnownBalance {
  readonly points: number | null;
  readonly cashback: number | null;
  readonly asOf: string | null;
  /** The points that expire next; null: none are about to. */
  readonly expiring: { readonly points: number; readonly at: string } | null;
  /** The tier's name when the balance was last written. */
  readonly tier: string | null;
  /** Epoch milliseconds: when the service was last asked for it; undefined: never. */
  readonly readAt: number | undefined;
}

/** All that the ledger knows of a customer, of one moment. */
export interface KnownCustomer {
  /** Whom the store has now: another one after a merge. */
  readonly id: string;
  readonly balance: KnownBalance;
  /** The oldest first. */
  readonly redemptions: readonly Redemption[];
  /** Changes with every event and with every step of a redemption. */
  readonly revisions: string;
}

export const NOTHING_KNOWN: KnownBalance = {
  points: null,
  cashback: null,
  asOf: null,
  expiring: null,
  tier: null,
  readAt: undefined,
};

/** One request, and one more for each merge. */
export async function readKnown(
  { shop, customerId }: { readonly shop: string; readonly customerId: string },
  ledger: Pick<Ledger, 'readMany'>,
  now: Date,
): Promise<KnownCustomer> {
  const record = { shop, kind: 'customer', id: customerId } as const;
  const book = bookKey({ shop, customerId });
  const read = await ledger.readMany([record, book]);
  const own = read.get(ledgerKeyText(record));
  const kept = read.get(ledgerKeyText(book));
  const into = mergedInto(own);
  const id = into === undefined ? customerId : await followMerges({ shop, id: into }, ledger);
  const entry = into === undefined ? own : await readEntry(ledger, { ...record, id });
  return {
    id,
    balance: balanceIn(entry),
    redemptions: recallBook(kept?.remembered, now).redemptions,
    revisions: [id, entry?.revision, kept?.revision].join('/'),
  };
}

/** What the ledger knows, from point events and readings. */
function balanceIn(entry: LedgerEntry | undefined): KnownBalance {
  const balance = recallBalance(entry?.remembered);
  if (!entry || !balance) return NOTHING_KNOWN;
  return {
    ...viewOfBalance(balance),
    asOf: new Date(entry.version).toISOString(),
    tier: balance.tier ?? null,
    readAt: balance.readAt,
  };
}

export function viewOfBalance({
  points,
  cashback,
  expiring,
}: Pick<RememberedBalance, 'points' | 'cashback' | 'expiring'>) {
  return {
    points: Number(points),
    cashback: Number(cashback),
    expiring: expiring ? { points: Number(expiring.points), at: expiring.at } : null,
  };
}
