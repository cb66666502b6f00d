import type { ConcludeDeps } from '../../core/batch/delay-or-park.ts';
import { conclude, type Group, type Settle } from '../../core/batch/run-batch.ts';
import type { Item } from '../../core/batch/waiting.ts';
import {
  askAgain,
  type BalanceEvent,
  type BalanceRequest,
  type EventQueue,
  firstDeliveryId,
} from '../../core/events/event.ts';
import {
  type Outcome,
  overtaken,
  type RetryReason,
  unreadable,
} from '../../core/events/outcome.ts';
import {
  type Change,
  mergedInto,
  predatesRedaction,
  record,
  recordApplied,
  redactionOf,
} from '../../core/ledger/entry.ts';
import {
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  ledgerKeyText,
  type RecordKey,
} from '../../core/ledger/ledger.ts';
import { retryStore } from '../../core/store/store.ts';
import { type AnnouncingDeps, announceAll, announcementsOf } from './announce.ts';
import {
  type BalanceChange,
  type BalanceStore,
  type BalanceWritten,
  balanceKey,
  type ReadCustomer,
  type ReadCustomerDeps,
  type RememberedBalance,
  readCustomer,
  recallBalance,
  rememberBalance,
  type Told,
} from './point-balance.ts';

export interface BalanceDeps extends ConcludeDeps, ReadCustomerDeps, AnnouncingDeps {
  readonly ledger: Pick<Ledger, 'readMany' | 'write' | 'markUncertain'>;
  readonly balances: BalanceStore;
  readonly queue: EventQueue;
  readonly retentionDays: number;
}

/**
 * Plan → read the service → decide → mark → write → record → announce. A group is one customer. The customers of a shop
 * are written in one call; in all else they are independent.
 * See docs/decisions/0022-balances-follow-event-dates-and-are-read-when-in-doubt.md.
 */
export const settleBalances: Settle<BalanceDeps> = (groups, deps) => ({
  keys: groups.flatMap(({ items }) => {
    const event = items.find((item) => item.event)?.event;
    return event?.kind === 'balance' ? [customerKey(event)] : [];
  }),
  begin(customers, entries) {
    const prepared = new Map(customers.map((group) => [group, prepare(group, entries, deps)]));
    const written = writeTogether([...prepared.values()], deps.balances);
    return async (group) => {
      const ready = await prepared.get(group);
      if (!ready || ready.kind === 'parked') return ready?.retry;
      const outcome =
        ready.kind === 'ended'
          ? ready.outcome
          : await conclusionOf(ready, await written(ready), deps);
      return concludeWork(ready.work, outcome, group, deps);
    };
  },
});

/** What is to be done for one customer after the first steps. */
type Prepared =
  /** No message can be used, or one that cannot be used could not be parked. */
  | { readonly kind: 'parked'; readonly retry: RetryReason | undefined }
  | { readonly kind: 'ended'; readonly work: CustomerWork; readonly outcome: Outcome }
  | Writing;

/** A balance that is about to be written. */
interface Writing extends Change<RecordKey<'customer'>> {
  readonly kind: 'writing';
  readonly work: CustomerWork;
  readonly balance: RememberedBalance;
  readonly before: Told | undefined;
  readonly given: BalanceChange;
}

/** The messages of one batch about one customer. */
interface CustomerWork {
  readonly key: RecordKey<'customer'>;
  /** The newest first. */
  readonly events: readonly BalanceEvent[];
  readonly requests: readonly BalanceRequest[];
  /** The events and after them the requests. The first counts; the others leave with it. */
  readonly items: readonly [BalanceItem, ...BalanceItem[]];
}

interface BalanceItem<Event = BalanceEvent | BalanceRequest> {
  readonly item: Item;
  readonly event: Event;
}

async function prepare(
  group: Group,
  entries: ReadonlyMap<string, LedgerEntry>,
  deps: BalanceDeps,
): Promise<Prepared> {
  const { unusable, work } = sortGroup(group.items, deps.shops);
  for (const { item, outcome } of unusable) {
    const retry = await conclude(item, outcome, group.unsettled, deps);
    if (retry) return { kind: 'parked', retry };
  }
  if (!work) return { kind: 'parked', retry: undefined };
  const decided = await decideAndMark(work, entries.get(ledgerKeyText(work.key)), deps);
  return decided.kind === 'writing' ? decided : { kind: 'ended', work, outcome: decided };
}

/** An outcome where there is nothing to write, or not now. */
async function decideAndMark(
  work: CustomerWork,
  read: LedgerEntry | undefined,
  deps: BalanceDeps,
): Promise<Writing | Outcome> {
  if (mergedInto(read) !== undefined) return { kind: 'skipped', why: 'customer-merged' };
  if (!isReadingNeeded(work, read)) return { kind: 'superseded' };
  const customer = await readCustomer(work.key, deps);
  if (customer.kind === 'retry') return customer;
  const decision = decideBalance(work, read, customer);
  if (decision.kind === 'superseded') return decision;
  if (decision.kind === 'no-balance') return { kind: 'skipped', why: 'no-balance' };
  const { key, items } = work;
  const { version, balance } = decision;
  const { topic } = items[0].event;
  const entry = read && withoutExpiry(read);
  const change = { key, entry, version, topic, now: deps.now() };
  const before = toldBefore(read, customer);
  if (decision.kind === 'unchanged') {
    const { facts, announce } = tellOf(key, balance, before, deps);
    const recorded = await record(change, { kind: 'unchanged', facts }, deps.ledger);
    if (recorded) await announce();
    return recorded ? { kind: 'unchanged' } : overtaken;
  }
  const facts = { remembered: rememberBalance(balance) };
  const given = balanceChange(key.id, balance, entry);
  const replaces = isApplied(entry);
  // The mark holds what is about to be written, so that any later worker can finish the work.
  const marked = replaces ? await record(change, { kind: 'marked', facts }, deps.ledger) : entry;
  if (replaces && !marked) return overtaken;
  return { ...change, entry: marked, kind: 'writing', work, balance, before, given };
}

/** What the store was told last. Undefined where nobody knows what the balance was. */
function toldBefore(entry: LedgerEntry | undefined, { isFirst }: ReadCustomer): Told | undefined {
  const known = recallBalance(entry?.remembered);
  if (!known) return isFirst && !entry ? { points: '0', tier: null, expiries: [] } : undefined;
  const { told, points, tier = null } = known;
  return told ?? (entry?.uncertain ? undefined : { points, tier, expiries: [] });
}

/** What is recorded with the balance, and then said. */
function tellOf(
  { shop, id }: RecordKey<'customer'>,
  balance: RememberedBalance,
  before: Told | undefined,
  deps: BalanceDeps,
) {
  const { announcing } = deps;
  if (!announcing) return { facts: { remembered: rememberBalance(balance) }, announce() {} };
  const { announcements, told } = announcementsOf(id, balance, before, announcing, deps.now());
  const facts = { remembered: rememberBalance({ ...balance, told }) };
  return { facts, announce: () => announceAll(shop, announcements, deps) };
}

/** The balance of a customer who has points again outlives the mark of an earlier redaction. */
function withoutExpiry({ expiresAt: _, ...entry }: LedgerEntry): LedgerEntry {
  return entry;
}

async function conclusionOf(
  writing: Writing,
  written: BalanceWritten,
  deps: BalanceDeps,
): Promise<Outcome> {
  const { work, balance, before, key } = writing;
  const change = { ...writing, now: deps.now() };
  switch (written.kind) {
    case 'written': {
      const { facts, announce } = tellOf(key, balance, before, deps);
      const applied = { appliedKey: balanceKey(balance), facts };
      const recorded = await recordApplied(change, applied, deps.ledger, () => {
        const [{ event }] = work.items;
        const again = { ...event, deliveryId: firstDeliveryId(event) };
        return deps.queue.send(askAgain(again, deps.now()));
      });
      if (recorded) await announce();
      return recorded ? { kind: 'applied', calls: [] } : overtaken;
    }
    case 'unknown-customer':
      await forget(change, deps);
      return { kind: 'skipped', why: 'unknown-customer' };
    case 'refused': {
      const why = `the store does not take the balance: ${written.code}`;
      return { kind: 'rejected', reason: 'rejected', why };
    }
    case 'unavailable':
      return retryStore(written);
  }
}

/** The balance of a customer whom the store does not know, who may never return. */
async function forget(
  change: Change<RecordKey<'customer'>>,
  { ledger, retentionDays }: BalanceDeps,
): Promise<void> {
  const { entry, now } = change;
  const forgotten = entry && {
    version: entry.version,
    uncertain: false,
    ...redactionOf(entry),
    outcomes: entry.outcomes,
    revision: entry.revision,
  };
  const facts = expiresAfter(retentionDays, now);
  // A conflict does not change the outcome.
  await record(change, { kind: 'skipped', why: 'unknown-customer', facts }, ledger, {
    entry: forgotten,
  });
}

/** All messages of a customer leave together or stay together. */
async function concludeWork(
  { items: [newest, ...older] }: CustomerWork,
  outcome: Outcome,
  { unsettled }: Group,
  deps: BalanceDeps,
): Promise<RetryReason | undefined> {
  const retry = await conclude(newest.item, outcome, unsettled, deps);
  if (retry) return retry;
  // They are older than what was settled, or than what now waits for a person.
  for (const { item } of older) await conclude(item, { kind: 'superseded' }, unsettled, deps);
  return undefined;
}

/**
 * A tier is taken away unless the ledger knows that there is none: the first write has no mark, so a
 * worker that died may have left one, and so may an earlier ledger. The same holds for expiring points.
 */
export function balanceChange(
  customerId: string,
  { points, cashback, tier, expiring }: RememberedBalance,
  entry: LedgerEntry | undefined,
): BalanceChange {
  const held = entry?.uncertain ? undefined : recallBalance(entry?.remembered);
  const leavesTier = tier === undefined || (tier === null && held?.tier === null);
  const leavesExpiring = expiring === undefined || (expiring === null && held?.expiring === null);
  return {
    customerId,
    points,
    cashback,
    ...(!leavesTier && { tier }),
    ...(!leavesExpiring && { expiring }),
  };
}

/** One call for each shop, when every customer is prepared. Returns what became of one balance. */
function writeTogether(prepared: readonly Promise<Prepared>[], store: BalanceStore) {
  const calls = Promise.allSettled(prepared).then((all) => {
    const ready = all.flatMap((one) =>
      one.status === 'fulfilled' && one.value.kind === 'writing' ? [one.value] : [],
    );
    const shops = Map.groupBy(ready, ({ key }) => key.shop);
    return new Map(
      [...shops].map(([shop, some]) => {
        const changes = some.map(({ given }) => given);
        const answers = store.writeBalances(shop, changes);
        answers.catch(() => {}); // thrown in the work on each of these customers
        return [shop, { some, answers }];
      }),
    );
  });
  return async (one: Writing): Promise<BalanceWritten> => {
    const call = (await calls).get(one.key.shop);
    const written = call && (await call.answers)[call.some.indexOf(one)];
    return written ?? { kind: 'unavailable', why: 'no-word' };
  };
}

/**
 * A balance has a version: of an event its date, by the service's clock; of a reading the moment its request
 * began, by our clock. The larger version wins.
 *
 * The two clocks are taken to differ by five minutes at most, in either direction. An event dated further
 * ahead of its arrival is parked. An event dated before the known version by less than that may still be
 * the newer one, so it loses only with its own balance: the worker reads again, and what the service
 * says then is newer than both.
 * See docs/decisions/0022-balances-follow-event-dates-and-are-read-when-in-doubt.md.
 */
const SKEW_MS = 5 * 60_000;

type BalanceDecision =
  | { readonly kind: 'write'; readonly version: number; readonly balance: RememberedBalance }
  /** No write to the store, but the version moves on, or a late middle event would be applied. */
  | { readonly kind: 'unchanged'; readonly version: number; readonly balance: RememberedBalance }
  | { readonly kind: 'superseded' }
  /** Asked for, and the service names none. */
  | { readonly kind: 'no-balance' };

/** True also for an event with the known balance: the points about to expire may have changed. */
function isReadingNeeded(
  { events, requests }: CustomerWork,
  entry: LedgerEntry | undefined,
): boolean {
  if (!entry) return true;
  const isUnfinished = entry.uncertain && recallBalance(entry.remembered) !== undefined;
  if (isUnfinished || requests.some((one) => isOpen(one, entry))) return true;
  const [newest] = freshEvents(events, entry);
  const isOld = !newest || dateOf(newest) < entry.version - SKEW_MS;
  return !isOld;
}

/** `read` has no balance where the service names none for the customer. */
function decideBalance(
  { events, requests }: CustomerWork,
  entry: LedgerEntry | undefined,
  read: ReadCustomer,
): BalanceDecision {
  const known = recallBalance(entry?.remembered);
  const fresh = freshEvents(events, entry);
  const [newest] = fresh;
  const seen = seenWith(events, known);
  const decide = (
    version: number,
    { points, cashback }: Pick<RememberedBalance, 'points' | 'cashback'>,
  ): BalanceDecision => {
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

const dateOf = ({ eventDate }: BalanceEvent): number => Date.parse(eventDate);

type Rejected = Extract<Outcome, { kind: 'rejected' }>;

/** Separates what cannot be used, and orders the rest by date. */
export function sortGroup(
  items: readonly Item[],
  shops: { has(shop: string): boolean },
): {
  readonly unusable: readonly { readonly item: Item; readonly outcome: Rejected }[];
  /** Undefined when no message of the group can be used. */
  readonly work: CustomerWork | undefined;
} {
  const unusable: { item: Item; outcome: Rejected }[] = [];
  const events: BalanceItem<BalanceEvent>[] = [];
  const requests: BalanceItem<BalanceRequest>[] = [];
  for (const item of items) {
    const read = readItem(item, shops);
    if (read.kind === 'rejected') unusable.push({ item, outcome: read });
    else if ('eventDate' in read) events.push({ item, event: read });
    else requests.push({ item, event: read });
  }
  const ordered = newestFirst(events);
  const [first, ...others] = [...ordered, ...requests];
  if (!first) return { unusable, work: undefined };
  const work: CustomerWork = {
    key: customerKey(first.event),
    events: ordered.map(({ event }) => event),
    requests: requests.map(({ event }) => event),
    items: [first, ...others],
  };
  return { unusable, work };
}

function readItem(
  item: Item,
  shops: { has(shop: string): boolean },
): BalanceEvent | BalanceRequest | Rejected {
  if (!item.event) return unreadable(item.unreadable);
  const { event } = item;
  if (event.kind !== 'balance') return unreadable('it belongs on another queue');
  if (!shops.has(event.shop))
    return unreadable('the shop is not in the settings of the storefront');
  if (!('eventDate' in event)) return event;
  // Applied, an event dated after its own arrival would keep out every true event until that date. Compared
  // with the arrival, not with now: waiting on the queue does not make the date right.
  const aheadMs = dateOf(event) - Date.parse(event.receivedAt);
  if (aheadMs <= SKEW_MS) return event;
  const minutes = Math.round(aheadMs / 60_000);
  const why = `its EventDate lies ${minutes} minutes after its arrival and would keep true events out: see whether the loyalty service's clock or time zone is wrong`;
  return { kind: 'rejected', reason: 'rejected', why };
}

/** By date; within one date by arrival, where a repetition counts as arriving with the first. */
function newestFirst(items: readonly BalanceItem<BalanceEvent>[]): BalanceItem<BalanceEvent>[] {
  const arrivals = new Map<string, bigint>();
  for (const { item, event } of items) {
    const arrival = BigInt(item.message.sequenceNumber);
    const known = arrivals.get(firstDeliveryId(event));
    if (known === undefined || arrival < known) arrivals.set(firstDeliveryId(event), arrival);
  }
  const arrivalOf = ({ event }: BalanceItem) => arrivals.get(firstDeliveryId(event)) ?? 0n;
  return items.toSorted((a, b) => {
    const byDate = dateOf(b.event) - dateOf(a.event);
    return byDate === 0 ? Number(arrivalOf(b) - arrivalOf(a)) : byDate;
  });
}

function customerKey({ shop, id }: Pick<BalanceEvent, 'shop' | 'id'>): RecordKey<'customer'> {
  return { shop, kind: 'customer', id };
}
