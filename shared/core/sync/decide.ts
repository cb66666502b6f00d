import type { MappingRules } from '../../config/mapping-settings.ts';
import type { StoreOrder } from '../../store/store-entities.ts';
import type { EntityKey, StoreEvent } from '../events/event.ts';
import type { Outcome, SkipReason } from '../events/outcome.ts';
import {
  customerItems,
  type Doubt,
  isInDoubt,
  isKnown,
  type KnownCustomer,
  mergedInto,
  predatesRedaction,
  redactionAfter,
  redactionOf,
  type Takeover,
  wasSettledSince,
} from '../ledger/entry.ts';
import type { EntityEntry, LedgerKey } from '../ledger/ledger.ts';
import { fromThousandths, ownCount, type ServiceOrder, toThousandths } from '../ledger/ledger.ts';
import {
  buyerIn,
  contactHash,
  hidesDetails,
  memberMemory,
  needsMetafields,
  plainCustomerForm,
} from '../mapping/customer-form.ts';
import { needsEnrichment, neverCompleted } from '../mapping/map-order.ts';
import { mapSnapshot } from '../mapping/map-snapshot.ts';
import { isUnpaid } from '../mapping/order-amounts.ts';
import {
  differsByRulesAlone,
  faultText,
  HISTORY_METADATA,
  idempotencyKey,
  type Mapped,
  orderMemory,
  type Wanted,
  type WantedOrder,
  type WantedState,
} from '../mapping/wanted-state.ts';
import type { OrderQuestion, Snapshot, StoreEntity } from '../store/store.ts';
import {
  isHeldLive,
  nextCall,
  type PersonReason,
  type RefundSettings,
  recognize,
  type ServiceSide,
} from './decide-order.ts';
import type { CallAssumptions, HeldOrder } from './dependencies.ts';
import { heldCustomer, PLATFORM_ORIGIN, type ServiceReading } from './held-order.ts';

/** What was gathered when a decision is made. What is missing is asked for, each at most once. */
export interface Gathered {
  readonly key: EntityKey;
  readonly event: Pick<StoreEvent, 'force' | 'receivedAt'>;
  readonly entry: EntityEntry | undefined;
  /** Undefined while the event carries none: the store is asked. */
  readonly snapshot: Snapshot | undefined;
  /** The store was asked for the order's book, whatever it answered. */
  readonly askedForBook?: boolean;
  /** What the loyalty service says of the order. */
  readonly read?: ServiceReading;
  /** What the ledger says of the order's customer. */
  readonly customer?: KnownCustomer;
  /** What the snapshot was mapped to with the same entry and rules, where the question before this answer did so. */
  readonly mapped?: Mapped | undefined;
  readonly rules: MappingRules;
  readonly assumptions: Pick<CallAssumptions, keyof RefundSettings | 'readTotals'>;
  readonly doubt: Doubt | undefined;
  readonly takeover: Takeover | undefined;
  readonly orderRetentionDays: number;
  readonly now: Date;
}

export type Decision =
  | AskStore
  | { readonly kind: 'ask-service' }
  | { readonly kind: 'ask-customer'; readonly id: string; readonly mapped: Mapped }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'unchanged'; readonly mapped: Wanted; readonly isNewer: boolean }
  /** With the entry, where the service holds an order that is left as it is. */
  | { readonly kind: 'skip'; readonly why: SkipReason; readonly held?: EntityEntry }
  | { readonly kind: 'reject'; readonly outcome: Rejected }
  | { readonly kind: 'apply'; readonly mapped: Wanted & { readonly wanted: WantedOther } }
  | { readonly kind: 'apply-order'; readonly mapped: MappedOrder; readonly side: ServiceSide };

/** Of an order, with its book: `if-changed`, if it changed since it was placed; `always`, in any case. */
type AskStore = { readonly kind: 'ask-store' } & Pick<OrderQuestion, 'book'>;

export type WantedOther = Exclude<WantedState, WantedOrder>;
export type MappedOrder = Wanted & { readonly wanted: WantedOrder };

/**
 * What to do about an entity, given what is known of both sides: pure, and total. A snapshot that is newer than a
 * certain record, and takes nothing, is decided at once. Everything else may first ask the store, the loyalty service
 * or the ledger, and is decided again with the answer. Nothing that cannot be undone is decided on an event alone.
 * See docs/decisions/0001-events-are-snapshots-and-only-differences-are-sent.md.
 */
export function decide(gathered: Gathered): Decision {
  const { key, read, customer, rules, now } = gathered;
  const snapshot = gathered.snapshot && withRedaction(gathered.snapshot, customer);
  if (!snapshot) return storeQuestion(gathered);
  const before = snapshot === gathered.snapshot ? gathered.mapped : undefined;
  // After a reading of the service: by what it holds, where the ledger has forgotten that it was sent.
  const mapped = before ?? mapSnapshot(key, snapshot, presumed(gathered), rules, now);
  const planned = plan(gathered, snapshot, mapped);
  if (planned?.kind === 'superseded' || planned?.kind === 'ask-store') return planned;
  const isCall = !planned && mapped.kind === 'wanted';
  const situation = { ...gathered, snapshot, mapped, isCall };
  const { id } = buyerIn(snapshot.entity) ?? {};
  const isUnknown = id !== undefined && id !== customer?.id && snapshot.redactedAt === undefined;
  if (isCall && isUnknown) return { kind: 'ask-customer', id, mapped };
  const isSettled = planned?.kind === 'unchanged' && (planned.isNewer || cameLater(gathered));
  // Without them even "unchanged" may be wrong: an order's amount, a customer's details.
  if ((isCall || isSettled) && hidesParts(situation)) return storeQuestion(gathered);
  if (tellsTooLittle(situation)) return storeQuestion(gathered);
  if (!read && mayHoldMore(situation)) return { kind: 'ask-service' };
  // A cancellation is final: a late event must not try to revive the order.
  const isEnded = read?.held !== undefined && !isHeldLive(read.held);
  if (isEnded && snapshot.source === 'event') return storeQuestion(gathered);
  if (planned) return planned;
  if (mapped.kind === 'fault') {
    const why = faultText(mapped);
    return { kind: 'reject', outcome: { kind: 'rejected', reason: 'unmappable', why } };
  }
  if (mapped.kind === 'skip') {
    const isLeft = !isKnown(gathered.entry) && isHeldLive(read?.held);
    return isLeft ? leaveHeld(gathered, mapped.why) : { kind: 'skip', why: mapped.why };
  }
  const { wanted } = mapped;
  return wanted.kind === 'order' || wanted.kind === 'cancelled-order'
    ? decideOrder(situation, { ...mapped, wanted })
    : { kind: 'apply', mapped: { ...mapped, wanted } };
}

/** It came after the entry was written: within one second, it may tell of another state than the one that was read then. */
const cameLater = ({ event, entry }: Gathered): boolean =>
  event.receivedAt > (entry?.outcomes.at(-1)?.at ?? '');

/** An event this late is either a long outage or a captured body: the store is asked. */
const OLD_AFTER_MS = 2 * 86_400_000;

/**
 * By versions and keys alone. Undefined: what was mapped is to be carried out, a call or a skip. Whether enough is known
 * for a call is asked afterwards.
 */
export function plan(
  gathered: Gathered,
  snapshot: Snapshot,
  mapped: Mapped,
): Extract<Decision, { kind: 'ask-store' | 'superseded' | 'unchanged' | 'skip' }> | undefined {
  const { entry, doubt, event, now } = gathered;
  const { version, source } = snapshot;
  // Version 0: no snapshot was recorded yet, only a rejection or a code that was announced.
  if (entry === undefined || (entry.version === 0 && !entry.uncertain)) {
    const isOld = source === 'event' && now.getTime() - version > OLD_AFTER_MS;
    return isOld ? storeQuestion(gathered) : undefined;
  }
  if (version < entry.version) {
    // No other event may come to clear the mark: the worker that set it may have been late itself. Or the newer version
    // was skipped, perhaps because only a backfill may send it, and this is the backfill.
    const mayCount = entry.uncertain || (snapshot.history && !isKnown(entry));
    if (mayCount && source !== 'store') return storeQuestion(gathered);
    // A store that answers with an older state than the ledger's lags behind: its answer counts only
    // while the entry is uncertain.
    if (!entry.uncertain) return { kind: 'superseded' };
  }
  if (mapped.kind !== 'wanted' || entry.uncertain) return undefined;
  const isSame = entry.appliedKey === idempotencyKey(mapped.wanted) && !isInDoubt(entry, doubt);
  // Sent even so, because a person says that the service lost it. But a redacted person's order is not sent again.
  const isRedacted = snapshot.redactedAt !== undefined || predatesRedaction(entry, version);
  const isForced = event.force === true && !isRedacted;
  if (isSame && isForced) return undefined;
  if (isSame) return { kind: 'unchanged', mapped, isNewer: version > entry.version };
  if (version !== entry.version) return undefined;
  // The store did not change it since it was sent: only the rules did.
  const isByRules = entry.appliedKey !== undefined && differsByRulesAlone(mapped, entry);
  if (isByRules && !snapshot.newRules && !isForced) return { kind: 'skip', why: 'rules-changed' };
  // Two states of one second: which of them is newer, only the store knows.
  return source === 'event' ? storeQuestion(gathered) : undefined;
}

type Situation = Gathered & {
  readonly snapshot: Snapshot;
  readonly mapped: Mapped;
  /** The plan is to call. */
  readonly isCall: boolean;
};

/** Of an order that changed with its book: the keys of partial cancels follow from it, also after a lost ledger. */
function storeQuestion({ key, entry, read, takeover }: Gathered): AskStore {
  if (key.kind !== 'order') return { kind: 'ask-store' };
  const mayBeTheirs = takeover !== undefined && !isKnown(entry);
  return { kind: 'ask-store', book: read?.held || mayBeTheirs ? 'always' : 'if-changed' };
}

function decideOrder(gathered: Situation, mapped: MappedOrder): Decision {
  const { wanted } = mapped;
  if (wanted.kind === 'order' && isEndedElsewhere(gathered)) return leaveHeld(gathered);
  if (isUnmatched(gathered)) return { kind: 'reject', outcome: parked({ reason: 'unmatched' }) };
  const side = serviceSide(gathered, wanted);
  const next = 'kind' in side ? side : nextCall(wanted, side, gathered.assumptions);
  // A book that comes with changes only is missing where nothing shows what the order lost.
  const lacksBook = next.kind === 'take' && !wanted.changed && !wanted.past;
  if ((next.kind === 'ask-store' || lacksBook) && !gathered.askedForBook) {
    return { kind: 'ask-store', book: 'always' };
  }
  if (!('kind' in side) && next.kind !== 'ask-store') return { kind: 'apply-order', mapped, side };
  const { entry, read } = gathered;
  const held = read?.held ? toThousandths(read.held.OrderTotal) : (entry?.service?.total ?? 0);
  const why = { reason: 'unexplained', held, past: [] } as const;
  return { kind: 'reject', outcome: parked(next.kind === 'person' ? next.why : why) };
}

export type Rejected = Extract<Outcome, { kind: 'rejected' }>;

export const parked = (why: PersonReason): Rejected => ({
  ...{ kind: 'rejected', reason: 'rejected', code: why.reason, why: sentenceOf(why) },
});

/** For the person who finds the dead letter: what happened, with the figures, and what to do. */
function sentenceOf(why: PersonReason): string {
  const text = (thousandths: number) => String(fromThousandths(thousandths));
  switch (why.reason) {
    case 'raised':
      return `its amount rose after a part of it was cancelled, from ${text(why.counts)} to ${text(why.wanted)}: correct the points by hand, or set loyalty.assumptions.raiseAfterPartialCancel`;
    case 'unexplained': {
      const past = why.past.map(({ counts }) => text(counts)).join(', ') || 'not known';
      return `the ledger does not know for certain what was sent and taken back for it. The loyalty service holds ${text(why.held)}, and what the order counted by the rules of today, the oldest first (${past}), does not tell it either: correct the points by hand`;
    }
    case 'unbalanced':
      return `it counts ${text(why.wanted)} by the store's totals and ${text(why.booked)} by the store's list of its changes, and the ledger does not know what was sent: correct the points by hand`;
    case 'key-used':
      return `no answer came to a partial cancel, which was perhaps made before the ledger was lost: between ${text(why.least)} and ${text(why.most)} of it are taken: correct the points by hand`;
    case 'unmatched':
      return 'it was placed before another integration was switched off, whose ids of orders are not known: if the loyalty service gave no points for it, send it with "resend order ID --force"';
    case 'not-replaced':
      return `it was sent before, and loyalty.assumptions.${why.setting} says that the service takes no change`;
  }
}

/** Or what is to be asked first, or why a person must decide. */
function serviceSide(
  situation: Situation,
  wanted: WantedOrder,
): ServiceSide | Exclude<ReturnType<typeof recognize>, { kind: 'record' }> {
  const { entry, event, read, rules, assumptions, snapshot, takeover, doubt } = situation;
  const known = isKnown(entry);
  const record = entry?.service;
  const isTheirs = isFromElsewhere(situation);
  // Where `inDoubt` found none, the control record was lost: since when, nobody knows.
  const isLost = takeover !== undefined && takeover.until === doubt?.until;
  const offSince = takeover?.offSince ?? (isLost ? Number.NaN : 0);
  const oursSince = Math.max(Date.parse(rules.goLive ?? ''), offSince);
  // What another integration sent needs no second call to be certain: it was just read.
  const isUncertain = entry?.uncertain === true && !isTheirs;
  const tellAgain = isUncertain || event.force === true || record?.ended === true;
  // Under the id that it was found by, also once it is cancelled: what follows must not send it under another.
  if (wanted.kind === 'cancelled-order') {
    return { known, record: presumed(situation)?.service, tellAgain };
  }
  if (!read) return { known, record, tellAgain };
  // What the service does not have is sent to it; what is pending there, under the id that it has there.
  if (!isHeldLive(read.held) || !read.held.IsCompleted) {
    const pending = isTheirs ? presumed(situation)?.service : record;
    return { known, record: pending, tellAgain: tellAgain || known };
  }
  const recognized = recognize(wanted, record?.completedAt === undefined ? undefined : record, {
    ...{ held: read.held, id: read.heldAs, readTotals: assumptions.readTotals },
    isScanned: snapshot.source === 'feeder',
    ...(isTheirs && { oursSince }),
  });
  if (recognized.kind !== 'record') return recognized;
  return { known: true, tellAgain, record: recognized.record, searches: recognized.searches };
}

type Both = Pick<Gathered, 'entry' | 'read'>;

const wasCompleted = (entry: EntityEntry | undefined): boolean =>
  entry?.service?.completedAt !== undefined;

/** Another integration sent the order, and this connector has not. */
function isFromElsewhere(situation: Situation): boolean {
  const { entry, read, takeover } = situation;
  if (wasCompleted(entry) || !isHeldLive(read?.held)) return false;
  // Complete only since the other one was off: ours, and the ledger has forgotten it.
  const completedAt = Date.parse(read.held.OrderCompletedDate ?? '');
  if (isFromBefore(situation) && completedAt > (takeover?.offSince ?? 0)) return false;
  if (read.heldAs !== undefined || read.held.Origin === PLATFORM_ORIGIN) return true;
  // One that uses the public API leaves no mark, and we had sent nothing of then but history.
  return !isKnown(entry) && isFromBefore(situation) && !isMarkedHistory(read.held);
}

/** Placed before another integration was switched off. */
const isFromBefore = ({ snapshot: { entity }, takeover }: Situation): boolean =>
  entity.kind === 'order' && Date.parse(entity.order.placedAt) < (takeover?.offSince ?? 0);

/**
 * Another integration may have sent it under an id that nobody knows. Where its ids are known, it is surely absent; where
 * not, a person decides, who sends it with `force`.
 */
function isUnmatched(situation: Situation): boolean {
  const { entry, event, read, snapshot, takeover } = situation;
  const isAsked = event.force === true || snapshot.history === true;
  if (isKnown(entry) || isAsked || !isFromBefore(situation)) return false;
  return read !== undefined && !read.held && !takeover?.ids?.length;
}

/** Under another id it would count anew, although another integration, or a person, has ended it there. */
function isEndedElsewhere({ entry, read }: Both): boolean {
  if (wasCompleted(entry)) return false;
  const { id, ended } = entry?.service ?? {};
  if (ended && id !== undefined) return true;
  return read?.held !== undefined && !isHeldLive(read.held) && read.heldAs !== undefined;
}

/** Nothing is sent for an order that the service holds. Later events and scans must know that it is there. */
function leaveHeld({ entry, read }: Both, why: SkipReason = 'held-elsewhere'): Decision {
  const held = read?.held && presumeHeld(read.held, entry, read);
  return { kind: 'skip', why, ...(held && { held: { ...held, outcomes: entry?.outcomes ?? [] } }) };
}

/** The entry, or what stands for one that is missing or knows too little. */
function presumed({ entry, read }: Both): EntityEntry | undefined {
  return wasCompleted(entry) || !isHeldLive(read?.held)
    ? entry
    : presumeHeld(read.held, entry, read);
}

/**
 * What the entry of an order would hold that the service has, as far as the service says it. Once completed, it
 * stays so, and stays its customer's.
 */
function presumeHeld(
  held: HeldOrder,
  entry: EntityEntry | undefined,
  { heldAs: id, redactedAt }: Pick<ServiceReading, 'heldAs' | 'redactedAt'>,
): EntityEntry {
  const redaction = { ...(redactedAt !== undefined && { redactedAt }), ...redactionOf(entry) };
  const { OrderPlacementDate: placedAt, OrderTotal } = held;
  const completed = new Date(held.OrderCompletedDate ?? Number.NaN);
  const isLive = isHeldLive(held);
  const hasDate = isLive && held.IsCompleted === true && !Number.isNaN(completed.getTime());
  const service: ServiceOrder = {
    ...{ id, placedAt, completedAt: hasDate ? completed.toISOString() : undefined },
    ...{ total: toThousandths(OrderTotal), products: [], taken: 0 },
    ended: isLive ? undefined : true,
  };
  const remembered = orderMemory.write({
    ...orderMemory.read(entry?.remembered),
    // Of a redacted person nothing is remembered again.
    ...(held.Customer && !('redactedAt' in redaction) && { customer: heldCustomer(held) }),
  });
  return {
    ...{ version: entry?.version ?? 0, uncertain: true, outcomes: [], revision: 0 },
    ...{ remembered, service },
    ...((isMarkedHistory(held) || entry?.history) && { history: true }),
    ...redaction,
  };
}

const isMarkedHistory = ({ Metadatas }: HeldOrder): boolean =>
  Metadatas?.some(
    ({ Name, Value }) => Name === HISTORY_METADATA.name && Value === HISTORY_METADATA.value,
  ) === true;

/**
 * True when the service may hold more of an order than the ledger knows: then it is read before anything is decided. A
 * ledger that was lost or restored may have forgotten that the order was sent, for whom, and what was taken back.
 * See docs/decisions/0005-a-lost-ledger-takes-nothing-twice.md.
 */
function mayHoldMore(situation: Situation): boolean {
  const { snapshot, entry, mapped, isCall, doubt, takeover, now, orderRetentionDays } = situation;
  if (snapshot.entity.kind !== 'order') return false;
  const placedAt = Date.parse(snapshot.entity.order.placedAt);
  const isForgotten = mayBeForgotten(situation, placedAt);
  if (mapped.kind === 'skip') {
    const { order } = snapshot.entity;
    return (!entry && mayHaveCounted(mapped.why, order)) || (isForgotten && !isKnown(entry));
  }
  if (!isCall || mapped.kind !== 'wanted') return false;
  if (!wasCompleted(entry) && isForgotten) return true;
  // Another integration may still send orders, whatever we were told. What it had before may be completed at any time.
  const isLate = takeover && (now.getTime() < takeover.until || isFromBefore(situation));
  if (isLate && !isKnown(entry)) return true;
  // The service answers the cancellation of an order that it does not have.
  if (mapped.wanted.kind !== 'order') return false;
  if (wasCompleted(entry)) return isInDoubt(entry, doubt);
  const { order, changed } = mapped.wanted;
  if (!order.IsCompleted) return false;
  if (!isKnown(entry)) {
    const hasExpired = now.getTime() - placedAt > orderRetentionDays * 86_400_000;
    // A lost ledger: sending again what was sent is harmless, unless something was taken back since.
    return changed || hasExpired;
  }
  // An entry that is certain and was pending was not sent as completed.
  return changed || entry.uncertain || entry.service === undefined;
}

/** Its customer may be gone since it was sent, or all that it was sent with. */
const LOST_SINCE: ReadonlySet<string> = new Set(['guest', 'customer-without-email', 'exchange']);

/**
 * Of an order that was never seen: it is not complete any more, since it was edited or ended or its payment was lost.
 * What was paid in part may have been paid in full before goods were added.
 */
function mayHaveCounted(why: SkipReason, order: StoreOrder): boolean {
  if (why === 'never-sent') return true;
  if (why !== 'pending') return LOST_SINCE.has(why) && order.changed;
  const hadMore = isUnpaid(order) || order.paymentStatus === 'partially_paid';
  return order.changed || order.fulfilledAt !== undefined || hadMore;
}

/** True when what is planned needs more than this snapshot tells. */
function tellsTooLittle(situation: Situation): boolean {
  const { snapshot, customer, mapped, takeover, isCall, askedForBook } = situation;
  // Shipped before another integration was off, it may have been paid since: only the store's book says when.
  const isLater = snapshot.version > (takeover?.offSince ?? Number.POSITIVE_INFINITY);
  const isOld = mapped.kind === 'skip' && mapped.why === 'before-go-live';
  if (!isCall) return isOld && isLater && askedForBook !== true;
  if (isFinal(situation) || (customer && isLateFor(customer, snapshot))) return true;
  if (snapshot.source !== 'event') return false;
  return leavesOut(situation) || mayBeForgotten(situation, snapshot.version);
}

function hidesParts({ snapshot: { source, entity }, mapped, rules }: Situation): boolean {
  if (source === 'store') return false;
  if (entity.kind === 'member') return hidesDetails(entity.member, rules);
  return mapped.kind === 'wanted' && mapped.incomplete === true;
}

/**
 * True when the snapshot alone would lead to what cannot be undone: the cancellation of a refunded order, a partial
 * cancel, a rise after one, or a person who must decide about it. The store is asked first: an exchange may have added
 * meanwhile what an event does not show, and no snapshot but the store's answer has the book. Only what the store itself
 * cancelled stays cancelled (Shopify, "orderCancel").
 */
function isFinal({ snapshot: { source, entity }, mapped, entry }: Situation): boolean {
  if (source === 'store' || mapped.kind !== 'wanted' || entity.kind !== 'order') return false;
  const { service } = entry ?? {};
  // A feeder's snapshot is genuine: of an order that is not known as sent, nothing can be taken without a reading.
  if (source === 'feeder' && !service) return false;
  const { wanted } = mapped;
  if (wanted.kind === 'cancelled-order') return entity.order.cancelledAt === undefined;
  if (wanted.kind !== 'order') return false;
  if (service?.ended) return true;
  // What the ledger does not know may have been sent before it was lost.
  if (service?.completedAt === undefined)
    return wanted.order.IsCompleted === true && wanted.changed;
  const rise = toThousandths(wanted.order.OrderTotal) - ownCount(service);
  return rise < 0 || (rise > 0 && service.taken > 0);
}

/**
 * A ledger that was lost or restored may have forgotten what came after this moment. Not only until everything was
 * compared: what the comparison sends is worked on later.
 */
function mayBeForgotten({ entry, doubt }: Gathered, moment: number): boolean {
  return doubt !== undefined && moment < doubt.until && !wasSettledSince(entry, doubt.until);
}

/** True when the store knows more than the event says. */
function leavesOut({ snapshot: { entity, partial }, rules, entry }: Situation): boolean {
  if (entity.kind !== 'order') return partial === true;
  const { order } = entity;
  return (
    needsMetafields(order, rules) ||
    needsEnrichment(order, rules, orderMemory.read(entry?.remembered))
  );
}

/** When its customer was redacted, if it is from before: the store may not have named it. */
function withRedaction(snapshot: Snapshot, customer: KnownCustomer | undefined): Snapshot {
  if (!customer || buyerIn(snapshot.entity)?.id !== customer.id) return snapshot;
  const redactedAt = redactionAfter(snapshot.version, [customer.record, customer.member]);
  return redactedAt === undefined ? snapshot : { ...snapshot, redactedAt };
}

/**
 * True for an order or code whose customer changed since: merged into another, or with another e-mail address or
 * telephone number. Sent as it is, it would bring the old ones back. The store says what holds now.
 */
export function isLateFor({ record, member }: KnownCustomer, snapshot: Snapshot): boolean {
  const customer = buyerIn(snapshot.entity);
  if (snapshot.source === 'store' || !customer) return false;
  if (mergedInto(record) !== undefined) return true;
  const contact = memberMemory.read(member?.remembered)?.contact;
  // Of two changes within one second it is unknown which came last.
  if (!member || contact === undefined || member.version < snapshot.version) return false;
  return contact !== contactHash(plainCustomerForm(customer));
}

/**
 * What that question needs, to be read with the entries of a batch: an order that is sent then needs no read of
 * its own. Not for what is mostly skipped without the question.
 */
export function customerKeys(
  shop: string,
  entity: StoreEntity,
  rules: Pick<MappingRules, 'pendingOrders' | 'completeWhen'>,
): readonly LedgerKey[] {
  if (entity.kind !== 'order' || !entity.order.customer) return [];
  if (rules.pendingOrders === 'skip' && neverCompleted(entity.order, rules)) return [];
  return Object.values(customerItems({ shop, id: entity.order.customer.id }));
}
