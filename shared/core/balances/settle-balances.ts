import type { Outcome } from '../batch/outcome.ts';
import { AFTER_UNKNOWN_OUTCOME } from '../batch/retry-policy.ts';
import { correlationOf, errorFields, type Telemetry } from '../batch/telemetry.ts';
import type { Ledger, LedgerEntry, LedgerWrite } from '../ledger/ledger.ts';
import { ledgerKeyText, type RecordKey } from '../ledger/ledger-key.ts';
import { askAgain } from './ask-again.ts';
import {
  type BalanceStep,
  markedBalance,
  skippedBalance,
  unchangedBalance,
  writtenBalance,
} from './balance-entry.ts';
import type { BalanceQueue } from './balance-event.ts';
import type { BalanceChange, BalanceStore, BalanceWritten } from './balance-store.ts';
import { decideBalance } from './decide-balance.ts';
import { readTier, type TierSource } from './read-tier.ts';
import { recallBalance } from './remembered-balance.ts';
import type { CustomerWork } from './sort-out-messages.ts';

export interface SettleWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write' | 'markUncertain'>;
  readonly store: BalanceStore;
  readonly queue: BalanceQueue;
  readonly tiersOf: (shop: string) => TierSource;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  /** Days for which a customer whom the store does not know is remembered. */
  readonly retentionDays: number;
  readonly deadline: AbortSignal;
}

/** A customer whose balance is about to be written. */
interface Writing extends BalanceStep {
  readonly work: CustomerWork;
  readonly change: BalanceChange;
}

type Ended = Map<CustomerWork, Outcome>;

/**
 * Decide → read tiers → mark → write together → record. Tells in `ended` how each customer's work
 * ended, as soon as it did. Never rejects.
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
      guard(work, ended, world, () =>
        prepare(work, entries.get(ledgerKeyText(work.key)), ended, world),
      ),
    ),
  );
  const writings = prepared.filter((one) => one !== undefined);
  const shops = Map.groupBy(writings, ({ work }) => work.key.shop);
  await Promise.all([...shops].map(([shop, all]) => writeTogether(shop, all, ended, world)));
}

/** Undefined when the ledger cannot be read: then nothing can be decided for anybody. */
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

/** Undefined when the work has ended: there is nothing to write, or not now. */
async function prepare(
  work: CustomerWork,
  entry: LedgerEntry | undefined,
  ended: Ended,
  world: SettleWorld,
): Promise<Writing | undefined> {
  const { key, newest: event, moment } = work;
  const end = (outcome: Outcome): undefined => void ended.set(work, outcome);
  const decision = decideBalance(moment, entry);
  if (decision.kind === 'superseded') return end(decision);
  const { version } = decision;
  let { balance } = decision;
  const stepOf = (): BalanceStep => ({ event, entry, version, balance, now: world.now() });
  if (decision.kind === 'unchanged') {
    const written = await write(key, unchangedBalance(stepOf()), entry, world);
    return end(written ? { kind: 'unchanged' } : overtaken);
  }
  if (!decision.tierIsKnown) {
    const read = await readTier(event.id, world.tiersOf(event.shop), world);
    if (read.kind === 'retry') return end({ kind: 'retry', ...read.retry });
    balance = { ...balance, ...(read.tier !== undefined && { tier: read.tier }) };
  }
  const change = changeFor(event.id, stepOf());
  if (!entry?.appliedKey || entry.uncertain) return { work, change, ...stepOf() };
  const marked = await write(key, markedBalance(stepOf()), entry, world);
  return marked ? { work, change, ...stepOf(), entry: marked } : end(overtaken);
}

/**
 * A tier is taken away unless the ledger knows that there is none: the first write has no mark, so a
 * worker that died may have left one, and so may an earlier ledger.
 */
function changeFor(customerId: string, { balance, entry }: BalanceStep): BalanceChange {
  const { points, cashback, tier } = balance;
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
      writings.map(({ change }) => change),
    );
  } catch (error) {
    for (const { work } of writings) brokeOff(work, error, ended, world);
    return;
  }
  await Promise.all(
    writings.map((writing, index) =>
      guard(writing.work, ended, world, async () => {
        const outcome = await record(
          writing,
          written[index] ?? { kind: 'unavailable', why: 'no-word' },
          world,
        );
        ended.set(writing.work, outcome);
      }),
    ),
  );
}

async function record(
  writing: Writing,
  written: BalanceWritten,
  world: SettleWorld,
): Promise<Outcome> {
  const { work, entry } = writing;
  switch (written.kind) {
    case 'written': {
      if (await write(work.key, writtenBalance(writing), entry, world)) {
        return { kind: 'applied', calls: [] };
      }
      // Somebody else wrote while we did: nobody knows whose balance the customer has. Our message may
      // be gone already, settled by the other worker, so the question gets a message of its own.
      await world.ledger.markUncertain(work.key);
      await world.queue.send(askAgain(work.newest, world.now()));
      return overtaken;
    }
    case 'unknown-customer':
      // A conflict changes nothing about it.
      await write(work.key, skippedBalance(writing, world.retentionDays), entry, world);
      return { kind: 'skipped', why: 'unknown-customer' };
    case 'refused': {
      const why = `the store does not take the balance: ${written.code}`;
      return { kind: 'rejected', reason: 'rejected', why };
    }
    case 'unavailable': {
      const { kind: _, why, ...rest } = written;
      return { kind: 'retry', why: `store-${why}`, ...rest };
    }
  }
}

/** Undefined when another worker wrote since the entry was read. */
async function write(
  key: RecordKey<'customer'>,
  next: LedgerWrite,
  read: LedgerEntry | undefined,
  { ledger }: SettleWorld,
): Promise<LedgerEntry | undefined> {
  const written = await ledger.write(key, next, read?.revision);
  return written.kind === 'written' ? { ...next, revision: written.revision } : undefined;
}

const overtaken: Outcome = {
  kind: 'retry',
  why: 'overtaken',
  afterSeconds: AFTER_UNKNOWN_OUTCOME,
};

/** Broken infrastructure, or a bug: it costs one customer a retry and no other anything. */
async function guard<T>(
  work: CustomerWork,
  ended: Ended,
  world: SettleWorld,
  act: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    brokeOff(work, error, ended, world);
    return undefined;
  }
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
