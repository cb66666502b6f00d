import type { Redemption } from './redemption.ts';
import { findRedemption, type RedemptionBook, withStep } from './redemption-book.ts';
import { hasHappened } from './redemption-state.ts';

/** A point event that took points from a customer. */
export interface Spending {
  /** The delivery: the same for every repetition. */
  readonly by: string;
  readonly points: number;
  /** ISO 8601. */
  readonly at: string;
}

export type Matched =
  | { readonly kind: 'none' }
  /** `book` undefined: this event is known already. */
  | {
      readonly kind: 'matched';
      readonly redemption: Redemption;
      readonly book: RedemptionBook | undefined;
    };

/** The service's clock may be behind ours by this much. */
const SKEW_MS = 60_000;
/** A call that was cut off may take effect later, but within this time. */
const SPENDING_WINDOW_MS = 30 * 60_000;

/**
 * Which redemption an event is about: it has the same points, and a date just after the intent. Those
 * that surely happened come first, because each of them has an event of its own; what is left over
 * settles one that is unknown, if it can only be that one.
 * See docs/decisions/0030-evidence-settles-what-is-unknown.md.
 */
export function matchSpending(book: RedemptionBook, spending: Spending, now: Date): Matched {
  const known = book.redemptions.find(({ spentBy }) => spentBy === spending.by);
  if (known) return { kind: 'matched', redemption: known, book: undefined };
  const fitting = book.redemptions.filter((one) => fits(one, spending));
  const happened = fitting.find(({ state }) => hasHappened(state));
  const matched = happened ?? (fitting.length === 1 ? fitting[0] : undefined);
  const next = matched && withStep(book, matched.id, { kind: 'spent', by: spending.by }, now);
  const redemption = matched && next && findRedemption(next, matched.id);
  return redemption ? { kind: 'matched', redemption, book: next } : { kind: 'none' };
}

function fits(
  { state, spentBy, terms, intendedAt }: Redemption,
  { points, at }: Spending,
): boolean {
  if (spentBy !== undefined || state.at === 'intended' || state.at === 'refused') return false;
  const afterMs = Date.parse(at) - Date.parse(intendedAt);
  // Hundredths: what one side writes as 0.3 may be 0.30000000000000004 on the other.
  const isSame = Math.round(points * 100) === Math.round(terms.points * 100);
  return isSame && points > 0 && afterMs >= -SKEW_MS && afterMs <= SPENDING_WINDOW_MS;
}
