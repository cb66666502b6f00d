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
import { isKnown, redactedMeanwhile } from '../ledger/entry.ts';
import { type CancelStep, cancelKey, type EntityEntry, fromThousandths } from '../ledger/ledger.ts';
import {
  type CustomerForm,
  knownFields,
  type OrderForm,
  type WantedOrder,
} from '../mapping/wanted-state.ts';
import type { Snapshot } from '../store/store.ts';
import { isHeldLive } from './decide-order.ts';
import type { CallAssumptions, HeldOrder, LoyaltyCalls, SyncDeps, Synced } from './dependencies.ts';

/** What the loyalty service says of an order; `held` is undefined where it does not have it. */
export interface ServiceReading {
  readonly held: HeldOrder | undefined;
  /** The id that it was found under, if that is not the store's. */
  readonly heldAs?: string | undefined;
  /** When its customer was redacted, if that was after it was placed. */
  readonly redactedAt?: number | undefined;
}

/** ApiExternalOrder_Order_Not_Found. */
const ORDER_NOT_FOUND = 37;

type ReadAnswer = Awaited<ReturnType<LoyaltyCalls['getOrder']>>;

/** Of several: the one that we sent (`ours`), or else the first that counts. */
export const chooseCopy = <Copy extends { readonly id: string; readonly order: HeldOrder }>(
  copies: readonly Copy[],
  ours: string | undefined,
): Copy | undefined =>
  copies.find(({ id }) => id === ours) ?? copies.find((one) => isHeldLive(one.order)) ?? copies[0];

function foundIn(read: ReadAnswer) {
  return read.kind === 'success' || read.kind === 'warning' ? read.value : undefined;
}

/**
 * Which answer an absent order gets is not documented; one without an envelope is likely to be a 404 or to have
 * no content. That it is not a wrong address is for the next call to show, or for the other readings.
 */
export function isAbsent(read: ReadAnswer): boolean {
  if (read.kind === 'transport-failure') return read.reason === 'not-found';
  return hasCode(read, ORDER_NOT_FOUND);
}

/** By the id that it is known under; after another integration, also by the ids that it may have used. */
export async function readFromService(
  { shop, id }: { readonly shop: string; readonly id: string },
  { entity }: Snapshot,
  entry: EntityEntry | undefined,
  deps: SyncDeps,
): Promise<ServiceReading | Synced> {
  const { loyalty, breaker, otherOrderIds = [] } = deps.shop(shop);
  const heldAs = entry?.service?.id;
  const looksFurther = heldAs === undefined && deps.pauses.takeoverOf(shop) !== undefined;
  const order = entity.kind === 'order' && looksFurther ? entity.order : undefined;
  const own = heldAs ?? id;
  const ours = isKnown(entry) ? own : undefined;
  const copies: { readonly id: string; readonly order: HeldOrder }[] = [];
  for (const asked of [own, ...(order ? otherIds(order, otherOrderIds) : [])]) {
    const answer = await throughBreaker({ breaker, now: deps.now }, async () => ({
      kind: 'answered' as const,
      ...(await readHeld(asked, loyalty, { signal: deps.deadline })),
    }));
    if (answer.kind === 'call-refused') return { outcome: retryWhenAllowed(answer), entry };
    if (answer.outcome.kind !== 'applied') return { outcome: answer.outcome, entry };
    const { held } = answer;
    if (!held || (asked !== own && order && !isSameOrder(held, order))) continue;
    copies.push({ id: asked, order: held });
    if (asked === ours || isHeldLive(held)) break;
  }
  const { id: found, order: held } = chooseCopy(copies, ours) ?? {};
  // The service still says whose it is; a ledger that was lost may know only that they were redacted.
  const customerId = held?.Customer?.OriginalId;
  const version = Date.parse(held?.OrderPlacementDate ?? '') || 0;
  const redactedAt = customerId
    ? await redactedMeanwhile({ shop, id: customerId }, { version }, deps.ledger)
    : undefined;
  return { held, redactedAt, heldAs: found === id ? undefined : found };
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

/** Order_CompletedOrderCannotBeCancelled. */
const CANNOT_CANCEL_COMPLETED = 13;
/** ApiOrder_OrderIsCancelled. */
const ALREADY_CANCELLED = 33;
/** The `State` of a read order. */
export const COMPLETED_STATE = 2;
export const CANCELLED_STATE = 3;
/** A cancellation may show a day later. */
const AFTER_A_HIDDEN_CANCEL_SECONDS = 3600;

/** One call, and the fallback where the service refuses to cancel a completed order. */
export async function cancelOrder(
  wanted: Extract<WantedOrder, { kind: 'cancelled-order' }>,
  loyalty: LoyaltyCalls,
  assumptions: CallAssumptions,
  /** The event has waited for a day: by then the service shows a cancellation, if it ever does. */
  { waitedForADay, ...options }: { readonly signal: AbortSignal; readonly waitedForADay: boolean },
): Promise<CallsMade> {
  const cancelled = await loyalty.cancelPosOrder(wanted.id, wanted.cancellation, options);
  if (cancelled.kind === 'business-error' && cancelled.finding === 'not-cancelled') {
    return lookForCancel(await loyalty.getOrder(wanted.id, options), cancelled, waitedForADay);
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

export function heldCustomer({ Customer }: HeldOrder): CustomerForm {
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
  const later = found && { afterSeconds: AFTER_A_HIDDEN_CANCEL_SECONDS };
  // The cancellation was received, also if the order could not be read.
  return { ...made, outcome: { ...made.outcome, ...later }, mayHaveHappened: true };
}

/** `found`: of a partial cancel whose key was used before. */
export type Made = CallsMade & { readonly found?: boolean };

/** Takes back a part of the order. A used key was accepted before (`found`): the step is done. */
export async function takePart(
  id: string,
  step: CancelStep,
  loyalty: LoyaltyCalls,
  { usedCancelKeyError }: CallAssumptions,
  options: { readonly signal: AbortSignal },
): Promise<Made> {
  const calls: OperationId[] = ['partiallyCancelPosOrder'];
  const parts = step.products.map(([OriginalId, part]) => ({
    OriginalId,
    ValueToRefund: fromThousandths(part),
  }));
  const whole = { ValueToRefund: fromThousandths(step.value), CancelKey: cancelKey(id, step) };
  const body = { ...whole, ...(parts.length > 0 && { Products: parts }) };
  const result = await loyalty.partiallyCancelPosOrder(id, body, options);
  const isFound = result.kind === 'business-error' && result.finding === 'cancel-key-used';
  const isUsed = isFound || hasCode(result, usedCancelKeyError ?? Number.NaN);
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
