import type { OperationId } from '../../loyalty/operations.ts';
import type { BusinessError } from '../../loyalty/result.ts';
import { type CancelStep, fromThousandths } from '../ledger/sent-amounts.ts';
import { knownFields } from '../mapping/known-fields.ts';
import type { CustomerForm, OrderForm, WantedOrder } from '../mapping/wanted-state.ts';
import {
  applied,
  type CallAssumptions,
  type CallsMade,
  hasCode,
  judge,
  type LoyaltyCalls,
  refused,
} from './make-calls.ts';

/** Order_CompletedOrderCannotBeCancelled. */
const CANNOT_CANCEL_COMPLETED = 13;
/** ApiOrder_OrderIsCancelled. */
const ALREADY_CANCELLED = 33;
/** ApiExternalOrder_Order_Not_Found. */
const ORDER_NOT_FOUND = 37;
/** The `State` of a read order. */
export const COMPLETED_STATE = 2;
export const CANCELLED_STATE = 3;
/** A cancellation may show a day later. */
const AFTER_A_HIDDEN_CANCEL = 3600;

export interface CancelLimits {
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
  const outcome = { ...made.outcome, ...(found && { afterSeconds: AFTER_A_HIDDEN_CANCEL }) };
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

type ReadAnswer = Awaited<ReturnType<LoyaltyCalls['getOrder']>>;
export type HeldOrder = NonNullable<ReturnType<typeof foundIn>>;

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

/**
 * Which answer an absent order gets is not documented; one without an envelope is likely to be a 404 or to have
 * no content. That it is not a wrong address is for the next call to show, or for the other readings.
 */
function isAbsent(read: ReadAnswer): boolean {
  if (read.kind === 'transport-failure') return read.reason === 'not-found';
  return hasCode(read, ORDER_NOT_FOUND);
}

function foundIn(read: ReadAnswer) {
  return read.kind === 'success' || read.kind === 'warning' ? read.value : undefined;
}
