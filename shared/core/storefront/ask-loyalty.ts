import type { CallOptions } from '../../loyalty/client.ts';
import type { LoyaltyErrorName } from '../../loyalty/error-codes.ts';
import type { OperationId } from '../../loyalty/operations.ts';
import type { LoyaltyResult } from '../../loyalty/result.ts';
import type { Telemetry } from '../batch/telemetry.ts';
import { callForShopper } from '../sync/call-loyalty.ts';
import type { CircuitBreaker } from '../sync/circuit-breaker.ts';

export type Asked<Value> =
  | { readonly kind: 'answered'; readonly value: Value }
  /** The service understood and said no. */
  | { readonly kind: 'refused'; readonly name: LoyaltyErrorName | undefined }
  | Unavailable;

export interface Unavailable {
  readonly kind: 'unavailable';
  readonly afterSeconds: number;
  /** False only when the service surely did not carry the call out. */
  readonly mayHaveHappened: boolean;
}

export interface AskingWorld {
  readonly breaker: CircuitBreaker;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  /** When it fires, no call is begun or waited for. */
  readonly deadline?: AbortSignal;
}

/**
 * A page of the store waits for the answer, and its proxy has a time limit of its own that is not
 * documented.
 */
export const CALL_LIMIT_MS = 3_000;

const AFTER_A_FAILURE_SECONDS = 5;

/** One attempt with a time limit, and none while the circuit breaker is open or the shop paused. */
export async function askLoyalty<Value>(
  operation: OperationId,
  call: (options: CallOptions) => Promise<LoyaltyResult<Value>>,
  world: AskingWorld,
): Promise<Asked<Value>> {
  const { deadline } = world;
  const options = { timeoutMs: CALL_LIMIT_MS, ...(deadline && { signal: deadline }) };
  const called = await callForShopper(operation, () => call(options), world);
  if (called.kind === 'stay-away') {
    const { afterSeconds } = called.retry;
    return { kind: 'unavailable', afterSeconds, mayHaveHappened: false };
  }
  const { result, outcome, mayHaveHappened } = called;
  if (result.kind === 'success' || result.kind === 'warning') {
    return { kind: 'answered', value: result.value };
  }
  if (outcome.kind !== 'retry') {
    const name = result.kind === 'business-error' ? result.name : undefined;
    return { kind: 'refused', name };
  }
  return {
    kind: 'unavailable',
    afterSeconds: Math.max(outcome.afterSeconds ?? 0, AFTER_A_FAILURE_SECONDS),
    mayHaveHappened,
  };
}
