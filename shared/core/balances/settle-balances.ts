import { type ConcludeWorld, conclude, type Item } from '../batch/conclude.ts';
import type { Group, Settle } from '../batch/run-batch.ts';
import {
  askAgain,
  type BalanceEvent,
  type BalanceRequest,
  type EventQueue,
  firstDeliveryId,
} from '../events/event.ts';
import { type Outcome, overtaken, type RetryReason } from '../events/outcome.ts';
import { type Change, record, recordApplied, redactionOf } from '../ledger/entry.ts';
import {
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  ledgerKeyText,
  type RecordKey,
} from '../ledger/ledger.ts';
import { mergedInto } from '../ledger/merged-customer.ts';
import { retryStore } from '../store/store.ts';
import {
  type BalanceDecision,
  dateOf,
  decideBalance,
  isFromTheFuture,
  type Messages,
  planBalance,
} from './decide-balance.ts';
import {
  type BalanceChange,
  type BalanceStore,
  type BalanceWritten,
  balanceKey,
  type RememberedBalance,
  recallBalance,
  rememberBalance,
} from './point-balance.ts';
import { type ReadCustomerDeps, readCustomer } from './read-customer.ts';

export interface BalanceDeps extends ConcludeWorld, ReadCustomerDeps {
  readonly ledger: Pick<Ledger, 'readMany' | 'write' | 'markUncertain'>;
  readonly balances: BalanceStore;
  readonly queue: EventQueue;
  readonly retentionDays: number;
}

/** A balance that is about to be written. */
interface Writing extends Change<RecordKey<'customer'>>, Given {
  readonly kind: 'writing';
  readonly work: CustomerWork;
  readonly balance: RememberedBalance;
}

/**
 * Plan → read the service → decide → mark → write → record. A group is one customer. The customers of a shop
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
    const written = writeTogether(
      [...prepared.values()].map(async (one) => {
        const ready = await one;
        return { writing: ready.kind === 'writing' ? ready : undefined };
      }),
      deps.balances,
    );
    return async (group) => {
      const ready = await prepared.get(group);
      if (!ready || ready.kind === 'parked') return ready?.retry;
      const { work } = ready;
      const outcome =
        ready.kind === 'ended'
          ? ready.outcome
          : await conclusionOf(ready, await written(ready), deps);
      return concludeWork(work, outcome, group, deps);
    };
  },
});

/** What is to be done for one customer after the first steps. */
type Prepared =
  /** No message can be used, or one that cannot be used could not be parked. */
  | { readonly kind: 'parked'; readonly retry: RetryReason | undefined }
  | { readonly kind: 'ended'; readonly work: CustomerWork; readonly outcome: Outcome }
  | Writing;

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
  const decision = await decide(work, read, deps);
  if (decision.kind === 'retry' || decision.kind === 'superseded') return decision;
  if (decision.kind === 'no-balance') return { kind: 'skipped', why: 'no-balance' };
  const { key, items } = work;
  const { version, balance } = decision;
  const { topic } = items[0].event;
  const entry = read && withoutExpiry(read);
  const change = { key, entry, version, topic, now: deps.now() };
  const facts = { remembered: rememberBalance(balance) };
  if (decision.kind === 'unchanged') {
    const recorded = await record(change, { kind: 'unchanged', facts }, deps.ledger);
    return recorded ? { kind: 'unchanged' } : overtaken;
  }
  const given = balanceChange(key.id, balance, entry);
  const replaces = entry?.appliedKey !== undefined && !entry.uncertain;
  // The mark holds what is about to be written, so that any later worker can finish the work.
  const marked = replaces ? await record(change, { kind: 'marked', facts }, deps.ledger) : entry;
  if (replaces && !marked) return overtaken;
  return { ...change, entry: marked, kind: 'writing', shop: key.shop, work, balance, given };
}

async function decide(
  work: CustomerWork,
  entry: LedgerEntry | undefined,
  deps: BalanceDeps,
): Promise<BalanceDecision | Extract<Outcome, { kind: 'retry' }>> {
  const plan = planBalance(work, entry);
  if (plan.kind !== 'read') return plan;
  const read = await readCustomer(work.key, deps);
  if (read.kind === 'retry') return { kind: 'retry', ...read.retry };
  return decideBalance(work, entry, read);
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
  const { work, balance } = writing;
  const change = { ...writing, now: deps.now() };
  switch (written.kind) {
    case 'written': {
      const facts = { remembered: rememberBalance(balance) };
      const applied = { appliedKey: balanceKey(balance), facts };
      const recorded = await recordApplied(change, applied, deps.ledger, () => {
        const [{ event }] = work.items;
        const again = { ...event, deliveryId: firstDeliveryId(event) };
        return deps.queue.send(askAgain(again, deps.now()));
      });
      if (!recorded) return overtaken;
      return { kind: 'applied', calls: [] };
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

/** A balance that is about to be written. */
interface Given {
  readonly shop: string;
  readonly given: BalanceChange;
}

/** One call for each shop, when every customer is prepared. Returns what became of one balance. */
function writeTogether<One extends Given>(
  prepared: readonly Promise<{ readonly writing: One | undefined }>[],
  store: BalanceStore,
) {
  const calls = Promise.allSettled(prepared).then((all) => {
    const ready = all.flatMap((one) =>
      one.status === 'fulfilled' && one.value.writing ? [one.value.writing] : [],
    );
    const shops = Map.groupBy(ready, ({ shop }) => shop);
    return new Map(
      [...shops].map(([shop, some]) => {
        const answers = store.writeBalances(
          shop,
          some.map(({ given }) => given),
        );
        answers.catch(() => {}); // thrown in the work on each of these customers
        return [shop, { some, answers }];
      }),
    );
  });
  return async (one: One): Promise<BalanceWritten> => {
    const call = (await calls).get(one.shop);
    const written = call && (await call.answers)[call.some.indexOf(one)];
    return written ?? { kind: 'unavailable', why: 'no-word' };
  };
}

type Rejected = Extract<Outcome, { kind: 'rejected' }>;

interface BalanceItem<Event = BalanceEvent | BalanceRequest> {
  readonly item: Item;
  readonly event: Event;
}

/** The messages of one batch about one customer. The first counts; the others leave with it. */
interface CustomerWork extends Messages {
  readonly key: RecordKey<'customer'>;
  /** The events, the newest first, and after them the requests. */
  readonly items: readonly [BalanceItem, ...BalanceItem[]];
}

interface SortedGroup {
  readonly unusable: readonly { readonly item: Item; readonly outcome: Rejected }[];
  /** Undefined when no message of the group can be used. */
  readonly work: CustomerWork | undefined;
}

function customerKey({ shop, id }: Pick<BalanceEvent, 'shop' | 'id'>): RecordKey<'customer'> {
  return { shop, kind: 'customer', id };
}

/** Separates what cannot be used, and orders the rest by date. */
export function sortGroup(
  items: readonly Item[],
  shops: { has(shop: string): boolean },
): SortedGroup {
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
  if (!item.event) return rejected('unreadable', item.unreadable);
  const { event } = item;
  if (event.kind !== 'balance') return rejected('unreadable', 'it belongs on another queue');
  if (!shops.has(event.shop)) {
    return rejected('unreadable', 'the shop is not in the settings of the storefront');
  }
  if (!('eventDate' in event) || !isFromTheFuture(event)) return event;
  const minutes = Math.round((dateOf(event) - Date.parse(event.receivedAt)) / 60_000);
  return rejected(
    'rejected',
    `its EventDate lies ${minutes} minutes after its arrival and would keep true events out: see whether the loyalty service's clock or time zone is wrong`,
  );
}

function rejected(reason: Rejected['reason'], why: string): Rejected {
  return { kind: 'rejected', reason, why };
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
