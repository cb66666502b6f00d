import type { BalanceEvent } from '../events/event.ts';
import { firstDeliveryId } from '../events/message-ids.ts';
import type { LedgerEntry } from '../ledger/ledger.ts';
import { predatesRedaction } from '../ledger/redacted-person.ts';
import { type RememberedBalance, recallBalance } from './remembered-balance.ts';

/**
 * What to do about one event, given what the ledger knows of its customer.
 *
 * Only the event carries the balance: the service has no operation that reads one. Where a store event would
 * ask the store again, the ledger's own memory decides here.
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

/**
 * `moment`: the events that came together and share the newest date, the newest first.
 * See docs/decisions/0024-balances-follow-the-events-date.md.
 */
export function decideBalance(
  moment: readonly [BalanceEvent, ...BalanceEvent[]],
  entry: LedgerEntry | undefined,
): BalanceDecision {
  const [newest] = moment;
  const version = Date.parse(newest.eventDate);
  const known = recallBalance(entry?.remembered);
  const deliveries = moment.map(firstDeliveryId);
  if (!entry) return writeOf(version, { ...balanceOf(newest), seen: deliveries });
  // A balance from before the person's redaction is not remembered again.
  if (predatesRedaction(entry, version)) return { kind: 'superseded' };

  if (version < entry.version) {
    if (!entry.uncertain || !known) return { kind: 'superseded' };
    // A write of the newest state was begun and never recorded: it is made again.
    return { ...writeOf(entry.version, known), tierIsKnown: isKnown(known) };
  }
  const tie = version === entry.version;
  if (tie && !entry.uncertain && !known) return { kind: 'superseded' };
  const seen = tie && known ? known.seen : [];
  // Within one moment the order of arrival decides, which is the queue's. A repetition arrives last
  // with the oldest balance, so it neither counts nor hides the others.
  const event = moment.find((one) => !seen.includes(firstDeliveryId(one)));
  if (!event) {
    return entry.uncertain && known ? writeOf(version, known) : { kind: 'superseded' };
  }
  const balance = { ...balanceOf(event), seen: [...new Set([...seen, ...deliveries])] };
  const same = known && known.points === event.points && known.cashback === event.cashback;
  if (same && !entry.uncertain && entry.appliedKey !== undefined) {
    return { kind: 'unchanged', version, balance: { ...balance, ...tierOf(known) } };
  }
  return writeOf(version, balance);
}

function writeOf(version: number, { points, cashback, tier, seen }: RememberedBalance) {
  const balance = { points, cashback, seen, ...(tier !== undefined && { tier }) };
  return { kind: 'write', version, balance, tierIsKnown: false } as const;
}

const balanceOf = ({ points, cashback }: BalanceEvent) => ({ points, cashback });

const isKnown = ({ tier }: RememberedBalance): boolean => tier !== undefined;

function tierOf({ tier }: RememberedBalance): Pick<RememberedBalance, 'tier'> {
  return tier === undefined ? {} : { tier };
}

/** The service's clock may be ahead of ours by this much. */
const SKEW_MS = 5 * 60_000;

/**
 * True for an event dated after its own arrival. Applied, it would keep out every true event until that
 * date. Compared with the arrival, not with now: waiting on the queue does not make the date right.
 */
export function isFromTheFuture({ eventDate, receivedAt }: BalanceEvent): boolean {
  return Date.parse(eventDate) - Date.parse(receivedAt) > SKEW_MS;
}
