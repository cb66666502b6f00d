import type { StoreEvent } from '../events/event.ts';
import type { LedgerEntry } from '../ledger/ledger.ts';
import type { EntityKey, EntityKind } from '../ledger/ledger-key.ts';
import { handleTask } from '../sync/handle-task.ts';
import type { ReadEvent } from '../sync/store-reader.ts';
import { type SyncWorld, syncEntity } from '../sync/sync-entity.ts';
import type { Candidate, Item } from './item.ts';
import { type Outcome, type RetryReason, verdictOn } from './outcome.ts';
import { type ParkingWorld, parkMessage } from './park-message.ts';
import { reportOutcome } from './report-outcome.ts';

export interface GroupWork extends ParkingWorld, SyncWorld {
  readonly read: ReadEvent;
}

/** The entity a group is about; undefined for groups of other events. */
export function entityKeyOf(group: readonly Item[]): EntityKey | undefined {
  const event = group.find((item) => item.event)?.event;
  return event && isEntityKind(event.kind)
    ? { shop: event.shop, kind: event.kind, id: event.id }
    : undefined;
}

const isEntityKind = (kind: StoreEvent['kind']): kind is EntityKind =>
  kind === 'order' || kind === 'product' || kind === 'coupon';

/**
 * Works through the messages of one group and takes from `unsettled` what may leave the queue.
 * Returns why the rest must stay, if it must.
 *
 * Unreadable and rejected messages are parked and the next newest is taken. The older ones leave only
 * when the newest good one is settled: until then they are all that is known. Afterwards the ledger
 * holds its version, so that for each of them the plan says "superseded" without a call.
 */
export async function settleGroup(
  group: readonly Item[],
  entry: LedgerEntry | undefined,
  unsettled: Set<Item>,
  world: GroupWork,
): Promise<RetryReason | undefined> {
  const readable: (Item & Candidate)[] = [];
  for (const item of group) {
    if (isReadable(item)) readable.push(item);
    else if (item.reading.kind === 'unreadable') {
      const rejection = { reason: 'unreadable', why: item.reading.why } as const;
      if (!(await parkMessage(item, rejection, world))) return parkingFailed;
      unsettled.delete(item);
    }
  }

  const key = entityKeyOf(readable);
  const work = key ? readable.sort(newestFirst) : readable;
  let known = entry;
  let storeAsked = false;
  let waiting: RetryReason | undefined;
  for (const item of work) {
    // The store did not answer the first such question; the others would hear the same.
    if (waiting && item.reading.kind === 'ask-store') continue;
    let outcome: Outcome;
    if (item.reading.kind === 'task')
      outcome = await handleTask(item.event, item.reading.task, world);
    else if (!key) throw new Error('an event is neither about an entity nor a task');
    else if (item.reading.kind === 'ask-store' && storeAsked) outcome = { kind: 'superseded' };
    else {
      const candidate = { ...item, ...triedBefore(item, work) };
      ({ outcome, entry: known } = await syncEntity(key, candidate, known, world));
    }
    reportOutcome(item.event, outcome, world);

    const verdict = verdictOn(outcome);
    if (verdict.kind === 'delay') {
      // Once it was answered, it is the service that failed, and the others would follow too soon.
      if (item.reading.kind !== 'ask-store' || !verdict.retry.unanswered) return verdict.retry;
      // A question that cannot be answered now waits, and does not hold up what the others know.
      waiting = verdict.retry;
      continue;
    }
    if (verdict.kind === 'park' && !(await parkMessage(item, verdict.rejection, world))) {
      return parkingFailed;
    }
    if (verdict.kind === 'acknowledge') storeAsked ||= item.reading.kind === 'ask-store';
    unsettled.delete(item);
  }
  return waiting;
}

/** What else is known of the entity, if a worker had it in hand before and never said what it did. */
function triedBefore(
  item: Item,
  work: readonly (Item & Candidate)[],
): Pick<Candidate, 'maybeSent'> {
  if (!work.some(({ message }) => message.attempts > 1)) return {};
  const others = work.filter((other) => other !== item);
  return {
    maybeSent: others.flatMap(({ reading }) => (reading.kind === 'snapshot' ? [reading] : [])),
  };
}

const parkingFailed: RetryReason = { why: 'dead-letter-queue-unavailable' };

function isReadable(item: Item): item is Item & Candidate {
  return item.event !== undefined && item.reading.kind !== 'unreadable';
}

/** What must be asked of the store is newest of all: the answer will be. */
function newestFirst(a: Item & Candidate, b: Item & Candidate): number {
  // Of several questions the announced deletion goes first: only it may be answered with "gone".
  const byDeletion = Number(isDeletion(b)) - Number(isDeletion(a));
  if (byDeletion !== 0) return byDeletion;
  const byVersion = versionOf(b) - versionOf(a);
  if (byVersion !== 0 && !Number.isNaN(byVersion)) return byVersion;
  return BigInt(b.message.sequenceNumber) > BigInt(a.message.sequenceNumber) ? 1 : -1;
}

const isDeletion = ({ event }: Candidate): boolean => event.claim === 'deleted';

const versionOf = ({ reading }: Candidate): number =>
  reading.kind === 'snapshot' ? reading.version : Number.POSITIVE_INFINITY;
