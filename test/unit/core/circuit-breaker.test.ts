import { describe, expect, it } from 'vitest';
import {
  type CallEnd,
  type CircuitBreaker,
  createCircuitBreaker,
  type Permit,
} from '../../../shared/core/sync/circuit-breaker.ts';

const settings = {
  failuresToOpen: 3,
  openSeconds: 10,
  longestOpenSeconds: 40,
  misconfiguredSeconds: 300,
};
const second = (s: number) => new Date(s * 1000);

function permit(breaker: CircuitBreaker, at: number): Permit {
  const entered = breaker.enter(second(at));
  if (entered.kind !== 'permit') throw new Error(`kept away for ${entered.afterSeconds} s`);
  return entered;
}

function call(breaker: CircuitBreaker, end: CallEnd, at: number): void {
  permit(breaker, at).settle(end, second(at));
}

function opened(): CircuitBreaker {
  const breaker = createCircuitBreaker(settings);
  for (let n = 0; n < 3; n += 1) call(breaker, 'failed', 0);
  return breaker;
}

describe('the circuit breaker', () => {
  it('lets calls through until some failed in a row', () => {
    const breaker = createCircuitBreaker(settings);
    call(breaker, 'failed', 0);
    call(breaker, 'failed', 0);
    call(breaker, 'answered', 0);
    call(breaker, 'failed', 0);
    call(breaker, 'failed', 0);
    expect(breaker.enter(second(0)).kind).toBe('permit');
  });

  it('keeps everybody away while it is open, and says for how long', () => {
    expect(opened().enter(second(4))).toEqual({ kind: 'stay-away', afterSeconds: 6 });
  });

  it('lets a single probe through when the time is over', () => {
    const breaker = opened();
    permit(breaker, 10);
    expect(breaker.enter(second(10)).kind).toBe('stay-away');
  });

  it('opens again for longer when the probe fails, up to a bound', () => {
    const breaker = opened();
    let at = 10;
    for (const wait of [20, 40, 40]) {
      call(breaker, 'failed', at);
      expect(breaker.enter(second(at))).toEqual({ kind: 'stay-away', afterSeconds: wait });
      at += wait;
    }
  });

  it('comes back gently: one call more at a time for each that succeeds', () => {
    const breaker = opened();
    call(breaker, 'answered', 10);
    const two = [permit(breaker, 10), permit(breaker, 10)];
    expect(breaker.enter(second(10)).kind).toBe('stay-away');
    for (const one of two) one.settle('answered', second(10));
    const four = Array.from({ length: 4 }, () => permit(breaker, 10));
    expect(four).toHaveLength(4);
    expect(breaker.enter(second(10)).kind).toBe('stay-away');
  });

  it('opens at once, and for long, when the service refuses the credentials', () => {
    const breaker = createCircuitBreaker(settings);
    call(breaker, 'misconfigured', 0);
    expect(breaker.enter(second(1))).toEqual({ kind: 'stay-away', afterSeconds: 299 });
  });

  it('is not moved by a permit that nobody used, and settles each only once', () => {
    const breaker = opened();
    const probe = permit(breaker, 10);
    probe.settle('unused', second(10));
    const again = permit(breaker, 10);
    again.settle('answered', second(10));
    again.settle('failed', second(10));
    expect(breaker.enter(second(10)).kind).toBe('permit');
  });
});
