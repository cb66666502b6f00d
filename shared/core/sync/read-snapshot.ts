import type { EntityKey, StoreEvent } from '../events/event.ts';
import type { Outcome } from '../events/outcome.ts';
import type { EntityEntry } from '../ledger/ledger.ts';
import {
  askStore,
  askStoreLater,
  type EventReading,
  type OrderQuestion,
  retryStore,
  type Snapshot,
  type StoreEntity,
  versionOf,
} from '../store/store.ts';
import type { SyncDeps } from './dependencies.ts';

export interface Candidate {
  readonly event: StoreEvent;
  readonly reading: Exclude<EventReading, { kind: 'unreadable' }>;
}

type Answer = Snapshot | Extract<Outcome, { kind: 'retry' | 'superseded' | 'skipped' }>;

/**
 * Asks the store what the entity is now. Its answer decides, unless it is older than what it reported
 * before.
 * See docs/decisions/0002-the-store-confirms-what-a-body-cannot-prove.md.
 */
export async function readSnapshot(
  key: EntityKey,
  candidate: Candidate,
  entry: EntityEntry | undefined,
  book: OrderQuestion['book'] | undefined,
  { store, telemetry, now }: Pick<SyncDeps, 'store' | 'telemetry' | 'now'>,
): Promise<Answer> {
  const { event, reading } = candidate;
  const { changedAt = Number.POSITIVE_INFINITY } = reading.kind === 'ask-store' ? reading : {};
  const applied = entry && !entry.uncertain ? entry.version : 0;
  if (applied > changedAt) return { kind: 'superseded' };
  telemetry.count('store-read', { kind: key.kind });
  const evidence = { deletionAnnounced: event.claim === 'deleted', ...(book && { book }) };
  const answer = await askStore(store, key, evidence);
  switch (answer.kind) {
    case 'found': {
      const version = versionOf(answer.value);
      if (reading.kind === 'snapshot' && version < reading.version) return askStoreLater('lags');
      const respelled = otherSpelling(key, answer.value);
      if (respelled === undefined) return snapshot(answer.value, version);
      return { ...snapshot({ kind: 'gone' }, version), respelled };
    }
    case 'gone':
      return judgeGone(key, candidate, entry, now());
    case 'unavailable':
      // In the second of the change the store decides, if it can: the order may have changed twice.
      return answer.hidden && applied >= changedAt ? { kind: 'superseded' } : retryStore(answer);
  }
}

/**
 * An absent entity counts as gone where its deletion or removal was announced, or the store never lags.
 * Otherwise the event waits: the store may not show the entity yet, or the announcement is still to arrive. If the entity
 * stays absent, a code counts as gone, because the store does not announce every end of a code. Any
 * other event is given up: the announcement may wait behind it in the same group.
 */
function judgeGone(
  { kind }: EntityKey,
  { event, reading }: Candidate,
  entry: EntityEntry | undefined,
  now: Date,
): Answer {
  const { claim, receivedAt } = event;
  const isCurrent = reading.kind === 'ask-store' && reading.isCurrent;
  // A deletion has no date but its arrival, and must count as newer than all before. In whole seconds,
  // like every other version: for events of the same second the store is asked.
  const arrivedAt = Math.floor(Date.parse(receivedAt) / 1000) * 1000;
  const announced = claim === 'deleted' || claim === 'code-removed';
  const longUnseen = isLongUnseen(receivedAt, now);
  // An order that is gone is cancelled for good: that needs proof.
  const isProven = announced || (isCurrent && kind !== 'order');
  if (isProven || (kind === 'coupon' && longUnseen)) {
    return snapshot({ kind: 'gone' }, Math.max(arrivedAt, entry?.version ?? 0));
  }
  if (longUnseen || isCurrent) return { kind: 'skipped', why: 'not-in-store' };
  // A state of the same second settles nothing: the store may lag, and the event may be the later of the two.
  const carried = reading.kind === 'snapshot' ? reading.version : 0;
  const settled = entry !== undefined && entry.version > Math.max(arrivedAt, carried);
  const cancelled = entry?.service?.ended === true;
  if (!entry?.uncertain && (settled || cancelled)) return { kind: 'superseded' };
  return askStoreLater('says-gone');
}

/** The store does not distinguish upper and lower case in codes, and finds a code in any spelling. */
export function otherSpelling({ id }: EntityKey, entity: StoreEntity): string | undefined {
  return entity.kind === 'coupon' && entity.coupon.code !== id ? entity.coupon.code : undefined;
}

const UNSEEN_MS = 10 * 60_000;

/** Longer than any store lags behind its own webhooks. */
export function isLongUnseen(receivedAt: string, now: Date): boolean {
  return now.getTime() - Date.parse(receivedAt) > UNSEEN_MS;
}

function snapshot(entity: Snapshot['entity'], version: number): Snapshot {
  return { kind: 'snapshot', entity, version, source: 'store' };
}
