import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { OperationId } from '../../loyalty/operations.ts';
import type { BusinessError, LoyaltyResult } from '../../loyalty/result.ts';
import { AFTER_UNKNOWN_OUTCOME, type Outcome } from '../batch/outcome.ts';
import type { WantedOrder, WantedState } from '../mapping/wanted-state.ts';
import type { CallEnd } from './circuit-breaker.ts';
import type { ReadTotals, RefundSettings } from './next-call.ts';

/** The calls that syncing needs. */
export type LoyaltyCalls = Pick<
  LoyaltyClient,
  | 'sendOrder'
  | 'cancelPosOrder'
  | 'partiallyCancelPosOrder'
  | 'getOrder'
  | 'updateProduct'
  | 'createCoupon'
  | 'deactivateCoupon'
  | 'upsertCustomer'
  | 'getCustomerPoints'
  | 'changeCustomerStatus'
>;

/** What the contract leaves open. The settings describe each. */
export interface CallAssumptions extends RefundSettings {
  readonly couponsAreReplaced: boolean;
  readonly completedOrdersTakeTheCancelledMark: boolean;
  readonly refusedCancelledMark: 'rejected' | 'done';
  readonly cancellingTwice: 'done' | 'rejected';
  readonly readTotals: ReadTotals;
  readonly usedCancelKeyError?: number;
}

export interface CallsMade {
  readonly outcome: Extract<Outcome, { kind: 'applied' | 'retry' | 'rejected' }>;
  /** What the circuit breaker learns from it. */
  readonly end: CallEnd;
  /** False only when the service surely holds what it held before. */
  readonly mayHaveHappened: boolean;
}

export type WantedRest = Exclude<WantedState, WantedOrder>;

/** ApiExternalCoupon_Cant_Update_Coupon. */
const COUPON_NOT_WRITTEN = 56;
const SAME_CODE =
  ' If another shop on this loyalty account has the same code, the service cannot hold both: rename one.';

/** Makes the service's product or coupon the wanted one. */
export async function makeCall(
  wanted: WantedRest,
  loyalty: LoyaltyCalls,
  options: { readonly signal: AbortSignal },
): Promise<CallsMade> {
  switch (wanted.kind) {
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
    case 'member':
      return judge(['upsertCustomer'], await loyalty.upsertCustomer(wanted.member, options));
    case 'deleted-member':
      return applied([]);
  }
}

/** It was sent before, and the merchant configured that the service takes no change of it. */
export function notReplaced(
  setting: 'ordersAreReplaced' | 'couponsAreReplaced',
): Extract<Outcome, { kind: 'rejected' }> {
  const why = `it was sent before, and loyalty.assumptions.${setting} says that the service takes no change`;
  return { kind: 'rejected', reason: 'rejected', why };
}

export function hasCode(result: LoyaltyResult<unknown>, code: number): result is BusinessError {
  return result.kind === 'business-error' && result.code === code;
}

type Failure = Extract<LoyaltyResult<unknown>, { kind: 'business-error' | 'transport-failure' }>;

export function applied(calls: readonly OperationId[]): CallsMade {
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
      const retry = { why, afterSeconds, misconfigured, throttled, mayHaveHappened } as const;
      return { outcome: { kind: 'retry', ...retry }, end, mayHaveHappened };
    }
    case 'rejected':
      return refused(calls, result);
  }
}

export function refused(calls: readonly OperationId[], result: Failure, hint = ''): CallsMade {
  const why = `${calls.at(-1)} was refused: ${result.message}${hint}`;
  const code = result.kind === 'business-error' && result.name ? { code: result.name } : {};
  return {
    outcome: { kind: 'rejected', reason: 'rejected', why, ...code },
    end: callEnd(result),
    mayHaveHappened: false,
  };
}

/** No call was made, or no one waited for its answer: this says nothing about the service. */
const UNUSED: ReadonlySet<string> = new Set([
  ...['aborted', 'blank-id', 'credentials-unreachable'],
  ...['out-of-tokens', 'tokens-unreachable'],
]);

function callEnd(
  result: Exclude<LoyaltyResult<unknown>, { kind: 'success' | 'warning' }>,
): CallEnd {
  if (result.kind === 'transport-failure' && result.reason === 'forbidden') return 'failed';
  if (result.class === 'misconfigured' || result.class === 'throttled') {
    return { why: result.class, seconds: result.retryAfterSeconds };
  }
  if (result.kind === 'business-error') return 'answered';
  if (UNUSED.has(result.reason)) return 'unused';
  return result.class === 'retry' ? 'failed' : 'answered';
}
