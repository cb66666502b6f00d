import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { OperationId } from '../../loyalty/operations.ts';
import type { BusinessError, LoyaltyResult } from '../../loyalty/result.ts';
import type { Outcome } from '../batch/outcome.ts';
import { AFTER_UNKNOWN_OUTCOME } from '../batch/retry-policy.ts';
import type { WantedState } from '../mapping/wanted-state.ts';
import type { CallEnd } from './circuit-breaker.ts';

/** The calls that syncing needs. */
export type LoyaltyCalls = Pick<
  LoyaltyClient,
  | 'sendOrder'
  | 'cancelPosOrder'
  | 'getOrder'
  | 'updateProduct'
  | 'createCoupon'
  | 'deactivateCoupon'
>;

export interface CallLimits {
  readonly signal: AbortSignal;
  /** The event has waited for a day: by then the service shows a cancellation, if it ever does. */
  readonly waitedForADay: boolean;
}

/** What the contract leaves open. The settings describe each. */
export interface CallAssumptions {
  readonly ordersAreReplaced: boolean;
  readonly couponsAreReplaced: boolean;
  readonly completedOrdersTakeTheCancelledMark: boolean;
  readonly refusedCancelledMark: 'rejected' | 'done';
  readonly cancellingTwice: 'done' | 'rejected';
}

export interface CallsMade {
  readonly outcome: Extract<Outcome, { kind: 'applied' | 'retry' | 'rejected' }>;
  /** What the circuit breaker learns from it. */
  readonly end: CallEnd;
  /** False only when the service surely holds what it held before. */
  readonly mayHaveHappened: boolean;
}

/** Order_CompletedOrderCannotBeCancelled. */
const CANNOT_CANCEL_COMPLETED = 13;
/** ApiExternalCoupon_Cant_Update_Coupon. */
const COUPON_NOT_WRITTEN = 56;
const SAME_CODE =
  ' If another shop on this loyalty account has the same code, the service cannot hold both: rename one.';
/** ApiOrder_OrderIsCancelled. */
const ALREADY_CANCELLED = 33;
/** ApiExternalOrder_Order_Not_Found. */
const ORDER_NOT_FOUND = 37;
/** The `State` of a read order. */
const CANCELLED_STATE = 3;
/** A cancellation may show a day later. */
const AFTER_A_HIDDEN_CANCEL = 3600;

/** Makes the service's state the wanted one: one call, and the fallback of a refused cancellation. */
export async function makeCalls(
  wanted: WantedState,
  loyalty: LoyaltyCalls,
  assumptions: CallAssumptions,
  { signal, waitedForADay }: CallLimits,
): Promise<CallsMade> {
  const options = { signal };
  switch (wanted.kind) {
    case 'order':
      return judge(['sendOrder'], await loyalty.sendOrder(wanted.order, options));
    case 'product':
      return judge(
        ['updateProduct'],
        await loyalty.updateProduct(wanted.id, wanted.product, options),
      );
    case 'coupon': {
      const sent = await loyalty.createCoupon(wanted.coupon, options);
      // Under an id of its shop's own, on an account that several shops share.
      const mayBeAnothers = wanted.coupon.OriginalId !== wanted.id;
      return mayBeAnothers && hasCode(sent, COUPON_NOT_WRITTEN)
        ? refused(['createCoupon'], sent, SAME_CODE)
        : judge(['createCoupon'], sent);
    }
    case 'inactive-coupon':
      return judge(['deactivateCoupon'], await loyalty.deactivateCoupon(wanted.id, options));
    case 'cancelled-order':
      return cancel(wanted, loyalty, assumptions, { signal, waitedForADay });
  }
}

async function cancel(
  wanted: Extract<WantedState, { kind: 'cancelled-order' }>,
  loyalty: LoyaltyCalls,
  assumptions: CallAssumptions,
  { signal, waitedForADay }: CallLimits,
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
  const sent = await loyalty.sendOrder(wanted.order, options);
  // It was sent to cancel the order, which is cancelled already.
  if (hasCode(sent, ALREADY_CANCELLED)) return applied(calls);
  const refusedAgain = hasCode(sent, CANNOT_CANCEL_COMPLETED);
  if (refusedAgain && assumptions.refusedCancelledMark === 'done') return applied(calls);
  return judge(calls, sent);
}

/** The answer does not say that the order is cancelled: the order itself may. */
function lookForCancel(
  read: Awaited<ReturnType<LoyaltyCalls['getOrder']>>,
  cancelled: BusinessError,
  waitedForADay: boolean,
): CallsMade {
  const calls: OperationId[] = ['cancelPosOrder', 'getOrder'];
  const found = read.kind === 'success' || read.kind === 'warning' ? read.value : undefined;
  const isAbsent = hasCode(read, ORDER_NOT_FOUND);
  if (isAbsent || found?.State === CANCELLED_STATE) return applied(calls);
  const made = judge(calls, found ? cancelled : read);
  if (made.outcome.kind !== 'retry') return made;
  if (found && waitedForADay) return refused(calls, cancelled);
  const outcome = { ...made.outcome, ...(found && { afterSeconds: AFTER_A_HIDDEN_CANCEL }) };
  // The cancellation was received, whatever became of the question.
  return { ...made, outcome, mayHaveHappened: true };
}

/** Undefined when the service, as the merchant configured it, accepts this change. */
export function refuseToReplace(
  wanted: WantedState,
  assumptions: CallAssumptions,
): Extract<Outcome, { kind: 'rejected' }> | undefined {
  const setting =
    (wanted.kind === 'order' && !assumptions.ordersAreReplaced && 'ordersAreReplaced') ||
    (wanted.kind === 'coupon' && !assumptions.couponsAreReplaced && 'couponsAreReplaced');
  if (!setting) return undefined;
  const why = `it was sent before, and loyalty.assumptions.${setting} says that the service takes no change`;
  return { kind: 'rejected', reason: 'rejected', why };
}

function hasCode(result: LoyaltyResult<unknown>, code: number): result is BusinessError {
  return result.kind === 'business-error' && result.code === code;
}

type Failure = Extract<LoyaltyResult<unknown>, { kind: 'business-error' | 'transport-failure' }>;

function applied(calls: readonly OperationId[]): CallsMade {
  return { outcome: { kind: 'applied', calls }, end: 'answered', mayHaveHappened: true };
}

/** What an answer of the service means for the event that made the call. */
export function judge(calls: readonly OperationId[], result: LoyaltyResult<unknown>): CallsMade {
  if (result.kind === 'success' || result.kind === 'warning') return applied(calls);
  const end = callEnd(result);
  const why =
    result.kind === 'business-error'
      ? (result.finding ?? result.name ?? 'unnamed-error')
      : result.reason;
  switch (result.class) {
    case 'done':
      return applied(calls);
    case 'retry':
    case 'throttled':
    case 'misconfigured': {
      // An answer that does not say "done" may become true later: cancellations show up to a day late.
      const mayHaveHappened =
        result.kind === 'business-error' ? result.finding !== undefined : result.mayHaveHappened;
      const afterSeconds = Math.max(
        result.retryAfterSeconds ?? 0,
        mayHaveHappened ? AFTER_UNKNOWN_OUTCOME : 0,
      );
      const misconfigured = result.class === 'misconfigured';
      const throttled = result.class === 'throttled';
      const outcome = { kind: 'retry', why, afterSeconds, misconfigured, throttled } as const;
      return { outcome, end, mayHaveHappened };
    }
    case 'rejected':
      return refused(calls, result);
  }
}

function refused(calls: readonly OperationId[], result: Failure, hint = ''): CallsMade {
  const why = `${calls.at(-1)} was refused: ${result.message}${hint}`;
  const code = result.kind === 'business-error' && result.name ? { code: result.name } : {};
  return {
    outcome: { kind: 'rejected', reason: 'rejected', why, ...code },
    end: callEnd(result),
    mayHaveHappened: false,
  };
}

/** No call was made, or no one waited for its answer: this says nothing about the service. */
const UNUSED: ReadonlySet<string> = new Set(['aborted', 'blank-id', 'credentials-unreachable']);

function callEnd(
  result: Exclude<LoyaltyResult<unknown>, { kind: 'success' | 'warning' }>,
): CallEnd {
  if (result.class === 'misconfigured') return 'misconfigured';
  if (result.kind === 'business-error') return 'answered';
  if (UNUSED.has(result.reason)) return 'unused';
  return result.class === 'retry' ? 'failed' : 'answered';
}
