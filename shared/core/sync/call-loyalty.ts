import type { OperationId } from '../../loyalty/operations.ts';
import type { LoyaltyResult } from '../../loyalty/result.ts';
import type { Outcome } from '../batch/outcome.ts';
import type { Telemetry } from '../batch/telemetry.ts';
import type { CircuitBreaker, StayAway } from './circuit-breaker.ts';
import { type CallsMade, judge } from './make-calls.ts';

export interface BreakerWorld {
  readonly breaker: CircuitBreaker;
  readonly now: () => Date;
}

/** Holds a permit while `act` calls; does not call while the circuit breaker is open or the shop paused. */
export async function throughBreaker<Made extends Pick<CallsMade, 'end'>>(
  { breaker, now }: BreakerWorld,
  act: () => Promise<Made>,
): Promise<Made | StayAway> {
  const permit = await breaker.enter(now());
  if (permit.kind === 'stay-away') return permit;
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
export function stayAway({ retry }: StayAway): Extract<Outcome, { kind: 'retry' }> {
  return { kind: 'retry', ...retry };
}

export interface Called<Value> extends CallsMade {
  readonly kind: 'called';
  readonly result: LoyaltyResult<Value>;
}

/** One call of one operation, with what its answer means. */
export async function callLoyalty<Value>(
  operation: OperationId,
  call: () => Promise<LoyaltyResult<Value>>,
  world: BreakerWorld,
): Promise<Called<Value> | StayAway> {
  return throughBreaker(world, async () => {
    const result = await call();
    return { kind: 'called', result, ...judge([operation], result) } as const;
  });
}

/**
 * The same for a call that belongs to no message: it counts and logs here that the service did not
 * answer.
 */
export async function callForShopper<Value>(
  operation: OperationId,
  call: () => Promise<LoyaltyResult<Value>>,
  world: BreakerWorld & { readonly telemetry: Telemetry },
): Promise<Called<Value> | StayAway> {
  const called = await callLoyalty(operation, call, world);
  if (called.kind === 'called' && called.outcome.kind === 'retry') {
    const { misconfigured, throttled, why } = called.outcome;
    if (misconfigured) world.telemetry.count('misconfigured');
    if (throttled) world.telemetry.count('throttled');
    const message = 'the loyalty service did not answer the storefront';
    world.telemetry.log('warn', message, { operation, why });
  }
  return called;
}
