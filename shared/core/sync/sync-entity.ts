import type { MappingRules } from '../../config/mapping-settings.ts';
import type { OperationId } from '../../loyalty/operations.ts';
import {
  applied,
  type CallsMade,
  hasCode,
  judge,
  refused,
  retryWhenAllowed,
  throughBreaker,
} from '../calls/call-loyalty.ts';
import { askAgain, type EntityKey, type StoreEvent } from '../events/event.ts';
import { isRetryWindowOver, type Outcome, overtaken } from '../events/outcome.ts';
import { errorFields } from '../events/telemetry.ts';
import {
  type Change,
  type EntryStep,
  type Facts,
  isKnown,
  readCustomer,
  record,
  recordApplied,
  redactedMeanwhile,
} from '../ledger/entry.ts';
import { countsOf, type EntityEntry, expiresAfter, type ServiceOrder } from '../ledger/ledger.ts';
import {
  customerIn,
  idempotencyKey,
  type Wanted,
  type WantedOrder,
  withGoLive,
} from '../mapping/wanted-state.ts';
import type { Snapshot } from '../store/store.ts';
import {
  type Decision,
  decide,
  type Gathered,
  type MappedOrder,
  parked,
  type Rejected,
  type WantedOther,
} from './decide.ts';
import {
  afterStep,
  type NextCall,
  nextCall,
  type PersonReason,
  type ServiceSide,
} from './decide-order.ts';
import type { LoyaltyCalls, SyncDeps, Synced } from './dependencies.ts';
import { sendCode } from './handle-task.ts';
import { cancelOrder, type Made, readFromService, takePart } from './held-order.ts';
import { recordPlan } from './observe-entity.ts';
import { type Candidate, readSnapshot } from './read-snapshot.ts';

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
  const entry = await withoutRedacted(key, given, deps);
  const carried = carriedSnapshot(candidate, deps.now());
  const snapshot = carried && (await withCodes(key, carried, deps));
  const { pauses, orderRetentionDays } = deps;
  const { assumptions, observes } = deps.shop(shop);
  const gathered = {
    ...{ key, event: candidate.event, entry, snapshot, rules, assumptions, orderRetentionDays },
    // The service is not asked about an observed shop.
    doubt: observes ? undefined : pauses.doubtOf(shop),
    takeover: observes ? undefined : pauses.takeoverOf(shop),
    now: deps.now(),
  };
  return proceed(gathered, candidate, deps);
}

async function proceed(gathered: Gathered, candidate: Candidate, deps: SyncDeps): Promise<Synced> {
  const { key, entry, snapshot } = gathered;
  const { shop } = key;
  const { event } = candidate;
  const { customers = deps.ledger } = deps;
  const decision = decide(gathered);
  const again = (answer: Partial<Gathered>) =>
    proceed({ ...gathered, mapped: undefined, ...answer, now: deps.now() }, candidate, deps);
  switch (decision.kind) {
    case 'ask-store': {
      const { book } = decision;
      const answer = await readSnapshot(key, candidate, entry, book, deps);
      if (answer.kind !== 'snapshot') return { outcome: answer, entry };
      const asked = book === 'always' && { askedForBook: true };
      const read = { ...answer, ...optionsOf(event) };
      return again({ snapshot: await withCodes(key, read, deps), ...asked });
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
  const { observes } = deps.shop(shop);
  if (observes && decision.kind === 'ask-service') return again({ read: { held: undefined } });
  if (observes) {
    return { outcome: await recordPlan(gathered, snapshot.version, decision, deps), entry };
  }
  const { topic, origin } = event;
  const change: EntityChange = {
    ...{ key, event, entry, snapshot, version: snapshot.version, topic, now: deps.now(), deps },
    ...(origin === 'reconcile' && { origin }),
  };
  if (decision.kind === 'ask-service') {
    const answer = await readFromService(key, snapshot, entry, deps);
    if (!('outcome' in answer)) return again({ read: answer });
    const { outcome } = answer;
    // Scans must know that it was asked for.
    return outcome.kind === 'rejected' ? reject(change, outcome) : answer;
  }
  await deps.rewards?.orderSeen(shop, snapshot.entity, deps);
  const synced = await apply(decision, { ...change, now: deps.now() });
  if (synced.outcome.kind !== 'retry') await sendRespelled(change);
  return key.kind === 'order' ? withState(synced, gathered) : synced;
}

/** By this, `audit` tells one order's calls for two states from two for one. 16 characters tell its states apart. */
function withState(synced: Synced, { entry: before, event, read }: Gathered): Synced {
  const { outcome, entry } = synced;
  if (outcome.kind !== 'applied' || entry?.appliedKey === undefined) return synced;
  const asked = event.force ? 'forced' : read ? 'read' : 'same';
  const again = before?.uncertain ? 'uncertain' : asked;
  const state = entry.appliedKey.slice(0, 16);
  const isSame = entry.appliedKey === before?.appliedKey;
  return { entry, outcome: { ...outcome, state, ...(isSame && { again }) } };
}

/** The change of one entity that an event leads to. */
interface EntityChange extends Change<EntityKey> {
  readonly event: StoreEvent;
  readonly snapshot: Snapshot;
  readonly deps: SyncDeps;
}

/** Calls the loyalty service if that was decided, and records the outcome. */
async function apply(
  decided: Exclude<Decision, { kind: 'ask-store' | 'ask-service' | 'ask-customer' | 'superseded' }>,
  change: EntityChange,
): Promise<Synced> {
  const { entry } = change;
  switch (decided.kind) {
    case 'reject':
      return reject(change, decided.outcome);
    case 'skip':
      return skip(change, decided);
    case 'unchanged':
      return decided.isNewer ? recordNewer(change, decided.mapped) : { outcome: UNCHANGED, entry };
    case 'apply':
      return applyOther(change, decided.mapped);
    case 'apply-order':
      return applyOrder(change, decided.mapped, decided.side);
  }
}

const UNCHANGED = { kind: 'unchanged' } as const;

async function recordNewer(change: EntityChange, { rules }: Wanted): Promise<Synced> {
  const isOrder = change.key.kind === 'order';
  const facts = {
    ...discountOf(change),
    // Another change in the same second is no difference between rules.
    ...(rules !== undefined && { rules }),
    ...(isOrder && retention(change)),
    // It was cancelled before it was deleted: a later redaction of its customer does not name it.
    ...(isOrder && change.snapshot.entity.kind === 'gone' && { remembered: undefined }),
  };
  return settle(change, UNCHANGED, { kind: 'unchanged', facts });
}

async function skip(
  change: EntityChange,
  { why, held }: Extract<Decision, { kind: 'skip' }>,
): Promise<Synced> {
  const { entry, version } = change;
  const outcome = { kind: 'skipped', why } as const;
  // A repeated skip needs no second line among the outcomes.
  if (!held && entry?.version === version) return { outcome, entry };
  const facts = held || !entry?.appliedKey ? retention(change) : {};
  return settle(change, outcome, { kind: 'skipped', why, facts }, held ? { entry: held } : change);
}

/**
 * After the end of a code that was renamed in case only. Whether the service distinguishes case is not known:
 * if it does not, this was the end of the other spelling too, which is then sent again.
 */
async function sendRespelled({ event, snapshot, deps }: EntityChange): Promise<void> {
  const { respelled: code } = snapshot;
  if (code === undefined) return;
  const force = deps.shop(event.shop).assumptions.couponsAreReplaced;
  await sendCode({ ...event, force }, { code, why: 'respelled' }, deps);
}

/** Undefined when the ledger does not say when the program went live: then no order can be decided. */
async function rulesOf(key: EntityKey, deps: SyncDeps): Promise<MappingRules | undefined> {
  const { rules } = deps.shop(key.shop);
  if (key.kind !== 'order') return rules;
  try {
    const { shop } = key;
    const { goLiveOf, takeoverOf } = deps.pauses;
    return await withGoLive(rules, goLiveOf(shop), deps.ledger, takeoverOf(shop));
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
  { ledger, customers = ledger }: SyncDeps,
): Promise<EntityEntry | undefined> {
  const id = kind === 'order' ? customerIn(entry) : undefined;
  if (!entry || id === undefined) return entry;
  const redactedAt = await redactedMeanwhile({ shop, id }, entry, customers);
  if (redactedAt === undefined) return entry;
  const { remembered: _, ...kept } = entry;
  return { ...kept, redactedAt };
}

/** As long as the store keeps a feeder's file. The ledger keeps orders at least five times as long. */
const FRESH_MS = 7 * 86_400_000;

/** After this time the second of `updated_at` is over, and the store shows its last state. */
const SETTLED_MS = 2 * 60_000;

/**
 * The snapshot that the event itself carries; undefined when it has none. One that a feeder read from the store is
 * genuine, and a later change has left a newer version in the ledger. It counts as `feeder` only when it was read well
 * after the second of its version: within that second the entity may have changed again.
 */
export function carriedSnapshot({ event, reading }: Candidate, now: Date): Snapshot | undefined {
  if (reading.kind !== 'snapshot') return undefined;
  const { version, readAt = 0 } = reading;
  const isFresh = now.getTime() - readAt <= FRESH_MS;
  const source = isFresh && readAt - version >= SETTLED_MS ? 'feeder' : 'event';
  return { ...reading, source, ...optionsOf(event) };
}

/** What the sender of the event wants of its snapshot. */
function optionsOf({ history, newRules }: StoreEvent): Pick<Snapshot, 'history' | 'newRules'> {
  return { ...(history && { history }), ...(newRules && { newRules }) };
}

interface ServiceCall {
  /** What the entry holds while the call is under way; undefined where the entry says it already. */
  readonly mark: Facts | undefined;
  readonly call: () => Promise<Made>;
  /** The call may have an effect also where it is refused: the entry then stays as the mark left it. */
  readonly keepsMark?: boolean;
  readonly ifRefused?: Facts;
  /** After a call that was applied; with the entry that the mark left. */
  readonly onApplied: (
    marked: EntityChange,
    outcome: Extract<Outcome, { kind: 'applied' }>,
    made: Made,
  ) => Promise<Synced>;
}

/**
 * Mark → call → record, for every kind of entity: nothing else sends a wanted state to the loyalty service. A refusal
 * is recorded here; what was applied, by `onApplied` with `recordCalls`, because an order may need several calls.
 * See docs/decisions/0004-every-ledger-write-names-its-revision.md.
 */
async function markAndCall(
  change: EntityChange,
  { mark, call, keepsMark, ifRefused, onApplied }: ServiceCall,
): Promise<Synced> {
  const { key, entry, deps } = change;
  const { breaker } = deps.shop(key.shop);
  const answer = await throughBreaker({ breaker, now: deps.now }, async () => {
    const marked = mark
      ? await record(change, { kind: 'marked', facts: mark }, deps.ledger)
      : entry;
    if (mark && !marked) return { kind: 'overtaken', end: 'unused' } as const;
    const made = await call();
    return { kind: 'called', entry: marked, made, end: made.end } as const;
  });
  if (answer.kind === 'call-refused') return { outcome: retryWhenAllowed(answer), entry };
  if (answer.kind === 'overtaken') return { outcome: overtaken, entry };
  const { made } = answer;
  const marked = { ...change, entry: answer.entry, now: deps.now() };
  const { outcome } = made;
  switch (outcome.kind) {
    case 'retry':
      return { outcome, entry: marked.entry };
    case 'rejected':
      return reject(marked, outcome, ifRefused, keepsMark ? marked : change);
    case 'applied':
      return onApplied(marked, outcome, made);
  }
}

/** After calls that succeeded. */
async function recordCalls(
  change: EntityChange,
  applied: Parameters<typeof recordApplied>[1],
  outcome: Outcome,
): Promise<Synced> {
  const { event, entry, deps } = change;
  const written = await recordApplied(change, applied, deps.ledger, () =>
    // Without a body: the worker reads the entity from the store.
    deps.queue.send({ ...askAgain(event, deps.now()), body: undefined }),
  );
  return written ? { outcome, entry: written } : { outcome: overtaken, entry };
}

/** Adds only a line to the outcomes: version, key and mark are those of the entry `before` the call. */
async function reject(
  change: EntityChange,
  outcome: Rejected,
  given: Facts = {},
  before: Pick<Change, 'entry'> = change,
): Promise<Synced> {
  const facts = change.key.kind === 'order' ? { ...retention(change), ...given } : given;
  const why = outcome.code ?? outcome.reason;
  return settle(change, outcome, { kind: 'rejected', why, facts }, before);
}

/** Where another worker wrote meanwhile, its work may have caused the outcome: it is tried again. */
async function settle(
  change: EntityChange,
  outcome: Outcome,
  step: EntryStep,
  before: Pick<Change, 'entry'> = change,
): Promise<Synced> {
  const written = await record(change, step, change.deps.ledger, before);
  return written ? { outcome, entry: written } : { outcome: overtaken, entry: change.entry };
}

/** What the entry of an applied state holds. Orders expire; products and coupons once they are over. */
function factsOf(change: EntityChange, { wanted, remember, history, rules }: Wanted): Facts {
  const isOver = change.snapshot.entity.kind === 'gone' || wanted.kind === 'inactive-coupon';
  return {
    ...(remember !== undefined && { remembered: remember }),
    ...discountOf(change),
    ...(history && { history }),
    ...(rules !== undefined && { rules }),
    ...((change.key.kind === 'order' || isOver) && retention(change)),
  };
}

const appliedFacts = (change: EntityChange, mapped: Wanted) => ({
  ...factsOf(change, mapped),
  appliedKey: idempotencyKey(mapped.wanted),
});

const discountOf = ({ snapshot: { entity }, entry }: EntityChange): Facts => ({
  discountId: entity.kind === 'coupon' ? entity.coupon.discountId : entry?.discountId,
});

const retention = ({ deps }: EntityChange) => expiresAfter(deps.orderRetentionDays, deps.now());

type Call = Extract<NextCall, { kind: 'send' | 'take' | 'cancel' }>;

/**
 * Decide → mark → call, until nothing is left to do; then record. What a call changed is written
 * together with the mark of the next one, or with the record. A worker that dies in between leaves
 * the mark, and the same call is made again: that is harmless.
 */
async function applyOrder(
  change: EntityChange,
  mapped: MappedOrder,
  side: ServiceSide,
  calls: readonly OperationId[] = [],
): Promise<Synced> {
  const { key, entry, deps } = change;
  const { wanted } = mapped;
  const next = nextCall(wanted, side, deps.shop(key.shop).assumptions);
  if (next.kind === 'nothing') return recordOrder(change, mapped, side.record, calls);
  if (next.kind === 'ask-store')
    throw new Error('the book was to be read before anything is called');
  // What was read is no basis for a later call, unless it was understood: then it is what calls began from.
  const kept = { service: calls.length > 0 ? side.record : entry?.service };
  if (next.kind === 'person') return reject(change, parked(next.why), kept);
  return markAndCall(change, {
    mark: markOf(change, mapped, next),
    call: () => perform(next, wanted.id, change),
    // A cancellation may still show, and the first try of a step may have used its key.
    keepsMark: next.kind === 'cancel' || (next.kind === 'take' && !!next.record.step),
    ifRefused: kept,
    onApplied: (marked, outcome, { found }) => {
      const all = [...calls, ...outcome.calls];
      const after = sideAfter(next, change, wanted, side, found);
      if ('reason' in after) return reject(marked, parked(after));
      const isOver = next.kind === 'cancel' || after.record?.completedAt === undefined;
      return isOver
        ? recordOrder(marked, mapped, after.record, all)
        : applyOrder(marked, mapped, after, all);
    },
  });
}

/**
 * Undefined where the entry says it already, and for the end of an order that was never sent: that call gives the
 * service no order, so a lost one leaves nothing to correct.
 */
function markOf(change: EntityChange, mapped: Wanted, next: Call): Facts | undefined {
  const { entry } = change;
  if (next.kind === 'cancel' && !isKnown(entry)) return undefined;
  const service = recordToMark(next);
  const isMarked = !service || JSON.stringify(entry?.service) === JSON.stringify(service);
  if (entry?.uncertain && isMarked) return undefined;
  // Of a known entry, the other facts describe what was applied last. But from now on its customer may have earned.
  const completes = service?.completedAt !== undefined && entry?.service?.completedAt === undefined;
  const facts = isKnown(entry) && !completes ? {} : factsOf(change, mapped);
  return { ...facts, ...(service && { service }) };
}

/** A pending order holds no amount to take: what it was told need not be marked. */
function recordToMark(next: Call): ServiceOrder | undefined {
  if (next.kind === 'take') return { ...next.record, step: next.step };
  return next.kind === 'send' && next.record.completedAt !== undefined ? next.record : undefined;
}

async function perform(next: Call, id: string, { key, event, deps }: EntityChange): Promise<Made> {
  const { loyalty, assumptions } = deps.shop(key.shop);
  const options = { signal: deps.deadline };
  switch (next.kind) {
    case 'send':
      return judge(['sendOrder'], await loyalty.sendOrder(next.order, options));
    case 'take':
      return takePart(id, next.step, loyalty, assumptions, options);
    case 'cancel': {
      const waitedForADay = isRetryWindowOver(event, 1, deps.now(), deps.pauses);
      return cancelOrder(next.wanted, loyalty, assumptions, { ...options, waitedForADay });
    }
  }
}

function sideAfter(
  next: Call,
  { entry }: EntityChange,
  wanted: WantedOrder,
  side: ServiceSide,
  found = false,
): ServiceSide | PersonReason {
  switch (next.kind) {
    case 'send':
      return { ...side, known: true, tellAgain: false, record: next.record };
    case 'take': {
      const repeated = entry?.service?.step?.sum === next.step.sum;
      const record = afterStep(wanted, next.record, next.step, { found, repeated });
      // `tellAgain` stays: a dead worker may have left more than the step.
      return 'reason' in record ? record : { ...side, record };
    }
    case 'cancel': {
      const { step: _, ...record } = side.record ?? { total: 0, products: [], taken: 0 };
      return { ...side, record: { ...record, ended: true } };
    }
  }
}

async function recordOrder(
  change: EntityChange,
  mapped: Wanted,
  service: ServiceOrder | undefined,
  calls: readonly OperationId[],
): Promise<Synced> {
  const facts = { ...appliedFacts(change, mapped), ...(service && { service }) };
  if (calls.length === 0) return settle(change, UNCHANGED, { kind: 'unchanged', facts });
  const counts = service && countsOf(service);
  return recordCalls(change, { facts, counts }, { kind: 'applied', calls });
}

/** Makes the service's product, coupon or member the wanted one: a single call. */
async function applyOther(
  change: EntityChange,
  mapped: Wanted & { readonly wanted: WantedOther },
): Promise<Synced> {
  const { key, entry, deps } = change;
  const { loyalty, assumptions } = deps.shop(key.shop);
  const { wanted } = mapped;
  const isReplaced = entry?.appliedKey !== undefined && !entry.uncertain;
  if (isReplaced && wanted.kind === 'coupon' && !assumptions.couponsAreReplaced) {
    return reject(change, parked({ reason: 'not-replaced', setting: 'couponsAreReplaced' }));
  }
  // Of a known entry, the facts describe what was applied last.
  const facts = isKnown(entry) ? {} : factsOf(change, mapped);
  return markAndCall(change, {
    mark: entry?.uncertain ? undefined : facts,
    call: () => makeCall(wanted, loyalty, { signal: deps.deadline }),
    onApplied: (marked, outcome) =>
      recordCalls(marked, { facts: appliedFacts(marked, mapped) }, outcome),
  });
}

/** ApiExternalCoupon_Cant_Update_Coupon. */
const COUPON_NOT_WRITTEN = 56;
const SAME_CODE =
  ' If another shop on this loyalty account has the same code, the service cannot hold both: rename one.';

export async function makeCall(
  wanted: WantedOther,
  loyalty: LoyaltyCalls,
  options: { readonly signal: AbortSignal },
): Promise<CallsMade> {
  const { id } = wanted;
  switch (wanted.kind) {
    case 'product':
      return judge(['updateProduct'], await loyalty.updateProduct(id, wanted.product, options));
    case 'coupon': {
      const sent = await loyalty.createCoupon(wanted.coupon, options);
      // Under an id of its shop's own, on an account that several shops share.
      const mayBeAnothers = wanted.coupon.OriginalId !== id;
      return mayBeAnothers && hasCode(sent, COUPON_NOT_WRITTEN)
        ? refused(['createCoupon'], sent, SAME_CODE)
        : judge(['createCoupon'], sent);
    }
    case 'inactive-coupon':
      return judge(['deactivateCoupon'], await loyalty.deactivateCoupon(id, options));
    case 'member':
      return judge(['upsertCustomer'], await loyalty.upsertCustomer(wanted.member, options));
    case 'deleted-member':
      return applied([]);
  }
}
