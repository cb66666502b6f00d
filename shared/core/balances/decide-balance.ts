import { type BalanceEvent, type BalanceRequest, firstDeliveryId } from '../events/event.ts';
import { predatesRedaction } from '../ledger/change-entry.ts';
import type { LedgerEntry } from '../ledger/ledger.ts';
import { balanceKey, type RememberedBalance, recallBalance } from './point-balance.ts';
import type { ReadCustomer } from './read-customer.ts';

/**
 * A balance has a version: of an event its date, by the service's clock; of a reading the moment its request
 * began, by our clock. The larger version wins.
 *
 * The two clocks are taken to differ by five minutes at most, in either direction. An event dated further
 * ahead of its arrival is parked. An event dated before the known version by less than that may still be
 * the newer one, so it loses only with its own balance: the worker reads again, and what the service
 * says then is newer than both.
 * See docs/decisions/0044-balances-are-read-and-repaired.md.
 */
const SKEW_MS = 5 * 60_000;

/** All messages of one batch about one customer. */
export interface Messages {
  /** The newest first. */
  readonly events: readonly BalanceEvent[];
  readonly requests: readonly BalanceRequest[];
}

export type BalanceDecision =
  | { readonly kind: 'write'; readonly version: number; readonly balance: RememberedBalance }
  /** No write to the store, but the version moves on, or a late middle event would be applied. */
  | { readonly kind: 'unchanged'; readonly version: number; readonly balance: RememberedBalance }
  | { readonly kind: 'superseded' }
  /** Asked for, and the service names none. */
  | { readonly kind: 'no-balance' };

/**
 * Before the service is asked. An event with the known balance is a reason to read, too: the points about to
 * expire may have changed.
 */
export function planBalance(
  { events, requests }: Messages,
  entry: LedgerEntry | undefined,
): { readonly kind: 'read' } | { readonly kind: 'superseded' } {
  if (!entry) return { kind: 'read' };
  const isUnfinished = entry.uncertain && recallBalance(entry.remembered) !== undefined;
  if (isUnfinished || requests.some((one) => isOpen(one, entry))) return { kind: 'read' };
  const [newest] = freshEvents(events, entry);
  const isOld = !newest || dateOf(newest) < entry.version - SKEW_MS;
  return isOld ? { kind: 'superseded' } : { kind: 'read' };
}

/** After it: `read` has no balance where the service names none for the customer. */
export function decideBalance(
  { events, requests }: Messages,
  entry: LedgerEntry | undefined,
  read: ReadCustomer,
): BalanceDecision {
  const known = recallBalance(entry?.remembered);
  const fresh = freshEvents(events, entry);
  const [newest] = fresh;
  const seen = seenWith(events, known);
  const decide = (version: number, { points, cashback }: Amounts): BalanceDecision => {
    const balance = { ...known, ...answersIn(read), points, cashback, seen };
    const same = isApplied(entry) && entry.appliedKey === balanceKey(balance);
    return { kind: same ? 'unchanged' : 'write', version, balance };
  };
  // The event names the balance after its transaction. A reading so soon after it may not include it yet; one
  // that began later includes what came after the event, too.
  const isOutdated = read.balance && newest && dateOf(newest) < read.began - SKEW_MS;
  if (newest && !isOutdated && isNewestAlone(fresh, entry)) return decide(dateOf(newest), newest);
  if (read.balance) return decide(read.began, read.balance);
  // Within one moment the order of arrival decides, which is the queue's.
  if (newest && dateOf(newest) >= (entry?.version ?? 0)) return decide(dateOf(newest), newest);
  // A write of the newest state was begun and never recorded: it is made again.
  if (entry?.uncertain && known) return decide(entry.version, known);
  return { kind: newest || requests.length === 0 ? 'superseded' : 'no-balance' };
}

type Amounts = Pick<RememberedBalance, 'points' | 'cashback'>;

/** What the service did not say stays as it is known. */
function answersIn({ began, balance, tier }: ReadCustomer) {
  return {
    ...(tier !== undefined && { tier }),
    ...(balance && { expiring: balance.expiring, readAt: began }),
  };
}

const isApplied = (entry: LedgerEntry | undefined): entry is LedgerEntry =>
  entry?.appliedKey !== undefined && !entry.uncertain;

/** A repetition neither counts nor hides the others. Nor does what is from before the person's redaction. */
function freshEvents(events: readonly BalanceEvent[], entry: LedgerEntry | undefined) {
  const seen = recallBalance(entry?.remembered)?.seen ?? [];
  return events.filter(
    (event) => !seen.includes(firstDeliveryId(event)) && !predatesRedaction(entry, dateOf(event)),
  );
}

/** False also where two events share the newest date: neither says which came last. */
function isNewestAlone(fresh: readonly BalanceEvent[], entry: LedgerEntry | undefined): boolean {
  const [newest] = fresh;
  if (!newest || (entry && dateOf(newest) <= entry.version)) return false;
  const sameDate = fresh.filter((event) => dateOf(event) === dateOf(newest));
  return sameDate.every((event) => firstDeliveryId(event) === firstDeliveryId(newest));
}

/** Not answered by a reading since. Of a redacted person nothing is read that no new event asks for. */
function isOpen({ receivedAt }: BalanceRequest, { remembered, redactedAt }: LedgerEntry): boolean {
  const known = recallBalance(remembered);
  if (!known) return redactedAt === undefined;
  return known.readAt === undefined || Date.parse(receivedAt) > known.readAt;
}

function seenWith(events: readonly BalanceEvent[], known: RememberedBalance | undefined) {
  // The newest last: the oldest are forgotten first.
  const settled = events.map(firstDeliveryId).reverse();
  return [...new Set([...(known?.seen ?? []), ...settled])];
}

export const dateOf = ({ eventDate }: BalanceEvent): number => Date.parse(eventDate);

/**
 * True for an event dated after its own arrival. Applied, it would keep out every true event until that
 * date. Compared with the arrival, not with now: waiting on the queue does not make the date right.
 */
export function isFromTheFuture(event: BalanceEvent): boolean {
  return dateOf(event) - Date.parse(event.receivedAt) > SKEW_MS;
}
