import { type ConcludeWorld, conclude } from '../batch/conclude.ts';
import { type Outcome, overtaken, type RetryReason } from '../batch/outcome.ts';
import { type Group, readLedger, type Settle } from '../batch/run-batch.ts';
import { askAgain, firstDeliveryId } from '../events/message-ids.ts';
import {
  appliedEntry,
  type Change,
  markChange,
  recordApplied,
  recordChange,
  skippedEntry,
  unchangedEntry,
} from '../ledger/change-entry.ts';
import { expiresAfter, type Ledger, type LedgerEntry } from '../ledger/ledger.ts';
import { ledgerKeyText, type RecordKey } from '../ledger/ledger-key.ts';
import { redactionOf } from '../ledger/redacted-person.ts';
import { noticeSpendings, type SpendingWorld } from '../redeem/notice-spending.ts';
import { retryStore } from '../sync/store-reader.ts';
import type { BalanceChange, BalanceStore, BalanceWritten } from './balance-store.ts';
import { type CustomerWork, type SortedGroup, sortGroup } from './customer-work.ts';
import { decideBalance } from './decide-balance.ts';
import { readTier, type TierWorld } from './read-tier.ts';
import {
  balanceKey,
  type RememberedBalance,
  recallBalance,
  rememberBalance,
} from './remembered-balance.ts';

export interface BalanceWorld extends ConcludeWorld, SpendingWorld, TierWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write' | 'markUncertain'>;
  readonly balances: BalanceStore;
}

/** A balance that is about to be written. */
interface Writing extends Change<RecordKey<'customer'>> {
  readonly kind: 'writing';
  readonly work: CustomerWork;
  readonly balance: RememberedBalance;
  readonly given: BalanceChange;
}

/**
 * Decide → read the tier → mark → write → record. A group is one customer. The customers of a shop are
 * written in one call; in all else they are independent.
 * See docs/decisions/0026-balances-are-written-together.md.
 */
export const settleBalances: Settle<BalanceWorld> = (groups, world) => {
  const sorted = groups.map((group) => ({ group, ...sortGroup(group.items, world.shops) }));
  const keys = sorted.flatMap(({ work }) => (work ? [work.key] : []));
  const entries = readLedger(keys, world);
  const prepared = new Map(
    sorted.map((customer) => [customer.group, prepare(customer, entries, world)]),
  );
  const written = writeTogether([...prepared.values()], world.balances);
  return async (group) => {
    const ready = await prepared.get(group);
    if (!ready || ready.kind === 'parked') return ready?.retry;
    const { work } = ready;
    const outcome =
      ready.kind === 'ended' ? ready.outcome : await record(ready, await written(ready), world);
    return concludeWork(work, outcome, group, world);
  };
};

/** What is to be done for one customer after the first steps. */
type Prepared =
  /** No message can be used, or one that cannot be used could not be parked. */
  | { readonly kind: 'parked'; readonly retry: RetryReason | undefined }
  | { readonly kind: 'ended'; readonly work: CustomerWork; readonly outcome: Outcome }
  | Writing;

async function prepare(
  { group, unusable, work }: SortedGroup & { readonly group: Group },
  entries: ReturnType<typeof readLedger>,
  world: BalanceWorld,
): Promise<Prepared> {
  for (const { item, outcome } of unusable) {
    const retry = await conclude(item, outcome, group.unsettled, world);
    if (retry) return { kind: 'parked', retry };
  }
  if (!work) return { kind: 'parked', retry: undefined };
  const events = work.items.map(({ event }) => event);
  const unnoticed = await noticeSpendings(events, world);
  if (unnoticed) return { kind: 'ended', work, outcome: { kind: 'retry', ...unnoticed } };
  const known = await entries;
  const decided = known
    ? await decideAndMark(work, known.get(ledgerKeyText(work.key)), world)
    : ({ kind: 'retry', why: 'ledger-unavailable' } as const);
  return decided.kind === 'writing' ? decided : { kind: 'ended', work, outcome: decided };
}

/** An outcome where there is nothing to write, or not now. */
async function decideAndMark(
  work: CustomerWork,
  entry: LedgerEntry | undefined,
  world: BalanceWorld,
): Promise<Writing | Outcome> {
  const { key, newest: event, moment } = work;
  const decision = decideBalance(moment, entry);
  if (decision.kind === 'superseded') return decision;
  const { version } = decision;
  const change = { key, entry, version, topic: event.topic, now: world.now() };
  if (decision.kind === 'unchanged') {
    const next = unchangedEntry(change, { remembered: rememberBalance(decision.balance) });
    return (await recordChange(change, next, world.ledger)) ? { kind: 'unchanged' } : overtaken;
  }
  let { balance } = decision;
  if (!decision.tierIsKnown) {
    const read = await readTier(event, world);
    if (read.kind === 'retry') return { kind: 'retry', ...read.retry };
    balance = { ...balance, ...(read.tier !== undefined && { tier: read.tier }) };
  }
  const given = balanceChange(event.id, balance, entry);
  const replaces = entry?.appliedKey !== undefined && !entry.uncertain;
  // The mark holds what is about to be written, so that any later worker can finish the work.
  const marked = replaces
    ? await markChange(change, world.ledger, { remembered: rememberBalance(balance) })
    : change;
  return marked ? { ...marked, kind: 'writing', work, balance, given } : overtaken;
}

/**
 * A tier is taken away unless the ledger knows that there is none: the first write has no mark, so a
 * worker that died may have left one, and so may an earlier ledger.
 */
function balanceChange(
  customerId: string,
  { points, cashback, tier }: RememberedBalance,
  entry: LedgerEntry | undefined,
): BalanceChange {
  const hasNone = !entry?.uncertain && recallBalance(entry?.remembered)?.tier === null;
  const change = { customerId, points, cashback };
  return tier === undefined || (tier === null && hasNone) ? change : { ...change, tier };
}

/** One call for each shop, when every customer is prepared. Returns what became of one balance. */
function writeTogether(prepared: readonly Promise<Prepared>[], store: BalanceStore) {
  const calls = Promise.allSettled(prepared).then((all) => {
    const writings = all.flatMap((one) =>
      one.status === 'fulfilled' && one.value.kind === 'writing' ? [one.value] : [],
    );
    const shops = Map.groupBy(writings, ({ key }) => key.shop);
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
  return async (writing: Writing): Promise<BalanceWritten> => {
    const call = (await calls).get(writing.key.shop);
    const written = call && (await call.answers)[call.some.indexOf(writing)];
    return written ?? { kind: 'unavailable', why: 'no-word' };
  };
}

async function record(
  writing: Writing,
  written: BalanceWritten,
  world: BalanceWorld,
): Promise<Outcome> {
  const { work, balance } = writing;
  const change = { ...writing, now: world.now() };
  switch (written.kind) {
    case 'written': {
      const next = appliedEntry(change, balanceKey(balance), {
        remembered: rememberBalance(balance),
      });
      const recorded = await recordApplied(change, next, world.ledger, () => {
        const deliveryId = firstDeliveryId(work.newest);
        return world.queue.send(askAgain({ ...work.newest, deliveryId }, world.now()));
      });
      return recorded ? { kind: 'applied', calls: [] } : overtaken;
    }
    case 'unknown-customer':
      // A conflict does not change the outcome.
      await recordChange(change, unknownCustomer(change, world), world.ledger);
      return { kind: 'skipped', why: 'unknown-customer' };
    case 'refused': {
      const why = `the store does not take the balance: ${written.code}`;
      return { kind: 'rejected', reason: 'rejected', why };
    }
    case 'unavailable':
      return retryStore(written);
  }
}

/** Forgets the balance, and expires: a customer whom the store does not know may never return. */
function unknownCustomer(change: Change, { retentionDays }: BalanceWorld) {
  const { entry } = change;
  const forgotten = entry && {
    version: entry.version,
    uncertain: false,
    ...redactionOf(entry),
    outcomes: entry.outcomes,
    revision: entry.revision,
  };
  const facts = expiresAfter(retentionDays, change.now);
  return skippedEntry({ ...change, entry: forgotten }, 'unknown-customer', facts);
}

/** All messages of a customer leave together or stay together. */
async function concludeWork(
  { items: [newest, ...older] }: CustomerWork,
  outcome: Outcome,
  { unsettled }: Group,
  world: BalanceWorld,
): Promise<RetryReason | undefined> {
  const retry = await conclude(newest.item, outcome, unsettled, world);
  if (retry) return retry;
  // They are older than what was settled, or than what now waits for a person.
  for (const { item } of older) await conclude(item, { kind: 'superseded' }, unsettled, world);
  return undefined;
}
