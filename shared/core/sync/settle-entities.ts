import { parkOnce } from '../batch/dead-letter.ts';
import type { ConcludeDeps } from '../batch/delay-or-park.ts';
import { conclude, type Group, type Settle } from '../batch/run-batch.ts';
import type { Item } from '../batch/waiting.ts';
import {
  correlationOf,
  type EntityKey,
  isEntityKind,
  isStoreEvent,
  type StoreEvent,
} from '../events/event.ts';
import type { Outcome, RetryReason } from '../events/outcome.ts';
import { errorFields } from '../events/telemetry.ts';
import { type Ledger, type LedgerKey, ledgerKeyText, readRecently } from '../ledger/ledger.ts';
import type { ReadEvent } from '../store/store.ts';
import { customerKeys, type Rejected } from './decide.ts';
import type { SyncDeps } from './dependencies.ts';
import { handleTask } from './handle-task.ts';
import type { Candidate } from './read-snapshot.ts';
import { syncEntity } from './sync-entity.ts';

interface EntitiesDeps extends Omit<ConcludeDeps, 'ledger'>, SyncDeps {
  readonly read: ReadEvent;
}

interface Readable extends Candidate {
  readonly kind: 'readable';
  readonly item: Item;
  /** What the ledger may hold of its customer. */
  readonly customerKeys: readonly LedgerKey[];
}

type ReadItem =
  | Readable
  | { readonly kind: 'unreadable'; readonly item: Item; readonly rejected: Rejected };

/** Settles the events of the store: a group is one entity, or one task. */
export const settleEntities: Settle<EntitiesDeps> = (groups, deps) => {
  const readings = new Map(
    groups.map((group) => [group, group.items.map((item) => readItem(item, deps))]),
  );
  const keys = [...readings.values()]
    .flat()
    .flatMap((read) => (read.kind === 'readable' ? read.customerKeys : []));
  const readAt = deps.now();
  return {
    keys: [...groups.flatMap((group) => entityKeyOf(group) ?? []), ...keys],
    begin(_, entries) {
      const customers = readRecently({ keys, entries, readAt }, deps);
      return (group) =>
        settleGroup(group, readings.get(group) ?? [], entries, { ...deps, customers });
    },
  };
};

/** Undefined for a group of other events. */
function entityKeyOf({ items }: Group): EntityKey | undefined {
  const event = items.find((item) => item.event)?.event;
  if (!event || !isEntityKind(event.kind)) return undefined;
  return { shop: event.shop, kind: event.kind, id: event.id };
}

/**
 * Unreadable and rejected messages are parked and the next newest is taken. The older ones leave only
 * when the newest good one is settled: until then they are all that is known. Afterwards the ledger
 * holds its version, so that for each of them the plan says "superseded" without a call.
 */
async function settleGroup(
  group: Group,
  readings: readonly ReadItem[],
  entries: Awaited<ReturnType<Ledger['readMany']>>,
  deps: EntitiesDeps,
): Promise<RetryReason | undefined> {
  const { unsettled } = group;
  const key = entityKeyOf(group);
  let entry = key && entries.get(ledgerKeyText(key));
  const readable: Readable[] = [];
  for (const read of readings) {
    if (read.kind === 'readable') readable.push(read);
    else {
      const outcome = await parkOnce(read.item, read.rejected, deps);
      const retry = await conclude(read.item, outcome, unsettled, deps);
      if (retry) return retry;
    }
  }

  let storeAsked = false;
  const settleOne = async (candidate: Readable): Promise<RetryReason | undefined> => {
    const { item, event, reading } = candidate;
    let outcome: Outcome;
    if (reading.kind === 'task') outcome = await handleTask(event, reading.task, deps);
    else if (!key) throw new Error('an event is neither about an entity nor a task');
    else if (reading.kind === 'ask-store' && storeAsked && !asksForMore(event)) {
      outcome = { kind: 'superseded' };
    } else {
      ({ outcome, entry } = await syncEntity(key, candidate, entry, deps));
    }

    const end = outcome.kind === 'rejected' ? await parkOnce(item, outcome, deps) : outcome;
    const retry = await conclude(item, end, unsettled, deps);
    if (!retry && outcome.kind !== 'rejected') storeAsked ||= reading.kind === 'ask-store';
    return retry;
  };

  let waiting: RetryReason | undefined;
  for (const candidate of key ? readable.sort(newestFirst) : readable) {
    const asksStore = candidate.reading.kind === 'ask-store';
    // The store did not answer the first such question; the others would get the same answer.
    const retry = asksStore && waiting ? undefined : await settleOne(candidate);
    // The store answered and the service failed: the other messages would call it again too soon.
    if (retry && !(asksStore && retry.unanswered)) return retry;
    // What needs the store's answer waits; the other messages carry their own snapshot.
    waiting ??= retry;
  }
  return waiting;
}

/** The answer to a question without these options does not serve one with them. */
function asksForMore({ force, history, newRules }: StoreEvent): boolean {
  return force === true || history === true || newRules === true;
}

/** A bug in a reader parks its message, and costs the other groups of the batch nothing. */
function readItem(item: Item, { read, shop, telemetry }: EntitiesDeps): ReadItem {
  if (!item.event) return unreadable(item, item.unreadable);
  const { event } = item;
  if (!isStoreEvent(event)) return unreadable(item, 'it belongs on another queue');
  try {
    const reading = read(event);
    if (reading.kind === 'unreadable') return unreadable(item, reading.why);
    const isSnapshot = reading.kind === 'snapshot';
    const keys = isSnapshot ? customerKeys(event.shop, reading.entity, shop(event.shop).rules) : [];
    return { kind: 'readable', item, event, reading, customerKeys: keys };
  } catch (error) {
    telemetry.count('crash');
    telemetry.log('error', 'reading an event broke off', {
      ...correlationOf(event),
      ...errorFields(error),
    });
    return unreadable(item, 'reading it broke off: a fault of the connector');
  }
}

function unreadable(item: Item, why: string): ReadItem {
  return { kind: 'unreadable', item, rejected: { kind: 'rejected', reason: 'unreadable', why } };
}

/**
 * Events that need the store come first: its answer is the newest snapshot. One that says when the entity
 * changed comes after the snapshots from then on: they show that change.
 */
function newestFirst(a: Readable, b: Readable): number {
  // Of several questions the announced deletion goes first: only it may be answered with "gone".
  const byDeletion = Number(isDeletion(b)) - Number(isDeletion(a));
  if (byDeletion !== 0) return byDeletion;
  const byVersion = versionOf(b) - versionOf(a);
  if (byVersion !== 0 && !Number.isNaN(byVersion)) return byVersion;
  return sequenceOf(b) > sequenceOf(a) ? 1 : -1;
}

const isDeletion = ({ event }: Candidate): boolean => event.claim === 'deleted';

function versionOf({ reading }: Candidate): number {
  if (reading.kind === 'snapshot') return reading.version;
  const { changedAt } = reading.kind === 'ask-store' ? reading : {};
  return changedAt === undefined ? Number.POSITIVE_INFINITY : changedAt - 1;
}

const sequenceOf = ({ item }: Readable): bigint => BigInt(item.message.sequenceNumber);
