import { type ConcludeWorld, conclude } from '../batch/conclude.ts';
import { type Outcome, overtaken, type RetryReason } from '../batch/outcome.ts';
import type { Group, Settle } from '../batch/run-batch.ts';
import { askAgain, firstDeliveryId } from '../events/message-ids.ts';
import type { EventQueue } from '../events/queues.ts';
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
import { mergedInto } from '../ledger/merged-customer.ts';
import { redactionOf } from '../ledger/redacted-person.ts';
import { retryStore } from '../sync/store-reader.ts';
import type { BalanceStore, BalanceWritten } from './balance-store.ts';
import { type CustomerWork, customerKey, sortGroup } from './customer-work.ts';
import { type BalanceDecision, decideBalance, planBalance } from './decide-balance.ts';
import { type ReadCustomerWorld, readCustomer } from './read-customer.ts';
import { balanceKey, type RememberedBalance, rememberBalance } from './remembered-balance.ts';
import { balanceChange, type Given, writeTogether } from './write-together.ts';

export interface BalanceWorld extends ConcludeWorld, ReadCustomerWorld {
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
 * See docs/decisions/0026-balances-are-written-together.md.
 */
export const settleBalances: Settle<BalanceWorld> = (groups, world) => ({
  keys: groups.flatMap(({ items }) => {
    const event = items.find((item) => item.event)?.event;
    return event?.kind === 'balance' ? [customerKey(event)] : [];
  }),
  begin(customers, entries) {
    const prepared = new Map(customers.map((group) => [group, prepare(group, entries, world)]));
    const written = writeTogether(
      [...prepared.values()].map(async (one) => {
        const ready = await one;
        return { writing: ready.kind === 'writing' ? ready : undefined };
      }),
      world.balances,
    );
    return async (group) => {
      const ready = await prepared.get(group);
      if (!ready || ready.kind === 'parked') return ready?.retry;
      const { work } = ready;
      const outcome =
        ready.kind === 'ended' ? ready.outcome : await record(ready, await written(ready), world);
      return concludeWork(work, outcome, group, world);
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
  world: BalanceWorld,
): Promise<Prepared> {
  const { unusable, work } = sortGroup(group.items, world.shops);
  for (const { item, outcome } of unusable) {
    const retry = await conclude(item, outcome, group.unsettled, world);
    if (retry) return { kind: 'parked', retry };
  }
  if (!work) return { kind: 'parked', retry: undefined };
  const decided = await decideAndMark(work, entries.get(ledgerKeyText(work.key)), world);
  return decided.kind === 'writing' ? decided : { kind: 'ended', work, outcome: decided };
}

/** An outcome where there is nothing to write, or not now. */
async function decideAndMark(
  work: CustomerWork,
  read: LedgerEntry | undefined,
  world: BalanceWorld,
): Promise<Writing | Outcome> {
  if (mergedInto(read) !== undefined) return { kind: 'skipped', why: 'customer-merged' };
  const decision = await decide(work, read, world);
  if (decision.kind === 'retry' || decision.kind === 'superseded') return decision;
  if (decision.kind === 'no-balance') return { kind: 'skipped', why: 'no-balance' };
  const { key, items } = work;
  const { version, balance } = decision;
  const { topic } = items[0].event;
  const entry = read && withoutExpiry(read);
  const change = { key, entry, version, topic, now: world.now() };
  const facts = { remembered: rememberBalance(balance) };
  if (decision.kind === 'unchanged') {
    const next = unchangedEntry(change, facts);
    return (await recordChange(change, next, world.ledger)) ? { kind: 'unchanged' } : overtaken;
  }
  const given = balanceChange(key.id, balance, entry);
  const replaces = entry?.appliedKey !== undefined && !entry.uncertain;
  // The mark holds what is about to be written, so that any later worker can finish the work.
  const marked = replaces ? await markChange(change, world.ledger, facts) : change;
  return marked ? { ...marked, kind: 'writing', shop: key.shop, work, balance, given } : overtaken;
}

async function decide(
  work: CustomerWork,
  entry: LedgerEntry | undefined,
  world: BalanceWorld,
): Promise<BalanceDecision | Extract<Outcome, { kind: 'retry' }>> {
  const plan = planBalance(work, entry);
  if (plan.kind !== 'read') return plan;
  const read = await readCustomer(work.key, world);
  if (read.kind === 'retry') return { kind: 'retry', ...read.retry };
  return decideBalance(work, entry, read);
}

/** The balance of a customer who has points again outlives the mark of an earlier redaction. */
function withoutExpiry({ expiresAt: _, ...entry }: LedgerEntry): LedgerEntry {
  return entry;
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
        const [{ event }] = work.items;
        const again = { ...event, deliveryId: firstDeliveryId(event) };
        return world.queue.send(askAgain(again, world.now()));
      });
      if (!recorded) return overtaken;
      return { kind: 'applied', calls: [] };
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
