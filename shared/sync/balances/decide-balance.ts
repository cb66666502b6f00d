import type { LedgerEntry } from '../ledger.ts';
import type { BalanceEvent } from './balance-event.ts';
import { type RememberedBalance, recallBalance } from './remembered-balance.ts';

/**
 * What to do about one event, given what the ledger knows of its customer.
 *
 * Only the event itself tells a balance: the service has no operation that reads one. So where a
 * store event would ask the store again, the ledger's own memory has the last word here.
 */
export type BalanceDecision =
  /** `tier` undefined: the loyalty service must be asked for it first. */
  | {
      readonly kind: 'write';
      readonly version: number;
      readonly balance: RememberedBalance;
      readonly tierIsKnown: boolean;
    }
  /** No call, but the version moves on, or a late middle event would be applied. */
  | { readonly kind: 'unchanged'; readonly version: number; readonly balance: RememberedBalance }
  | { readonly kind: 'superseded' };

/** `moment`: the deliveries that came together with the event and have its date, itself included. */
export function decideBalance(
  event: BalanceEvent,
  moment: readonly string[],
  entry: LedgerEntry | undefined,
): BalanceDecision {
  const version = Date.parse(event.eventDate);
  const { points, cashback, deliveryId } = event;
  const known = recallBalance(entry?.remembered);
  const first = { points, cashback, seen: moment };
  if (!entry) return { kind: 'write', version, balance: first, tierIsKnown: false };

  if (version < entry.version) {
    if (!entry.uncertain || !known) return { kind: 'superseded' };
    // A write of the newest state was begun and never recorded: it is made again.
    return { kind: 'write', version: entry.version, balance: known, tierIsKnown: isKnown(known) };
  }
  const tie = version === entry.version;
  if (tie && !entry.uncertain && (!known || known.seen.includes(deliveryId))) {
    return { kind: 'superseded' };
  }
  // Within one moment the queue's order decides: it is that of arrival.
  const balance = { ...first, seen: tie && known ? [...known.seen, ...moment] : moment };
  const same = known && known.points === points && known.cashback === cashback;
  if (same && !entry.uncertain && entry.appliedKey !== undefined) {
    return { kind: 'unchanged', version, balance: { ...balance, ...tierOf(known) } };
  }
  return { kind: 'write', version, balance, tierIsKnown: false };
}

const isKnown = ({ tier }: RememberedBalance): boolean => tier !== undefined;

function tierOf({ tier }: RememberedBalance): Pick<RememberedBalance, 'tier'> {
  return tier === undefined ? {} : { tier };
}

/** The service's clock may be ahead of ours by this much. */
const SKEW_MS = 5 * 60_000;

/**
 * True for an event dated after its own arrival. Applied, it would keep every true event out until its
 * date has come. Told from the arrival, not from now: waiting on the queue makes no date true.
 */
export function isFromTheFuture({ eventDate, receivedAt }: BalanceEvent): boolean {
  return Date.parse(eventDate) - Date.parse(receivedAt) > SKEW_MS;
}
