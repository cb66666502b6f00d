import type { LedgerEntry } from './ledger.ts';

/**
 * The ledger was lost, or restored to an earlier moment: what it says may be out of date. Moments are epoch
 * milliseconds.
 * See docs/decisions/0081-a-ledger-can-be-lost.md.
 */
export interface Doubt {
  /** The moment that it was restored to; of a lost one, go-live. What happened since may not be in it. */
  readonly since: number;
  /** Entries that were settled before are compared with the loyalty service before anything is sent. */
  readonly until: number;
  /** Since then everything is compared; undefined while a deep walk is still to do that. */
  readonly comparedAt?: number;
}

export function isOpenDoubt(doubt: Doubt | undefined): doubt is Doubt {
  return doubt !== undefined && doubt.comparedAt === undefined;
}

/** What a process knows of the ledger's past, for each shop. */
export interface LedgerPast {
  /** Undefined: the ledger can be trusted. */
  doubtOf(shop: string): Doubt | undefined;
  /** When the shop's program began, as far as the ledger says it. */
  goLiveOf(shop: string): number | undefined;
}

const SETTLED: ReadonlySet<string> = new Set(['applied', 'unchanged']);

/** Something was decided about the entity since then, if only to leave it out. */
export function wasSettledSince(entry: LedgerEntry | undefined, moment: number): boolean {
  const { at, outcome = '' } = entry?.outcomes.at(-1) ?? {};
  const isSettled = SETTLED.has(outcome) || outcome === 'skipped';
  return at !== undefined && isSettled && Date.parse(at) >= moment;
}

/** True: more may have happened to the entity than its entry says. */
export function isDoubtful(entry: LedgerEntry | undefined, doubt: Doubt | undefined): boolean {
  if (!entry || !doubt) return false;
  const settled = entry.outcomes.findLast(({ outcome }) => SETTLED.has(outcome));
  return !settled || Date.parse(settled.at) < doubt.until;
}
