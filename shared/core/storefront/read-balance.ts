import { recallBalance } from '../balances/remembered-balance.ts';
import { type Ledger, readEntry } from '../ledger/ledger.ts';

/** Null: no event has told it yet. */
export interface KnownBalance {
  readonly points: number | null;
  readonly cashback: number | null;
  readonly asOf: string | null;
  /** The tier's name when the balance was last written. */
  readonly tier: string | null;
}

const NOTHING_KNOWN: KnownBalance = { points: null, cashback: null, asOf: null, tier: null };

/** What point events brought: no operation of the loyalty service tells a balance. */
export async function readBalance(
  shop: string,
  customerId: string,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<KnownBalance> {
  const entry = await readEntry(ledger, { shop, kind: 'customer', id: customerId });
  const balance = recallBalance(entry?.remembered);
  if (!entry || !balance) return NOTHING_KNOWN;
  return {
    points: Number(balance.points),
    cashback: Number(balance.cashback),
    asOf: new Date(entry.version).toISOString(),
    tier: balance.tier ?? null,
  };
}
