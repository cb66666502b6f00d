import type { ConcludeDeps } from '../../core/batch/delay-or-park.ts';
import { conclude, type Group, type Settle } from '../../core/batch/run-batch.ts';
import type { Item } from '../../core/batch/waiting.ts';
import { askAgain, type BalanceEvent, type EventQueue } from '../../core/events/event.ts';
import {
  type Outcome,
  overtaken,
  type RetryReason,
  unreadable,
} from '../../core/events/outcome.ts';
import {
  type Change,
  mergedInto,
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
 * Read the service → mark → write → record → announce. A group is one customer. The customers of a shop
 * are written in one call; in all else they are independent.
 * See docs/decisions/0022-a-balance-is-what-a-reading-says.md.
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
      return concludeAll(ready.items, outcome, group, deps);
    };
  },
});

type Prepared =
  /** No message can be used, or one that cannot be used could not be parked. */
  | { readonly kind: 'parked'; readonly retry: RetryReason | undefined }
  | { readonly kind: 'ended'; readonly items: Items; readonly outcome: Outcome }
  | Writing;

interface Writing extends Change<RecordKey<'customer'>> {
  readonly kind: 'writing';
  readonly items: Items;
  readonly balance: RememberedBalance;
  readonly before: Told | undefined;
  readonly given: BalanceChange;
}

/** The messages of one batch about one customer, the newest first: it counts, and the others leave with it. */
type Items = readonly [BalanceItem, ...BalanceItem[]];

type BalanceItem = Item & { readonly event: BalanceEvent };

async function prepare(
  group: Group,
  entries: ReadonlyMap<string, LedgerEntry>,
  deps: BalanceDeps,
): Promise<Prepared> {
  const usable: BalanceItem[] = [];
  for (const item of group.items) {
    const why = whyUnreadable(item, deps.shops);
    if (why === undefined) usable.push(item as BalanceItem);
    else {
      const retry = await conclude(item, unreadable(why), group.unsettled, deps);
      if (retry) return { kind: 'parked', retry };
    }
  }
  const [newest, ...older] = usable.reverse();
  if (!newest) return { kind: 'parked', retry: undefined };
  const items: Items = [newest, ...older];
  const decided = await decideAndMark(items, entries, deps);
  return decided.kind === 'writing' ? decided : { kind: 'ended', items, outcome: decided };
}

function whyUnreadable(item: Item, shops: BalanceDeps['shops']): string | undefined {
  if (!item.event) return item.unreadable;
  if (item.event.kind !== 'balance') return 'it belongs on another queue';
  return shops.has(item.event.shop) ? undefined : SHOP_UNKNOWN;
}

export const SHOP_UNKNOWN = 'the shop is not in the settings of the storefront';

/** An outcome where there is nothing to write, or not now. */
async function decideAndMark(
  items: Items,
  entries: ReadonlyMap<string, LedgerEntry>,
  deps: BalanceDeps,
): Promise<Writing | Outcome> {
  const { topic } = items[0].event;
  const key = customerKey(items[0].event);
  const read = entries.get(ledgerKeyText(key));
  if (mergedInto(read) !== undefined) return { kind: 'skipped', why: 'customer-merged' };
  const known = recallBalance(read?.remembered);
  const isUnfinished = known !== undefined && read?.uncertain === true;
  if (!isUnfinished && !items.some(({ event }) => isOpen(event, read))) {
    return { kind: 'superseded' };
  }
  const customer = await readCustomer(key, deps);
  if (customer.kind === 'retry') return customer;
  if (!customer.balance) return { kind: 'skipped', why: 'no-balance' };
  const { began: version, tier } = customer;
  // What the service did not say stays as it is known.
  const balance = { ...known, ...customer.balance, ...(tier !== undefined && { tier }) };
  const entry = read && withoutExpiry(read);
  const change = { key, entry, version, topic, now: deps.now() };
  const before = toldBefore(read, customer);
  const isApplied = entry?.appliedKey !== undefined && !entry.uncertain;
  if (isApplied && entry.appliedKey === balanceKey(balance)) {
    const { facts, announce } = tellOf(key, balance, before, deps);
    const recorded = await record(change, { kind: 'unchanged', facts }, deps.ledger);
    if (recorded) await announce();
    return recorded ? { kind: 'unchanged' } : overtaken;
  }
  const given = balanceChange(key.id, balance, entry);
  // A worker that finds the mark reads and writes again.
  const marked = isApplied ? await record(change, MARKED, deps.ledger) : entry;
  if (isApplied && !marked) return overtaken;
  return { ...change, entry: marked, kind: 'writing', items, balance, before, given };
}

const MARKED = { kind: 'marked', facts: {} } as const;

/**
 * Not answered by a reading since: a balance has the moment at which its reading began as its version. Of a redacted
 * person nothing is read that no new point event asks for.
 */
function isOpen({ receivedAt, topic }: BalanceEvent, entry: LedgerEntry | undefined): boolean {
  const at = Date.parse(receivedAt);
  if (recallBalance(entry?.remembered)) return at > (entry?.version ?? 0);
  if (entry?.redactedAt === undefined) return true;
  return at > entry.redactedAt && topic !== 'visit' && topic !== 'repair';
}

/** What the store was told last. Undefined where nobody knows what the balance was. */
function toldBefore(entry: LedgerEntry | undefined, { isFirst }: ReadCustomer): Told | undefined {
  const known = recallBalance(entry?.remembered);
  if (!known) return isFirst && !entry ? { points: '0', tier: null, expiries: [] } : undefined;
  const { told, points, tier = null } = known;
  return told ?? { points, tier, expiries: [] };
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
  const { items, balance, before, key } = writing;
  const change = { ...writing, now: deps.now() };
  switch (written.kind) {
    case 'written': {
      const { facts, announce } = tellOf(key, balance, before, deps);
      const applied = { facts: { appliedKey: balanceKey(balance), ...facts } };
      const recorded = await recordApplied(change, applied, deps.ledger, () =>
        deps.queue.send(askAgain(items[0].event, deps.now())),
      );
      if (recorded) await announce();
      return recorded ? { kind: 'applied', calls: [] } : overtaken;
    }
    case 'unknown-customer':
      await forget(change, deps);
      return { kind: 'skipped', why: 'unknown-customer' };
    case 'refused': {
      const why = `the store refused the balance: ${written.code}`;
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
async function concludeAll(
  [newest, ...older]: Items,
  outcome: Outcome,
  { unsettled }: Group,
  deps: BalanceDeps,
): Promise<RetryReason | undefined> {
  const retry = await conclude(newest, outcome, unsettled, deps);
  if (retry) return retry;
  // They are older than what was settled, or than what now waits for a person.
  for (const item of older) await conclude(item, { kind: 'superseded' }, unsettled, deps);
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

function customerKey({ shop, id }: Pick<BalanceEvent, 'shop' | 'id'>): RecordKey<'customer'> {
  return { shop, kind: 'customer', id };
}
