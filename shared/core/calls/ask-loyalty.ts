import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { LoyaltyErrorName } from '../../loyalty/error-codes.ts';
import type { Given, OperationId, Value } from '../../loyalty/operations.ts';
import type { LoyaltyResult } from '../../loyalty/result.ts';
import type { Telemetry } from '../events/telemetry.ts';
import { type CircuitBreaker, callForShopper } from './call-loyalty.ts';

type Asked<Answer> =
  | { readonly kind: 'answered'; readonly value: Answer }
  /** The service understood and said no. */
  | { readonly kind: 'refused'; readonly name: LoyaltyErrorName | undefined }
  | Unavailable;

export interface Unavailable {
  readonly kind: 'unavailable';
  readonly afterSeconds: number;
  /** False only when the service surely did not carry the call out. */
  readonly mayHaveHappened: boolean;
  /** Not the service's doing: shoppers ask for more than `loyalty.callsPerSecond` leaves them. */
  readonly isOutOfTokens?: boolean;
  /** By an operator, or by what the service said. */
  readonly isPaused?: boolean;
}

export interface AskingDeps {
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
export async function askLoyalty<O extends OperationId>(
  operation: O,
  given: Given<O>,
  deps: AskingDeps & { readonly loyalty: Pick<LoyaltyClient, O> },
): Promise<Asked<Value<O>>> {
  const { loyalty, deadline } = deps;
  const options = { timeoutMs: CALL_LIMIT_MS, ...(deadline && { signal: deadline }) };
  const call = loyalty[operation] as (...all: unknown[]) => Promise<LoyaltyResult<Value<O>>>;
  const called = await callForShopper(operation, () => call(...given, options), deps);
  if (called.kind === 'call-refused') {
    const { afterSeconds, pausedBy } = called.retry;
    const isPaused = pausedBy !== undefined;
    return {
      kind: 'unavailable',
      afterSeconds,
      mayHaveHappened: false,
      ...(isPaused && { isPaused }),
    };
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
    ...(result.kind === 'transport-failure' &&
      result.reason === 'out-of-tokens' && { isOutOfTokens: true }),
  };
}

/** Remembers for a short time, and only so many values: the oldest are dropped first. */
export interface TimedCache<Value> {
  recall(key: string): Value | undefined;
  /** `seconds`: for another time than the others. */
  keep(key: string, value: Value, seconds?: number): void;
  forget(key: string): void;
}

export function createTimedCache<Value>(limits: {
  readonly seconds: number;
  readonly most: number;
  readonly now: () => Date;
}): TimedCache<Value> {
  const kept = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    recall(key) {
      const found = kept.get(key);
      if (!found) return undefined;
      if (found.until > limits.now().getTime()) return found.value;
      kept.delete(key);
      return undefined;
    },
    keep(key, value, seconds = limits.seconds) {
      // A map keeps the order of insertion: after a deletion, the key that is set again is the
      // youngest.
      kept.delete(key);
      kept.set(key, { value, until: limits.now().getTime() + seconds * 1000 });
      for (const oldest of kept.keys()) {
        if (kept.size <= limits.most) break;
        kept.delete(oldest);
      }
    },
    forget(key) {
      kept.delete(key);
    },
  };
}
