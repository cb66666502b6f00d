import type { OtherOrderId } from '../../config/connector-settings.ts';
import type { OperationId } from '../../loyalty/operations.ts';
import type { BusinessError } from '../../loyalty/result.ts';
import type { StoreOrder } from '../../store/store-entities.ts';
import {
  applied,
  type CallsMade,
  hasCode,
  judge,
  refused,
  retryWhenAllowed,
  throughBreaker,
} from '../calls/call-loyalty.ts';
import type { SkipReason } from '../events/outcome.ts';
import {
  type Doubt,
  isDoubtful,
  isKnown,
  redactedMeanwhile,
  redactionOf,
  wasSettledSince,
} from '../ledger/entry.ts';
import {
  type CancelStep,
  type EntityEntry,
  fromThousandths,
  type SentAmounts,
  toThousandths,
} from '../ledger/ledger.ts';
import {
  type CustomerForm,
  HISTORY_METADATA,
  knownFields,
  type Mapped,
  type OrderForm,
  recallOrder,
  rememberOrder,
  restKey,
  type WantedOrder,
} from '../mapping/wanted-state.ts';
import type { Snapshot } from '../store/store.ts';
import {
  type CallAssumptions,
  type EntityChange,
  type ExecutionDeps,
  foundIn,
  type HeldOrder,
  isAbsent,
  type LoyaltyCalls,
  type ReadAnswer,
  retention,
  type ServiceReading,
  type Synced,
  settle,
} from './change-service.ts';
import { countedIn, type OrderFacts, type ReadTotals, sentOf } from './next-call.ts';
import type { Plan } from './plan.ts';

interface Question {
  readonly snapshot: Snapshot;
  readonly entry: EntityEntry | undefined;
  readonly mapped: Mapped;
  readonly next: Plan;
  readonly doubt: Doubt | undefined;
  readonly takeover: { readonly until: number } | undefined;
}

/**
 * True when the service may hold more of an order than the ledger knows: then it is read before anything is decided. A
 * ledger that was lost or restored may have forgotten that the order was sent, for whom, and what was taken back.
 * See docs/decisions/0005-a-lost-ledger-takes-nothing-twice.md.
 */
export function mayHoldMore(
  { snapshot, entry, mapped, next, doubt, takeover }: Question,
  { now, orderRetentionDays }: Pick<ExecutionDeps, 'now' | 'orderRetentionDays'>,
): boolean {
  if (snapshot.entity.kind !== 'order' || next.kind === 'superseded') return false;
  const placedAt = Date.parse(snapshot.entity.order.placedAt);
  // Not only until everything was compared: what the comparison sends is worked on later.
  const mayBeForgotten =
    doubt !== undefined && placedAt < doubt.until && !wasSettledSince(entry, doubt.until);
  if (mapped.kind === 'skip') return mayBeForgotten && !isKnown(entry);
  if (next.kind !== 'call' || mapped.kind !== 'wanted') return false;
  if (!entry?.amounts && mayBeForgotten) return true;
  // Another integration may still send orders, whatever we were told.
  if (takeover && now().getTime() < takeover.until && !isKnown(entry)) return true;
  if (takeover && hasForgottenId(entry)) return true;
  // The service answers the cancellation of an order that it does not have.
  if (mapped.wanted.kind !== 'order') return false;
  if (entry?.amounts) return isDoubtful(entry, doubt);
  const { order, isRefunded } = mapped.wanted;
  if (!order.IsCompleted) return false;
  if (!isKnown(entry)) {
    const hasExpired = now().getTime() - placedAt > orderRetentionDays * 86_400_000;
    // Sending again what was sent is harmless, unless something was taken back since.
    return isRefunded || hasExpired;
  }
  // An entry that is certain and was pending was not sent as completed.
  const { basics } = recallOrder(entry.remembered) ?? {};
  const wasPending = basics !== undefined && basics.OrderCompletedDate == null;
  return isRefunded || entry.uncertain || !wasPending;
}

/** A redaction erases under which id the service holds the order. */
const hasForgottenId = (entry: EntityEntry | undefined): boolean =>
  isKnown(entry) && entry.redactedAt !== undefined && entry.remembered === undefined;

/** By the id that it is known under; after another integration, also by the ids that it may have used. */
export async function readFromService(
  { shop, id }: { readonly shop: string; readonly id: string },
  { entity }: Snapshot,
  entry: EntityEntry | undefined,
  deps: ExecutionDeps,
): Promise<ServiceReading | Synced> {
  const { loyalty, breaker, otherOrderIds = [] } = deps.shop(shop);
  const { heldAs } = recallOrder(entry?.remembered) ?? {};
  const looksFurther = heldAs === undefined && deps.pauses.takeoverOf(shop) !== undefined;
  const order = entity.kind === 'order' && looksFurther ? entity.order : undefined;
  const own = heldAs ?? id;
  for (const asked of [own, ...(order ? otherIds(order, otherOrderIds) : [])]) {
    const answer = await throughBreaker({ breaker, now: deps.now }, async () => ({
      kind: 'answered' as const,
      ...(await readHeld(asked, loyalty, { signal: deps.deadline })),
    }));
    if (answer.kind === 'call-refused') return { outcome: retryWhenAllowed(answer), entry };
    if (answer.outcome.kind !== 'applied') return { outcome: answer.outcome, entry };
    const { held } = answer;
    if (held && (asked === own || !order || isSameOrder(held, order))) {
      const redactedAt = await redactionOfHeld(shop, held, deps);
      return { held, redactedAt, ...(asked !== id && { heldAs: asked }) };
    }
  }
  return { held: undefined };
}

/** The service still says whose order it is; a ledger that was lost or restored may know only that they were redacted. */
async function redactionOfHeld(
  shop: string,
  { Customer, OrderPlacementDate }: HeldOrder,
  { ledger }: ExecutionDeps,
): Promise<number | undefined> {
  const { OriginalId: id } = Customer ?? {};
  const version = Date.parse(OrderPlacementDate ?? '') || 0;
  return id ? redactedMeanwhile({ shop, id }, { version }, ledger) : undefined;
}

/** Under which ids another integration may have sent the order. */
export function otherIds(
  { id, name }: Pick<StoreOrder, 'id' | 'name'>,
  forms: readonly OtherOrderId[],
): readonly string[] {
  if (name === undefined) return [];
  const ids = forms.flatMap((form) => (form === 'name' ? name : numbersIn(name)));
  return [...new Set(ids)].filter((one) => one !== id);
}

const SAME_MOMENT_MS = 60_000;
const SAME_DAY_MS = 86_400_000;

/** Around the number of an order, a shop may have a text of its own, with digits: `B2B-1001`. */
const numbersIn = (name = ''): readonly string[] => name.match(/\d+/g) ?? [];

/** Numbers repeat between the shops of one account: another order has another customer and another moment. */
export function isSameOrder(held: HeldOrder, { name, customer, placedAt }: StoreOrder): boolean {
  const { OriginalId, Email } = held.Customer ?? {};
  const apart = Math.abs(Date.parse(held.OrderPlacementDate ?? '') - Date.parse(placedAt));
  // Of several numbers in a name, one may be that of another order of the customer.
  const isGuess = held.OriginalId !== name && numbersIn(name).length > 1;
  if (isGuess && !(apart < SAME_DAY_MS)) return false;
  const email = customer?.email?.toLowerCase();
  if (customer && OriginalId === customer.id) return true;
  if (email !== undefined && Email?.toLowerCase() === email) return true;
  return apart < SAME_MOMENT_MS;
}

/** `Origin` of an order that the service's own integration brought. */
export const PLATFORM_ORIGIN = 0;

/** Another integration sent the order, and this connector has not. */
export function isFromElsewhere({ entry, read }: Pick<EntityChange, 'entry' | 'read'>): boolean {
  if (entry?.amounts || !isHeldLive(read?.held)) return false;
  return read.heldAs !== undefined || read.held.Origin === PLATFORM_ORIGIN;
}

/** Under another id it would count anew, although another integration, or a person, has ended it there. */
export function isEndedElsewhere({ entry, read }: Pick<EntityChange, 'entry' | 'read'>): boolean {
  const isEnded = read?.held !== undefined && !isHeldLive(read.held);
  return isEnded && read.heldAs !== undefined && !entry?.amounts;
}

/** Nothing is sent for an order that the service holds. Later events and scans must know that it is there. */
export async function leaveHeld(
  change: EntityChange,
  deps: ExecutionDeps,
  why: SkipReason = 'held-elsewhere',
): Promise<Synced> {
  const { entry, read } = change;
  const outcomes = entry?.outcomes ?? [];
  const known = read?.held && { ...presumeHeld(read.held, entry, read), outcomes };
  const step = { kind: 'skipped', why, facts: retention(deps) } as const;
  return settle(change, { kind: 'skipped', why }, step, deps, { entry: known });
}

/** The order counts, or may. */
export function isHeldLive(held: HeldOrder | undefined): held is HeldOrder {
  return held !== undefined && held.IsCancelledOrReturned !== true;
}

export function isHeldCompleted(held: HeldOrder | undefined): held is HeldOrder {
  return isHeldLive(held) && held.IsCompleted === true;
}

/**
 * What the entry of an order would remember that the service holds, as far as the service says it. Once completed, it
 * stays so, and stays its customer's.
 */
export function presumeHeld(
  held: HeldOrder,
  entry: EntityEntry | undefined,
  { heldAs, redactedAt }: Pick<ServiceReading, 'heldAs' | 'redactedAt'>,
): EntityEntry {
  const { OrderPlacementDate, OrderTotal, Metadatas } = held;
  const redaction = { ...(redactedAt !== undefined && { redactedAt }), ...redactionOf(entry) };
  const completedAt = new Date(held.OrderCompletedDate ?? Number.NaN);
  const hasDate = held.IsCompleted === true && !Number.isNaN(completedAt.getTime());
  const remembered = rememberOrder({
    ...recallOrder(entry?.remembered),
    ...(heldAs !== undefined && { heldAs }),
    basics: {
      ...(OrderPlacementDate !== undefined && { OrderPlacementDate }),
      ...(OrderTotal !== undefined && { OrderTotal }),
      ...(hasDate && { OrderCompletedDate: completedAt.toISOString() }),
    },
    // Of a redacted person nothing is remembered again.
    ...(held.Customer && !('redactedAt' in redaction) && { customer: heldCustomer(held) }),
  });
  const { name, value } = HISTORY_METADATA;
  const isHistory = Metadatas?.some((one) => one.Name === name && one.Value === value);
  return {
    ...{ version: entry?.version ?? 0, uncertain: true, remembered, outcomes: [], revision: 0 },
    ...((isHistory || entry?.history) && { history: true }),
    ...redaction,
  };
}

/** The amounts that the service holds: at least what the ledger says was taken from them. */
export function adoptHeld(
  held: HeldOrder,
  amounts: SentAmounts | undefined,
  { order, isRefunded, earlier }: WantedOrder,
  readTotals: ReadTotals,
  isElsewhere: boolean,
): Pick<OrderFacts, 'amounts' | 'adopted'> {
  // How another integration names products and people is no reason to send the order again, and ours are not on it.
  const read = isElsewhere
    ? { ...sentOf(order), ...countedIn(held), products: [] }
    : sentIn(held, order);
  const known = { taken: 0, ...amounts };
  const isSent = amounts?.sent.total === read.total;
  // Nothing can have been taken from an order without refunds.
  if (isSent && !isRefunded) return { amounts };
  if (readTotals === 'as-sent' || !isRefunded) {
    const sent = isSent ? amounts.sent : read;
    return { amounts: { ...known, sent }, adopted: readTotals };
  }
  // A sum above all that was ever sent: the keys that it makes were never used.
  const totals = [order, ...earlier].map(({ OrderTotal }) => toThousandths(OrderTotal));
  const total = Math.max(read.total, amounts?.sent.total ?? 0, ...totals);
  const sent = { ...read, total };
  return { amounts: { ...known, sent, taken: total - read.total }, adopted: readTotals };
}

function sentIn(held: HeldOrder, order: OrderForm): SentAmounts['sent'] {
  // Not all of the rest can be read.
  const isSameRest =
    held.Customer?.OriginalId === order.Customer?.OriginalId &&
    held.Coupon?.toLowerCase() === order.Coupon?.toLowerCase();
  const completedAt = order.OrderCompletedDate ?? '';
  return { ...countedIn(held), completedAt, ...(isSameRest && { rest: restKey(order) }) };
}

/** Order_CompletedOrderCannotBeCancelled. */
const CANNOT_CANCEL_COMPLETED = 13;
/** ApiOrder_OrderIsCancelled. */
const ALREADY_CANCELLED = 33;
/** The `State` of a read order. */
export const COMPLETED_STATE = 2;
export const CANCELLED_STATE = 3;
/** A cancellation may show a day later. */
const AFTER_A_HIDDEN_CANCEL_SECONDS = 3600;

interface CancelLimits {
  readonly signal: AbortSignal;
  /** The event has waited for a day: by then the service shows a cancellation, if it ever does. */
  readonly waitedForADay: boolean;
}

/** One call, and the fallback where the service refuses to cancel a completed order. */
export async function cancelOrder(
  wanted: Extract<WantedOrder, { kind: 'cancelled-order' }>,
  loyalty: LoyaltyCalls,
  assumptions: CallAssumptions,
  { signal, waitedForADay }: CancelLimits,
): Promise<CallsMade> {
  const options = { signal };
  const cancelled = await loyalty.cancelPosOrder(wanted.id, wanted.cancellation, options);
  if (cancelled.kind === 'business-error' && cancelled.finding === 'not-cancelled') {
    return lookForCancel(await loyalty.getOrder(wanted.id, options), cancelled, waitedForADay);
  }
  if (hasCode(cancelled, ALREADY_CANCELLED) && assumptions.cancellingTwice === 'rejected') {
    return refused(['cancelPosOrder'], cancelled);
  }
  const fallBack = assumptions.completedOrdersTakeTheCancelledMark;
  if (!hasCode(cancelled, CANNOT_CANCEL_COMPLETED) || !fallBack) {
    return judge(['cancelPosOrder'], cancelled);
  }
  const calls: OperationId[] = ['cancelPosOrder', 'sendOrder'];
  let { order } = wanted;
  if (order.Customer === undefined) {
    const read = await loyalty.getOrder(wanted.id, options);
    const held = foundIn(read);
    if (!held) return judge(['cancelPosOrder', 'getOrder'], read);
    order = withHeldCustomer(order, held);
    calls.splice(1, 0, 'getOrder');
  }
  const sent = await loyalty.sendOrder(order, options);
  // It was sent to cancel the order, which is cancelled already.
  if (hasCode(sent, ALREADY_CANCELLED)) return applied(calls);
  const refusedAgain = hasCode(sent, CANNOT_CANCEL_COMPLETED);
  if (refusedAgain && assumptions.refusedCancelledMark === 'done') return applied(calls);
  return judge(calls, sent);
}

/**
 * After a redaction, or once the order is deleted, only the service knows whose order it is. It takes none
 * without a customer.
 */
function withHeldCustomer(order: OrderForm, held: HeldOrder): OrderForm {
  const { OrderPlacementDate, OrderTotal } = held;
  const basics = knownFields({ OrderPlacementDate, OrderTotal });
  return { ...basics, ...order, Customer: heldCustomer(held) };
}

function heldCustomer({ Customer }: HeldOrder): CustomerForm {
  const { OriginalId, Name, Email, Document } = Customer ?? {};
  return knownFields({ OriginalId, Name, Email, Document });
}

/** The answer does not say that the order is cancelled: the order itself may. */
function lookForCancel(
  read: ReadAnswer,
  cancelled: BusinessError,
  waitedForADay: boolean,
): CallsMade {
  const calls: OperationId[] = ['cancelPosOrder', 'getOrder'];
  const found = foundIn(read);
  if (isAbsent(read) || found?.State === CANCELLED_STATE) return applied(calls);
  const made = judge(calls, found ? cancelled : read);
  if (made.outcome.kind !== 'retry') return made;
  if (found && waitedForADay) return refused(calls, cancelled);
  const outcome = {
    ...made.outcome,
    ...(found && { afterSeconds: AFTER_A_HIDDEN_CANCEL_SECONDS }),
  };
  // The cancellation was received, also if the order could not be read.
  return { ...made, outcome, mayHaveHappened: true };
}

/** Takes back a part of the order. A used key was accepted before (`found`): the step is done. */
export async function takePart(
  id: string,
  { key, value, products }: CancelStep,
  loyalty: LoyaltyCalls,
  { usedCancelKeyError }: CallAssumptions,
  options: { readonly signal: AbortSignal },
): Promise<CallsMade & { readonly found?: boolean }> {
  const calls: OperationId[] = ['partiallyCancelPosOrder'];
  const parts = products.map(([OriginalId, part]) => ({
    OriginalId,
    ValueToRefund: fromThousandths(part),
  }));
  const body = { ValueToRefund: fromThousandths(value), CancelKey: key };
  const result = await loyalty.partiallyCancelPosOrder(
    id,
    { ...body, ...(parts.length > 0 && { Products: parts }) },
    options,
  );
  const isUsed =
    result.kind === 'business-error' &&
    (result.finding === 'cancel-key-used' ||
      (usedCancelKeyError !== undefined && result.code === usedCancelKeyError));
  return isUsed ? { ...applied(calls), found: true } : judge(calls, result);
}

/**
 * The order as the service holds it; `held` is undefined where it has none. `byStatus`: no error of the
 * contract says so, only HTTP.
 */
export async function readHeld(
  id: string,
  loyalty: Pick<LoyaltyCalls, 'getOrder'>,
  options: { readonly signal: AbortSignal },
): Promise<CallsMade & { readonly held?: HeldOrder; readonly byStatus?: boolean }> {
  const calls: OperationId[] = ['getOrder'];
  const read = await loyalty.getOrder(id, options);
  if (isAbsent(read)) return { ...applied(calls), byStatus: read.kind === 'transport-failure' };
  const held = foundIn(read);
  return { ...judge(calls, read), mayHaveHappened: false, ...(held && { held }) };
}
