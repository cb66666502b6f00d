import type { CallOptions, LoyaltyClient } from '../../loyalty/client.ts';
import type { LoyaltyErrorName } from '../../loyalty/error-codes.ts';
import type { Given, OperationId, Value } from '../../loyalty/operations.ts';
import type { BusinessError, LoyaltyResult } from '../../loyalty/result.ts';
import {
  AFTER_UNKNOWN_OUTCOME_SECONDS,
  type Outcome,
  type RetryReason,
} from '../events/outcome.ts';
import type { Telemetry } from '../events/telemetry.ts';

type Retry = Extract<Outcome, { kind: 'retry' }>;

export interface CallsMade {
  readonly outcome: Extract<Outcome, { kind: 'applied' | 'retry' | 'rejected' }>;
  /** What the circuit breaker learns from it. */
  readonly end: CallEnd;
  /** False only when the service surely holds what it held before. */
  readonly mayHaveHappened: boolean;
}

export function hasCode(result: LoyaltyResult<unknown>, code: number): result is BusinessError {
  return result.kind === 'business-error' && result.code === code;
}

type Failure = Extract<LoyaltyResult<unknown>, { kind: 'business-error' | 'transport-failure' }>;

export function applied(calls: readonly OperationId[]): CallsMade {
  return { outcome: { kind: 'applied', calls }, end: 'answered', mayHaveHappened: true };
}

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
        mayHaveHappened ? AFTER_UNKNOWN_OUTCOME_SECONDS : 0,
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

export interface BreakerDeps {
  readonly breaker: CircuitBreaker;
  readonly now: () => Date;
}

/** Holds a permit while `act` calls; does not call while the circuit breaker is open or the shop paused. */
export async function throughBreaker<Made extends Pick<CallsMade, 'end'>>(
  { breaker, now }: BreakerDeps,
  act: () => Promise<Made>,
): Promise<Made | CallRefused> {
  const permit = await breaker.enter(now());
  if (permit.kind === 'call-refused') return permit;
  let end: CallsMade['end'] = 'unused';
  try {
    const made = await act();
    end = made.end;
    return made;
  } finally {
    await permit.settle(end, now());
  }
}

/** While the circuit breaker is open, or the shop paused. */
export function retryWhenAllowed({ retry }: CallRefused): Retry {
  return { kind: 'retry', ...retry };
}

interface Called<Value> extends CallsMade {
  readonly kind: 'called';
  readonly result: LoyaltyResult<Value>;
}

export async function callLoyalty<Value>(
  operation: OperationId,
  call: () => Promise<LoyaltyResult<Value>>,
  deps: BreakerDeps,
): Promise<Called<Value> | CallRefused> {
  return throughBreaker(deps, async () => {
    const result = await call();
    return { kind: 'called', result, ...judge([operation], result) } as const;
  });
}

/** By its name, with what it takes. */
function callOf<O extends OperationId>(
  operation: O,
  given: Given<O>,
  options: CallOptions,
  loyalty: Pick<LoyaltyClient, O>,
) {
  const call = loyalty[operation] as (...all: unknown[]) => Promise<LoyaltyResult<Value<O>>>;
  return () => call(...given, options);
}

interface CallingDeps<O extends OperationId> extends BreakerDeps {
  readonly loyalty: Pick<LoyaltyClient, O>;
  /** When it fires, no call is begun or waited for. */
  readonly deadline: AbortSignal;
}

/** The same for a worker; while no call may be made, there is no result. */
export async function callService<O extends OperationId>(
  operation: O,
  given: Given<O>,
  deps: CallingDeps<O>,
  options: CallOptions = {},
): Promise<Called<Value<O>> | { readonly result?: undefined; readonly outcome: Retry }> {
  const call = callOf(operation, given, { ...options, signal: deps.deadline }, deps.loyalty);
  const called = await callLoyalty(operation, call, deps);
  return called.kind === 'called' ? called : { outcome: retryWhenAllowed(called) };
}

/**
 * The value is undefined for what the service refuses: it may send events of a customer whom it does not let us read,
 * and the balance in them is still written.
 */
export async function ask<O extends OperationId>(
  ...asked: Parameters<typeof callService<O>>
): Promise<{ readonly kind: 'asked'; readonly value: Value<O> | undefined } | Retry> {
  const { outcome, result } = await callService(...asked);
  if (outcome.kind === 'retry') return outcome;
  return { kind: 'asked', value: result && 'value' in result ? result.value : undefined };
}

/** For a call that belongs to no message: it counts and logs here that the service did not answer. */
export async function callForShopper<Value>(
  operation: OperationId,
  call: () => Promise<LoyaltyResult<Value>>,
  deps: BreakerDeps & { readonly telemetry: Telemetry },
): Promise<Called<Value> | CallRefused> {
  const called = await callLoyalty(operation, call, deps);
  if (called.kind === 'called' && called.outcome.kind === 'retry') {
    const { misconfigured, throttled, why } = called.outcome;
    if (misconfigured) deps.telemetry.count('misconfigured');
    if (throttled) deps.telemetry.count('throttled');
    const message = 'the loyalty service did not answer the storefront';
    deps.telemetry.log('warn', message, { operation, why });
  }
  return called;
}

/**
 * Keeps a worker from waiting behind time-outs while the loyalty service is down.
 *
 *            failures in a row            time is over, or on request: one probe
 *   closed ─────────────────────▶ open ────────────────────────────────▶ probing
 *     ▲                             ▲                                       │
 *     │                             └───────────── probe failed ────────────┤
 *     └──────── half-open: one more call per success ◀───── succeeded ──┘
 *
 * State of one process and one shop; nothing is shared, because each worker finds out soon enough.
 */
export interface LocalBreaker {
  /** Waits while as many calls are under way as are allowed, so at most as long as one of them takes. */
  enter(now: Date): Promise<Permit<void> | CallRefused>;
  /** From now on one call at a time, and one more for each that succeeds. */
  enterHalfOpen(): void;
  /** If it is open, the next call is a probe at once. */
  probeNow(): void;
}

/** The circuit breaker as callers see it: the one of the process, behind the shop's pause. */
export interface CircuitBreaker {
  /** A permit to call, or when to try again. Every permit must be settled once. */
  enter(now: Date): Promise<Permit<void | Promise<void>> | CallRefused>;
}

interface CallRefused {
  readonly kind: 'call-refused';
  readonly retry: RetryReason & { readonly afterSeconds: number };
}

export interface Permit<Settled> {
  readonly kind: 'permit';
  settle(how: CallEnd, now: Date): Settled;
}

/** `answered` is any answer of the service, even a refusal: it is alive. `unused`: no call was made. */
export type CallEnd = 'answered' | 'failed' | 'unused' | PauseRequest;

/** An answer about the whole account: it pauses the shop, in all functions. */
export interface PauseRequest {
  readonly why: 'throttled' | 'misconfigured';
  /** As the service asked. */
  readonly seconds?: number | undefined;
}

interface BreakerSettings {
  readonly failuresToOpen: number;
  readonly openSeconds: number;
  readonly longestOpenSeconds: number;
}

const defaults: BreakerSettings = {
  failuresToOpen: 3,
  openSeconds: 10,
  longestOpenSeconds: 120,
};

export function createCircuitBreaker(settings: BreakerSettings = defaults): LocalBreaker {
  let failuresInARow = 0;
  let openUntil = 0;
  let openSeconds = settings.openSeconds;
  /** Of this period. */
  let inFlight = 0;
  /** Infinity while all is well; after an outage it grows from one by each success. */
  let allowed = Number.POSITIVE_INFINITY;
  /** What began in an earlier one fails with it, or keeps no probe waiting: one outage must not count as many. */
  let period = 0;
  let inLine: ((now: Date) => void)[] = [];

  function settle(how: CallEnd, began: number, now: Date): void {
    if (began === period) inFlight -= 1;
    if (how === 'failed') fail(began, now);
    else if (how !== 'unused') succeed();
    const next = inLine;
    inLine = [];
    for (const goOn of next) goOn(now);
  }

  function beginPeriod(): void {
    period += 1;
    inFlight = 0;
  }

  function succeed(): void {
    failuresInARow = 0;
    openSeconds = settings.openSeconds;
    // The slow return is over once it allows more than any worker runs side by side.
    allowed = allowed > 64 ? Number.POSITIVE_INFINITY : allowed + 1;
  }

  function fail(began: number, now: Date): void {
    if (began !== period) return;
    failuresInARow += 1;
    if (failuresInARow < settings.failuresToOpen && allowed > 1) return;
    beginPeriod();
    openUntil = now.getTime() + openSeconds * 1000;
    allowed = 1;
    openSeconds = Math.min(openSeconds * 2, settings.longestOpenSeconds);
  }

  return {
    async enter(now) {
      for (let at = now; ; ) {
        const waitMs = openUntil - at.getTime();
        if (waitMs > 0) {
          const afterSeconds = Math.ceil(waitMs / 1000);
          return { kind: 'call-refused', retry: { why: 'loyalty-unavailable', afterSeconds } };
        }
        if (inFlight < allowed) break;
        at = await new Promise((resolve) => inLine.push(resolve));
      }
      inFlight += 1;
      const began = period;
      return { kind: 'permit', settle: (how, at) => settle(how, began, at) };
    },
    enterHalfOpen() {
      allowed = 1;
    },
    probeNow() {
      beginPeriod();
      openUntil = 0;
      openSeconds = settings.openSeconds;
    },
  };
}

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
  const call = callOf(operation, given, options, loyalty);
  const called = await callForShopper(operation, call, deps);
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
  };
}
