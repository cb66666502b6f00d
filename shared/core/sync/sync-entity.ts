import type { MappingRules } from '../../config/mapping-settings.ts';
import type { EntityKey, StoreEvent } from '../events/event.ts';
import { errorFields, type Telemetry } from '../events/telemetry.ts';
import { readCustomer, redactedMeanwhile } from '../ledger/entry.ts';
import type { EntityEntry, Ledger } from '../ledger/ledger.ts';
import { customerIn, withGoLive } from '../mapping/wanted-state.ts';
import type { Snapshot, Store } from '../store/store.ts';
import {
  applyOrder,
  applyOther,
  discountOf,
  type EntityChange,
  reject,
  retention,
  settle,
} from './apply.ts';
import { type Decision, decide, type Gathered } from './decide.ts';
import { sendCode } from './fan-out.ts';
import { type ExecutionDeps, readFromService, type Synced } from './held-order.ts';
import { type Candidate, carriedSnapshot, readSnapshot } from './read-snapshot.ts';
import type { WorkerMoments } from './reward-moments.ts';

export interface SyncDeps extends ExecutionDeps {
  readonly store: Store;
  readonly telemetry: Telemetry;
  readonly rewards?: WorkerMoments | undefined;
}

/**
 * Gather → decide → apply, for one entity and one event about it. What the decision lacks is asked for, and it is made
 * again with the answer.
 * See docs/decisions/0001-events-are-snapshots-and-only-differences-are-sent.md.
 */
export async function syncEntity(
  key: EntityKey,
  candidate: Candidate,
  given: EntityEntry | undefined,
  deps: SyncDeps,
): Promise<Synced> {
  const { shop } = key;
  const rules = await rulesOf(key, deps);
  if (!rules) return { outcome: { kind: 'retry', why: 'ledger-unavailable' }, entry: given };
  const entry = await withoutRedacted(key, given, candidate.customers ?? deps.ledger);
  const carried = carriedSnapshot(candidate, deps.now());
  const snapshot = carried && (await withCodes(key, carried, deps));
  const { pauses, orderRetentionDays } = deps;
  return proceed(
    {
      ...{ key, event: candidate.event, entry, snapshot, rules, orderRetentionDays },
      assumptions: deps.shop(shop).assumptions,
      doubt: pauses.doubtOf(shop),
      takeover: pauses.takeoverOf(shop),
      now: deps.now(),
    },
    candidate,
    deps,
  );
}

async function proceed(gathered: Gathered, candidate: Candidate, deps: SyncDeps): Promise<Synced> {
  const { key, entry, snapshot } = gathered;
  const { shop } = key;
  const { event, customers = deps.ledger } = candidate;
  const decision = decide(gathered);
  const again = (answer: Partial<Gathered>) =>
    proceed({ ...gathered, mapped: undefined, ...answer, now: deps.now() }, candidate, deps);
  switch (decision.kind) {
    case 'ask-store': {
      const { book } = decision;
      const answer = await readSnapshot(key, candidate, { entry, ...(book && { book }) }, deps);
      if (answer.kind !== 'snapshot') return { outcome: answer, entry };
      const asked = book === 'always' && { askedForBook: true };
      return again({ snapshot: await withCodes(key, answer, deps), ...asked });
    }
    case 'ask-customer': {
      const { id, mapped } = decision;
      // Where the ledger's answer to the whole batch was recent, it serves.
      return again({ customer: await readCustomer({ shop, id }, customers), mapped });
    }
    case 'superseded':
      return { outcome: decision, entry };
  }
  if (!snapshot) throw new Error('without a snapshot, only the store is asked');
  const { entity } = snapshot;
  if (decision.kind === 'ask-service') {
    const answer = await readFromService(key, snapshot, entry, deps);
    if (!('outcome' in answer)) return again({ read: answer });
    const { outcome } = answer;
    if (outcome.kind !== 'rejected') return answer;
    // Scans must know that it was asked for.
    return reject(changeOf(gathered, snapshot, event, deps), outcome, deps);
  }
  await deps.rewards?.orderSeen(key.shop, entity, deps);
  const synced = await apply(decision, changeOf(gathered, snapshot, event, deps), deps);
  if (synced.outcome.kind !== 'retry') await sendRespelled(event, snapshot, deps);
  return synced;
}

type Settled = Exclude<
  Decision,
  { kind: 'ask-store' | 'ask-service' | 'ask-customer' | 'superseded' }
>;

/** Calls the loyalty service if that was decided, and records the outcome. */
async function apply(decided: Settled, change: EntityChange, deps: SyncDeps): Promise<Synced> {
  const { entry } = change;
  switch (decided.kind) {
    case 'reject':
      return reject(change, decided.outcome, deps);
    case 'rules-changed':
      return { outcome: { kind: 'skipped', why: 'rules-changed' }, entry };
    case 'skip':
      return skip(change, decided, deps);
    case 'unchanged':
      return decided.isNewer ? recordNewer(change, decided, deps) : { outcome: UNCHANGED, entry };
    case 'apply':
      return applyOther(change, decided.mapped, deps);
    case 'apply-order':
      return applyOrder(change, decided.mapped, decided.side, deps);
  }
}

const UNCHANGED = { kind: 'unchanged' } as const;

async function recordNewer(
  change: EntityChange,
  { mapped: { rules } }: Extract<Decision, { kind: 'unchanged' }>,
  deps: SyncDeps,
): Promise<Synced> {
  const isOrder = change.key.kind === 'order';
  const facts = {
    ...discountOf(change),
    // Another change in the same second is no difference between rules.
    ...(rules !== undefined && { rules }),
    ...(isOrder && retention(deps)),
    // It was cancelled before it was deleted: a later redaction of its customer does not name it.
    ...(isOrder && change.snapshot.entity.kind === 'gone' && { remembered: undefined }),
  };
  return settle(change, UNCHANGED, { kind: 'unchanged', facts }, deps);
}

async function skip(
  change: EntityChange,
  { why, held }: Extract<Decision, { kind: 'skip' }>,
  deps: SyncDeps,
): Promise<Synced> {
  const { entry, version } = change;
  const outcome = { kind: 'skipped', why } as const;
  // A repeated skip needs no second line among the outcomes.
  if (!held && entry?.version === version) return { outcome, entry };
  const facts = held || !entry?.appliedKey ? retention(deps) : {};
  const step = { kind: 'skipped', why, facts } as const;
  return settle(change, outcome, step, deps, held ? { entry: held } : change);
}

function changeOf(
  { key, entry }: Gathered,
  snapshot: Snapshot,
  event: StoreEvent,
  { now }: SyncDeps,
): EntityChange {
  const { topic, origin } = event;
  return {
    ...{ key, event, entry, snapshot, version: snapshot.version, topic, now: now() },
    ...(origin === 'reconcile' && { origin }),
  };
}

/**
 * After the end of a code that was renamed in case only. Whether the service distinguishes case is not known:
 * if it does not, this was the end of the other spelling too, which is then sent again.
 */
async function sendRespelled(
  event: StoreEvent,
  { respelled }: Snapshot,
  deps: SyncDeps,
): Promise<void> {
  if (respelled === undefined) return;
  const force = deps.shop(event.shop).assumptions.couponsAreReplaced;
  await sendCode({ ...event, force }, { code: respelled, why: 'respelled' }, deps);
}

/** Undefined when the ledger does not say when the program went live: then no order can be decided. */
async function rulesOf(key: EntityKey, deps: SyncDeps): Promise<MappingRules | undefined> {
  const { rules } = deps.shop(key.shop);
  if (key.kind !== 'order') return rules;
  try {
    return await withGoLive(rules, deps.pauses.goLiveOf(key.shop), deps.ledger);
  } catch (error) {
    deps.telemetry.log('error', 'the ledger could not be read', errorFields(error));
    return undefined;
  }
}

async function withCodes(
  { shop }: EntityKey,
  snapshot: Snapshot,
  { ledger, rewards }: SyncDeps,
): Promise<Snapshot> {
  if (!rewards) return snapshot;
  return { ...snapshot, entity: await rewards.orderAsSent(shop, snapshot.entity, ledger) };
}

/**
 * The entry as a redaction leaves it, if its customer was redacted since and the request did not name the order: what is
 * remembered would stand for what the store no longer says of them. The next write erases it.
 */
async function withoutRedacted(
  { shop, kind }: EntityKey,
  entry: EntityEntry | undefined,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<EntityEntry | undefined> {
  const id = kind === 'order' ? customerIn(entry) : undefined;
  if (!entry || id === undefined) return entry;
  const redactedAt = await redactedMeanwhile({ shop, id }, entry, ledger);
  if (redactedAt === undefined) return entry;
  const { remembered: _, ...kept } = entry;
  return { ...kept, redactedAt };
}
