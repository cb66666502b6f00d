import type { EntityKey, StoreEvent } from '../events/event.ts';
import { errorFields, type Telemetry } from '../events/telemetry.ts';
import {
  customerItems,
  type Doubt,
  isDoubtful,
  isKnown,
  mergedInto,
  predatesRedaction,
  redactedMeanwhile,
  redactedSince,
  wasSettledSince,
} from '../ledger/entry.ts';
import {
  type EntityEntry,
  type Ledger,
  type LedgerKey,
  ledgerKeyText,
  toThousandths,
} from '../ledger/ledger.ts';
import {
  contactHash,
  hidesDetails,
  needsMetafields,
  plainCustomerForm,
} from '../mapping/customer-form.ts';
import { needsEnrichment, neverCompleted } from '../mapping/map-order.ts';
import { type EntityRules, mapSnapshot } from '../mapping/map-snapshot.ts';
import {
  cancelledOrderKey,
  customerIn,
  differsByRulesAlone,
  faultText,
  idempotencyKey,
  type Mapped,
  type OrderRules,
  recallMember,
  recallOrder,
  rememberOrder,
  type WantedState,
  withGoLive,
} from '../mapping/wanted-state.ts';
import { noteUsedCodes, withRewardCodeFirst } from '../redemptions/reward-codes.ts';
import type { EventReading, Snapshot, Store, StoreEntity } from '../store/store.ts';
import { applyOrder, applyOther, type WantedOther } from './apply-order.ts';
import {
  discountOf,
  type EntityChange,
  type ExecutionDeps,
  reject,
  retention,
  type ServiceReading,
  type Synced,
  settle,
  type Wanted,
} from './change-service.ts';
import { sendCode } from './fan-out.ts';
import { isHeldLive, leaveHeld, mayHoldMore, presumeHeld, readFromService } from './held-order.ts';
import { type Plan, plan, snapshotSource } from './plan.ts';
import { readSnapshot } from './read-snapshot.ts';

/** An event and what its body says. */
export interface Candidate {
  readonly event: StoreEvent;
  readonly reading: Exclude<EventReading, { kind: 'unreadable' }>;
  /** Where customers are looked up; absent: in the ledger itself. */
  readonly customers?: Pick<Ledger, 'readMany'>;
}

export interface SyncDeps extends ExecutionDeps {
  readonly store: Store;
  readonly shop: (
    domain: string,
  ) => ReturnType<ExecutionDeps['shop']> & { readonly rules: EntityRules };
  readonly telemetry: Telemetry;
}

/**
 * Map → plan → mark → call → record, for one entity and one event about it. The plan may first need the store, or the
 * loyalty service: then its answer is mapped and planned again, each at most once.
 * See docs/decisions/0001-events-are-snapshots-and-only-differences-are-sent.md.
 */
export async function syncEntity(
  key: EntityKey,
  candidate: Candidate,
  entry: EntityEntry | undefined,
  deps: SyncDeps,
): Promise<Synced> {
  const { event, reading, customers = deps.ledger } = candidate;
  const rules = await rulesOf(key, deps);
  if (!rules) return { outcome: { kind: 'retry', why: 'ledger-unavailable' }, entry };
  const carried = reading.kind === 'snapshot' ? reading.version : undefined;
  const { changedAt, isCurrent } = reading.kind === 'ask-store' ? reading : {};
  let snapshot = snapshotIn(candidate, deps.now());
  let read: ServiceReading | undefined;
  for (;;) {
    if (!snapshot) {
      const answer = await readSnapshot(key, { event, entry, carried, changedAt, isCurrent }, deps);
      if (answer.kind !== 'snapshot') return { outcome: answer, entry };
      snapshot = { ...answer, ...optionsOf(event) };
    }
    entry = await withoutRedacted(key.shop, snapshot, entry, customers);
    const entity = await withRewardCodeFirst(key.shop, snapshot.entity, deps.ledger);
    snapshot = { ...snapshot, entity };
    const before = whatWasSent(entry, read);
    const mapped = mapSnapshot(key, snapshot, before, rules, deps.now());
    const wantedKey = mapped.kind === 'wanted' ? idempotencyKey(mapped.wanted) : undefined;
    const { version } = snapshot;
    // A redacted person's order is not sent again, not even on request.
    const isRedacted = snapshot.redactedAt !== undefined || predatesRedaction(entry, version);
    const force = event.force === true && !isRedacted;
    const rulesChanged = !snapshot.newRules && differsByRulesAlone(mapped, entry);
    const doubt = deps.pauses.doubtOf(key.shop);
    const asked = { force, rulesChanged, doubtful: isDoubtful(entry, doubt) };
    const next = plan({ ...snapshot, entry, wantedKey, now: deps.now(), ...asked });
    const situation = { shop: key.shop, snapshot, mapped, entry, rules, doubt };
    const redactedAt = await lateRedaction(next, situation, customers);
    if (redactedAt !== undefined) {
      snapshot = { ...snapshot, redactedAt };
      continue;
    }
    // At most once: a snapshot from the store is never read again.
    if (next.kind === 'read-store' || (await tellsTooLittle(next, situation, customers))) {
      snapshot = undefined;
      continue;
    }
    const takeover = deps.pauses.takeoverOf(key.shop);
    if (!read && mayHoldMore({ snapshot, entry, mapped, next, doubt, takeover }, deps)) {
      const answer = await readFromService(key, snapshot, entry, deps);
      if ('outcome' in answer) {
        const { outcome } = answer;
        if (outcome.kind !== 'rejected') return answer;
        // Scans must know that it was asked for.
        return reject(changeOf({ key, event, entry, snapshot, read }, deps), outcome, deps);
      }
      read = answer;
      // A cancellation is final: a late event must not try to revive the order.
      if (read.held && !isHeldLive(read.held) && snapshot.source === 'event') snapshot = undefined;
      continue;
    }
    await noteUsedCodes(key.shop, entity, deps);
    const given = { key, event, entry, snapshot, read };
    const synced = await execute(next, mapped, given, deps);
    if (synced.outcome.kind !== 'retry') await sendRespelled(event, snapshot, deps);
    return synced;
  }
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
async function rulesOf(key: EntityKey, deps: SyncDeps): Promise<EntityRules | undefined> {
  const { rules } = deps.shop(key.shop);
  if (key.kind !== 'order') return rules;
  try {
    return await withGoLive(rules, deps.pauses.goLiveOf(key.shop), deps.ledger);
  } catch (error) {
    deps.telemetry.log('error', 'the ledger could not be read', errorFields(error));
    return undefined;
  }
}

/** Undefined when the event carries none: then the store is asked. */
function snapshotIn({ event, reading }: Candidate, now: Date): Snapshot | undefined {
  if (reading.kind !== 'snapshot') return undefined;
  return { ...reading, source: snapshotSource(reading, now), ...optionsOf(event) };
}

/** What the sender of the event wants of its snapshot. */
function optionsOf({ history, newRules }: StoreEvent): Pick<Snapshot, 'history' | 'newRules'> {
  return { ...(history && { history }), ...(newRules && { newRules }) };
}

/** The entry, or what stands for one that is missing or knows too little. */
function whatWasSent(
  entry: EntityEntry | undefined,
  read: ServiceReading | undefined,
): EntityEntry | undefined {
  if (!entry?.amounts) {
    return isHeldLive(read?.held) ? presumeHeld(read.held, entry, read) : entry;
  }
  const { heldAs } = read ?? {};
  if (heldAs === undefined) return entry;
  return { ...entry, remembered: rememberOrder({ ...recallOrder(entry.remembered), heldAs }) };
}

interface Situation {
  readonly shop: string;
  readonly snapshot: Snapshot;
  readonly mapped: Mapped;
  readonly entry: EntityEntry | undefined;
  readonly rules: EntityRules;
  readonly doubt: Doubt | undefined;
}

/** True when what is planned needs more than this snapshot tells: the store is asked first. */
async function tellsTooLittle(
  next: Plan,
  { shop, snapshot, mapped, entry, rules, doubt }: Situation,
  customers: Reads,
): Promise<boolean> {
  if (isDecided(next) && hidesParts(snapshot, mapped, rules)) return true;
  if (next.kind !== 'call') return false;
  return (
    leavesOut(snapshot, rules, entry) ||
    isFinal(snapshot, mapped, entry) ||
    mayBeOld(snapshot, entry, doubt) ||
    hasLateCustomer(shop, snapshot, customers)
  );
}

/** It would be recorded, as a call or without one. */
function isDecided(next: Plan): boolean {
  return next.kind === 'call' || (next.kind === 'unchanged' && next.advance);
}

/** Without them even "unchanged" may be wrong: an order's amount, a customer's details. */
function hidesParts({ source, entity }: Snapshot, mapped: Mapped, rules: EntityRules): boolean {
  if (source === 'store') return false;
  if (entity.kind === 'member') return hidesDetails(entity.member, rules);
  return mapped.kind === 'wanted' && mapped.incomplete === true;
}

/**
 * True when the event alone would lead to what cannot be undone: the cancellation of a refunded order, a partial
 * cancel, a rise after one, or a person who must decide about it. The store is asked first: an exchange may have added
 * meanwhile what the event does not show. Only what the store itself cancelled stays cancelled (Shopify, "orderCancel").
 */
function isFinal(
  { source, entity }: Snapshot,
  mapped: Mapped,
  entry: EntityEntry | undefined,
): boolean {
  if (source !== 'event' || mapped.kind !== 'wanted' || entity.kind !== 'order') return false;
  const { wanted } = mapped;
  if (wanted.kind === 'cancelled-order') return entity.order.cancelledAt === undefined;
  if (wanted.kind !== 'order') return false;
  // What the ledger does not know may have been sent before it was lost.
  if (!entry?.amounts && wanted.order.IsCompleted && wanted.isRefunded) return true;
  if (!entry) return false;
  const { amounts, remembered, appliedKey } = entry;
  if (appliedKey === cancelledOrderKey(wanted.id)) return true;
  const { OrderCompletedDate, OrderTotal } = recallOrder(remembered)?.basics ?? {};
  // The amounts of an order that was read from the service may not be known.
  const before = OrderCompletedDate == null ? undefined : toThousandths(OrderTotal);
  const given = amounts ? amounts.sent.total - amounts.taken : before;
  if (given === undefined) return false;
  const rise = toThousandths(wanted.order.OrderTotal) - given;
  return rise < 0 || (rise > 0 && amounts !== undefined && amounts.taken > 0);
}

/** What a ledger that was lost or restored has forgotten may be newer. */
function mayBeOld(
  { source, version }: Snapshot,
  entry: EntityEntry | undefined,
  doubt: Doubt | undefined,
): boolean {
  return (
    source === 'event' &&
    doubt !== undefined &&
    version < doubt.until &&
    !wasSettledSince(entry, doubt.until)
  );
}

/**
 * True when the store knows more than the event says. Asked only before a call: while the event changes
 * nothing, the rest is not needed.
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

type Reads = Pick<Ledger, 'readMany'>;

/**
 * The entry as a redaction leaves it, if its customer was redacted since and the request did not name the order: what is
 * remembered would stand for what the store no longer says of them. The next write erases it.
 */
async function withoutRedacted(
  shop: string,
  { entity }: Snapshot,
  entry: EntityEntry | undefined,
  ledger: Reads,
): Promise<EntityEntry | undefined> {
  const id = customerIn(entry);
  if (!entry || id === undefined || entity.kind !== 'order') return entry;
  const redactedAt = await redactedMeanwhile({ shop, id }, entry, ledger);
  if (redactedAt === undefined) return entry;
  const { remembered: _, ...kept } = entry;
  return { ...kept, redactedAt };
}

/**
 * When the customer of an order that would be sent was redacted, if the order is from before: the store may not have
 * named it. Asked once for each snapshot.
 */
async function lateRedaction(
  next: Plan,
  { shop, snapshot }: Situation,
  ledger: Reads,
): Promise<number | undefined> {
  const { entity, version, redactedAt } = snapshot;
  if (next.kind !== 'call' || redactedAt !== undefined) return undefined;
  if (entity.kind !== 'order' || !entity.order.customer) return undefined;
  return redactedSince({ shop, id: entity.order.customer.id }, version, ledger);
}

/**
 * True for an order whose customer changed since: merged into another, or with another e-mail address or
 * telephone number. Sent as it is, the order would bring the old ones back. The store says what holds now.
 */
export async function hasLateCustomer(
  shop: string,
  { entity, source, version }: Snapshot,
  ledger: Reads,
): Promise<boolean> {
  if (source === 'store') return false;
  if (entity.kind !== 'order' || !entity.order.customer) return false;
  const { customer } = entity.order;
  const { record, member } = customerItems({ shop, id: customer.id });
  const known = await ledger.readMany([record, member]);
  if (mergedInto(known.get(ledgerKeyText(record))) !== undefined) return true;
  const entry = known.get(ledgerKeyText(member));
  const contact = recallMember(entry?.remembered)?.contact;
  // Of two changes within one second it is unknown which came last.
  if (!entry || contact === undefined || entry.version < version) return false;
  return contact !== contactHash(plainCustomerForm(customer));
}

/**
 * What that question needs, to be read with the entries of a batch: an order that is sent then needs no read of
 * its own. Not for what is mostly skipped without the question.
 */
export function customerKeys(
  shop: string,
  entity: StoreEntity,
  rules: Pick<OrderRules, 'pendingOrders' | 'completeWhen'>,
): readonly LedgerKey[] {
  if (entity.kind !== 'order' || !entity.order.customer) return [];
  if (rules.pendingOrders === 'skip' && neverCompleted(entity.order, rules)) return [];
  return Object.values(customerItems({ shop, id: entity.order.customer.id }));
}

/** Calls the loyalty service if the plan says so, and records the outcome. */
async function execute(
  next: Exclude<Plan, { kind: 'read-store' }>,
  mapped: Mapped,
  given: Given,
  deps: ExecutionDeps,
): Promise<Synced> {
  const { entry } = given;
  const change = changeOf(given, deps);
  if (next.kind === 'superseded') return { outcome: next, entry };
  if (mapped.kind === 'fault') {
    const why = faultText(mapped);
    return reject(change, { kind: 'rejected', reason: 'unmappable', why }, deps);
  }
  if (mapped.kind === 'skip') return skip(change, mapped.why, deps);
  switch (next.kind) {
    case 'skip':
      throw new Error('the plan skips what the mapping wants');
    case 'rules-changed':
      return { outcome: { kind: 'skipped', why: 'rules-changed' }, entry };
    case 'unchanged':
      return unchanged(change, mapped, next.advance, deps);
    case 'call': {
      const { wanted } = mapped;
      return isOrder(wanted)
        ? applyOrder(change, { ...mapped, wanted }, deps)
        : applyOther(change, { ...mapped, wanted }, deps);
    }
  }
}

type Given = Pick<EntityChange, 'key' | 'event' | 'entry' | 'snapshot' | 'read'>;

function changeOf(given: Given, { now }: ExecutionDeps): EntityChange {
  const { topic, origin } = given.event;
  return {
    ...{ ...given, version: given.snapshot.version, topic, now: now() },
    ...(origin === 'reconcile' && { origin }),
  };
}

function isOrder(wanted: WantedState): wanted is Exclude<WantedState, WantedOther> {
  return wanted.kind === 'order' || wanted.kind === 'cancelled-order';
}

async function unchanged(
  change: EntityChange,
  { rules }: Wanted,
  advance: boolean,
  deps: ExecutionDeps,
): Promise<Synced> {
  const outcome = { kind: 'unchanged' } as const;
  const { key, entry, snapshot } = change;
  if (!advance) return { outcome, entry };
  const isOrder = key.kind === 'order';
  const facts = {
    ...discountOf(change),
    // Another change in the same second is no difference between rules.
    ...(rules !== undefined && { rules }),
    ...(isOrder && retention(deps)),
    // It was cancelled before it was deleted: a later redaction of its customer does not name it.
    ...(isOrder && snapshot.entity.kind === 'gone' && { remembered: undefined }),
  };
  return settle(change, outcome, { kind: 'unchanged', facts }, deps);
}

async function skip(
  change: EntityChange,
  why: Extract<Mapped, { kind: 'skip' }>['why'],
  deps: ExecutionDeps,
): Promise<Synced> {
  const { entry, version, read } = change;
  if (!isKnown(entry) && isHeldLive(read?.held)) return leaveHeld(change, deps, why);
  const outcome = { kind: 'skipped', why } as const;
  // A repeated skip needs no second line among the outcomes.
  if (entry?.version === version) return { outcome, entry };
  const facts = entry?.appliedKey ? {} : retention(deps);
  return settle(change, outcome, { kind: 'skipped', why, facts }, deps);
}
