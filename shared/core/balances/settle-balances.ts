import { type Outcome, overtaken } from '../batch/outcome.ts';
import { AFTER_UNKNOWN_OUTCOME } from '../batch/retry-policy.ts';
import { correlationOf, errorFields, type Telemetry } from '../batch/telemetry.ts';
import { askAgain, firstDeliveryId } from '../events/ask-again.ts';
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
import { redactionOf } from '../ledger/redacted-person.ts';
import { retryStore } from '../sync/store-reader.ts';
import type { BalanceChange, BalanceStore, BalanceWritten } from './balance-store.ts';
import { decideBalance } from './decide-balance.ts';
import { readTier, type TierSource } from './read-tier.ts';
import {
  balanceKey,
  type RememberedBalance,
  recallBalance,
  rememberBalance,
} from './remembered-balance.ts';
import type { CustomerWork } from './sort-out-messages.ts';

export interface SettleWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write' | 'markUncertain'>;
  readonly store: BalanceStore;
  readonly queue: EventQueue;
  readonly tiersOf: (shop: string) => TierSource;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  /** Days for which a customer whom the store does not know is remembered. */
  readonly retentionDays: number;
  readonly deadline: AbortSignal;
}

/** A customer whose balance is about to be written. */
interface Writing extends Change<RecordKey<'customer'>> {
  readonly work: CustomerWork;
  readonly balance: RememberedBalance;
  readonly given: BalanceChange;
}

type Ended = Map<CustomerWork, Outcome>;

/**
 * Decide → read tiers → mark → write together → record. `ended` gets the outcome of each customer's work
 * as soon as there is one. Never rejects.
 * See docs/decisions/0026-balances-are-written-together.md.
 */
export async function settleBalances(
  works: readonly CustomerWork[],
  ended: Ended,
  world: SettleWorld,
): Promise<void> {
  const entries = await readLedger(works, world);
  if (!entries) {
    for (const work of works) ended.set(work, { kind: 'retry', why: 'ledger-unavailable' });
    return;
  }
  // At most as many as a batch has messages, which is ten.
  const prepared = await Promise.all(
    works.map((work) =>
      guard(work, ended, world, () => prepare(work, entries.get(ledgerKeyText(work.key)), world)),
    ),
  );
  const writings = prepared.filter((one) => one !== undefined);
  const shops = Map.groupBy(writings, ({ key }) => key.shop);
  await Promise.all([...shops].map(([shop, all]) => writeTogether(shop, all, ended, world)));
}

/** Undefined when the ledger cannot be read: then nothing can be decided for any customer. */
async function readLedger(works: readonly CustomerWork[], { ledger, telemetry }: SettleWorld) {
  try {
    return works.length === 0
      ? new Map<string, LedgerEntry>()
      : await ledger.readMany(works.map(({ key }) => key));
  } catch (error) {
    telemetry.log('error', 'the ledger could not be read', errorFields(error));
    return undefined;
  }
}

/** Decide → read the tier → mark. An outcome where there is nothing to write, or not now. */
async function prepare(
  work: CustomerWork,
  entry: LedgerEntry | undefined,
  world: SettleWorld,
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
    const read = await readTier(event.id, world.tiersOf(event.shop), world);
    if (read.kind === 'retry') return { kind: 'retry', ...read.retry };
    balance = { ...balance, ...(read.tier !== undefined && { tier: read.tier }) };
  }
  const given = balanceChange(event.id, balance, entry);
  const replaces = entry?.appliedKey !== undefined && !entry.uncertain;
  // The mark holds what is about to be written, so that any later worker can finish the work.
  const marked = replaces
    ? await markChange(change, world.ledger, { remembered: rememberBalance(balance) })
    : change;
  return marked ? { ...marked, work, balance, given } : overtaken;
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

async function writeTogether(
  shop: string,
  writings: readonly Writing[],
  ended: Ended,
  world: SettleWorld,
): Promise<void> {
  let written: readonly BalanceWritten[];
  try {
    written = await world.store.writeBalances(
      shop,
      writings.map(({ given }) => given),
    );
  } catch (error) {
    for (const { work } of writings) brokeOff(work, error, ended, world);
    return;
  }
  await Promise.all(
    writings.map((writing, index) =>
      guard(writing.work, ended, world, () =>
        record(writing, written[index] ?? { kind: 'unavailable', why: 'no-word' }, world),
      ),
    ),
  );
}

async function record(
  writing: Writing,
  written: BalanceWritten,
  world: SettleWorld,
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
      // A conflict changes nothing about it.
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
function unknownCustomer(change: Change, { retentionDays }: SettleWorld) {
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

/** Broken infrastructure, or a bug: it costs one customer a retry and no other anything. */
async function guard(
  work: CustomerWork,
  ended: Ended,
  world: SettleWorld,
  act: () => Promise<Writing | Outcome>,
): Promise<Writing | undefined> {
  try {
    const end = await act();
    if ('work' in end) return end;
    ended.set(work, end);
  } catch (error) {
    brokeOff(work, error, ended, world);
  }
  return undefined;
}

function brokeOff(
  work: CustomerWork,
  error: unknown,
  ended: Ended,
  { telemetry }: SettleWorld,
): void {
  telemetry.count('crash');
  telemetry.log('error', 'work on a balance broke off', {
    ...correlationOf(work.newest),
    ...errorFields(error),
  });
  ended.set(work, { kind: 'retry', why: 'broke-off', afterSeconds: AFTER_UNKNOWN_OUTCOME });
}
