import type { Candidate } from '../batch/item.ts';
import type { Outcome } from '../batch/outcome.ts';
import { AFTER_UNKNOWN_OUTCOME } from '../batch/retry-policy.ts';
import type { Telemetry } from '../batch/telemetry.ts';
import type { EventQueue, StoreEvent } from '../events/store-event.ts';
import { idempotencyKey } from '../ledger/idempotency-key.ts';
import type { EntityEntry, Ledger } from '../ledger/ledger.ts';
import type { EntityKey } from '../ledger/ledger-key.ts';
import {
  appliedEntry,
  attemptedEntry,
  markedEntry,
  rejectedEntry,
  skippedEntry,
  unchangedEntry,
} from '../ledger/next-entry.ts';
import { predatesRedaction, redactionOf } from '../ledger/redacted-person.ts';
import { needsMetafields } from '../mapping/customer-detail.ts';
import { isKnown } from '../mapping/history-mark.ts';
import { type EntityRules, mapSnapshot } from '../mapping/map-snapshot.ts';
import { needsEnrichment } from '../mapping/order-references.ts';
import { recallOrder } from '../mapping/remembered.ts';
import type { Mapped } from '../mapping/wanted-state.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import {
  type CallAssumptions,
  type LoyaltyCalls,
  makeCalls,
  refuseToReplace,
} from './make-calls.ts';
import { plan } from './plan.ts';
import { readSnapshot, type Snapshot } from './read-snapshot.ts';
import { snapshotSource } from './snapshot-source.ts';
import type { Store } from './store-reader.ts';

export interface SyncWorld {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly queue: EventQueue;
  /** What belongs to one shop: its loyalty account, its rules, the state of its line. */
  readonly shop: (domain: string) => {
    readonly loyalty: LoyaltyCalls;
    readonly breaker: CircuitBreaker;
    readonly rules: EntityRules;
    readonly assumptions: CallAssumptions;
  };
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly orderRetentionDays: number;
  readonly deadline: AbortSignal;
}

export interface Synced {
  readonly outcome: Outcome;
  /** What the ledger holds now, as far as this worker knows. */
  readonly entry: EntityEntry | undefined;
}

/**
 * Read → map → plan → call → record, for one entity and one event about it.
 * See docs/decisions/0001-snapshots-and-convergence.md.
 */
export async function syncEntity(
  key: EntityKey,
  { event, reading, maybeSent = [] }: Candidate,
  entry: EntityEntry | undefined,
  world: SyncWorld,
): Promise<Synced> {
  const carried = reading.kind === 'snapshot' ? reading.version : undefined;
  let snapshot: Snapshot | undefined =
    reading.kind === 'snapshot'
      ? { ...reading, source: snapshotSource(reading, world.now()), ...historyOf(event) }
      : undefined;
  for (;;) {
    if (!snapshot) {
      const read = await readSnapshot(key, { event, entry, carried }, world);
      if (read.kind !== 'snapshot') return { outcome: read, entry };
      snapshot = { ...read, ...historyOf(event) };
    }
    const { rules } = world.shop(key.shop);
    const before = isKnown(entry)
      ? entry
      : (presumeSent(key, { maybeSent, snapshot, entry }, world) ?? entry);
    const mapped = mapSnapshot(key, snapshot, before, rules, world.now());
    const wantedKey = mapped.kind === 'wanted' ? idempotencyKey(mapped.wanted) : undefined;
    const { version, source } = snapshot;
    // What a redacted person's order was is not sent again, not even for the asking.
    const force = event.force === true && !predatesRedaction(entry, version);
    const next = plan({ entry, version, source, wantedKey, now: world.now(), force });
    // At most once: neither sends a snapshot of the store back to the store.
    if (next.kind === 'read-store' || (next.kind === 'call' && leavesOut(snapshot, rules, entry))) {
      snapshot = undefined;
      continue;
    }
    if (next.kind === 'superseded') return { outcome: next, entry };
    const step = { key, event, entry, snapshot, world };
    if (mapped.kind === 'fault') return reject(step, unmappable(mapped));
    if (mapped.kind === 'skip') return skip(step, mapped.why);
    if (next.kind === 'call') return apply(step, mapped, next.mark);
    return unchanged(step, next.kind === 'unchanged' && next.advance);
  }
}

interface Presumption {
  readonly maybeSent: NonNullable<Candidate['maybeSent']>;
  readonly snapshot: Pick<Snapshot, 'history'>;
  readonly entry: EntityEntry | undefined;
}

/**
 * The entry that a dead worker may have owed us: what is skipped only while nothing was sent must not be
 * skipped then. Undefined when none of these would have been sent.
 */
function presumeSent(
  key: EntityKey,
  { maybeSent, snapshot: { history }, entry }: Presumption,
  { now, shop }: Pick<SyncWorld, 'now' | 'shop'>,
): EntityEntry | undefined {
  const { rules } = shop(key.shop);
  for (const { entity, version } of maybeSent) {
    const snapshot = { kind: 'snapshot', entity, version, source: 'event' } as const;
    const mapped = mapSnapshot(key, snapshot, undefined, rules, now());
    if (mapped.kind !== 'wanted') continue;
    const remembered = predatesRedaction(entry, version) ? undefined : mapped.remember;
    const kept = {
      ...(remembered !== undefined && { remembered }),
      ...(history && { history }),
      ...redactionOf(entry),
    };
    return { version: 0, uncertain: true, ...kept, outcomes: [], revision: 0 };
  }
  return undefined;
}

/**
 * True when the store knows more than the event said. Asked only before a call: as long as what the
 * event does say changes nothing, the rest need not be known.
 */
function leavesOut(
  { source, entity, partial }: Snapshot,
  rules: EntityRules,
  entry: EntityEntry | undefined,
): boolean {
  if (source !== 'event') return false;
  if (entity.kind !== 'order') return partial === true;
  const { order } = entity;
  return (
    needsMetafields(order, rules) || needsEnrichment(order, rules, recallOrder(entry?.remembered))
  );
}

function historyOf({ history }: StoreEvent): Pick<Snapshot, 'history'> {
  return history === true ? { history } : {};
}

interface Step {
  readonly key: EntityKey;
  readonly event: StoreEvent;
  readonly entry: EntityEntry | undefined;
  readonly snapshot: Snapshot;
  readonly world: SyncWorld;
}

type Wanted = Extract<Mapped, { kind: 'wanted' }>;
type Rejected = Extract<Outcome, { kind: 'rejected' }>;

async function apply(step: Step, mapped: Wanted, mark: boolean): Promise<Synced> {
  const { key, world } = step;
  const { loyalty, breaker, assumptions } = world.shop(key.shop);
  const impossible = mark ? refuseToReplace(mapped.wanted, assumptions) : undefined;
  if (impossible) return reject(step, impossible);
  const permit = breaker.enter(world.now());
  if (permit.kind === 'stay-away') {
    const { afterSeconds } = permit;
    return {
      outcome: { kind: 'retry', why: 'loyalty-unavailable', afterSeconds },
      entry: step.entry,
    };
  }
  let entry = step.entry;
  try {
    if (mark && entry) {
      entry = await write(step, markedEntry(step, entry), entry);
      if (!entry) return overtaken(step.entry);
    }
    const made = await makeCalls(mapped.wanted, loyalty, assumptions, world.deadline);
    const { outcome } = made;
    permit.settle(made.end, world.now());
    if (outcome.kind === 'retry') {
      if (!made.mayHaveHappened || entry?.uncertain) return { outcome, entry };
      // A first send that may have arrived: what comes next must not take the entity for unknown.
      return { outcome, entry: (await write(step, attemptedEntry(step, mapped), entry)) ?? entry };
    }
    if (outcome.kind === 'rejected') return reject({ ...step, entry }, outcome);
    const applied = await write(step, appliedEntry(step, mapped), entry);
    if (applied) return { outcome, entry: applied };
    // Somebody else wrote while we were calling: nobody knows whose call came last. Our message may
    // be gone already, settled by the other worker, so the question gets a message of its own.
    await world.ledger.markUncertain(key);
    await world.queue.send(askAgain(step.event, world.now()));
    return overtaken(entry);
  } finally {
    permit.settle('unused', world.now());
  }
}

async function unchanged(step: Step, advance: boolean): Promise<Synced> {
  const { entry } = step;
  if (!advance || !entry) return { outcome: { kind: 'unchanged' }, entry };
  const written = await write(step, unchangedEntry(step, entry), entry);
  return written ? { outcome: { kind: 'unchanged' }, entry: written } : overtaken(entry);
}

async function skip(step: Step, why: Extract<Mapped, { kind: 'skip' }>['why']): Promise<Synced> {
  const outcome = { kind: 'skipped', why } as const;
  // A second delivery of what was skipped needs no second line in the ledger.
  if (step.entry?.version === step.snapshot.version) return { outcome, entry: step.entry };
  const written = await write(step, skippedEntry(step, why), step.entry);
  return written ? { outcome, entry: written } : overtaken(step.entry);
}

/** Only `applied` closes a key: the entry learns that it happened, and nothing else. */
async function reject(step: Step, outcome: Rejected): Promise<Synced> {
  const next = rejectedEntry(step, outcome.code ?? outcome.reason);
  const written = await write(step, next, step.entry);
  // Refused, but somebody else wrote meanwhile: it may have been refused because of what they did.
  return written ? { outcome, entry: written } : overtaken(step.entry);
}

function unmappable({ faults }: Extract<Mapped, { kind: 'fault' }>): Rejected {
  const words = faults.map(({ path, problem }) => `${path} ${problem}`).join('; ');
  return { kind: 'rejected', reason: 'unmappable', why: `connector.config.ts: ${words}` };
}

/** Without a body: what the entity is now is the store's to say. */
function askAgain(event: StoreEvent, now: Date): StoreEvent {
  return { ...event, deliveryId: `${event.deliveryId}/again/${now.getTime()}`, body: undefined };
}

/** Undefined when another worker wrote since the entry was read. */
async function write(
  { key, world }: Step,
  next: Parameters<Ledger['write']>[1],
  read: EntityEntry | undefined,
): Promise<EntityEntry | undefined> {
  const written = await world.ledger.write(key, next, read?.revision);
  return written.kind === 'written' ? { ...next, revision: written.revision } : undefined;
}

function overtaken(entry: EntityEntry | undefined): Synced {
  return {
    outcome: { kind: 'retry', why: 'overtaken', afterSeconds: AFTER_UNKNOWN_OUTCOME },
    entry,
  };
}
