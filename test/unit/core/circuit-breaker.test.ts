import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRetryWindowOver, retryDelaySeconds } from '../../../shared/core/batch/retry-policy.ts';
import {
  type CallEnd,
  createCircuitBreaker,
  type LocalBreaker,
  type Permit,
} from '../../../shared/core/sync/circuit-breaker.ts';

const settings = {
  failuresToOpen: 3,
  openSeconds: 10,
  longestOpenSeconds: 40,
};
const second = (s: number) => new Date(s * 1000);

function permit(breaker: LocalBreaker, at: number): Permit<void> {
  const entered = breaker.enter(second(at));
  if (entered.kind !== 'permit') throw new Error(`kept away for ${entered.retry.afterSeconds} s`);
  return entered;
}

function call(breaker: LocalBreaker, end: CallEnd, at: number): void {
  permit(breaker, at).settle(end, second(at));
}

function opened(): LocalBreaker {
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
    expect(opened().enter(second(4))).toMatchObject({ retry: { afterSeconds: 6 } });
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
      expect(breaker.enter(second(at))).toMatchObject({ retry: { afterSeconds: wait } });
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

  it('counts calls that fail together as one outage, and each outage from the start', () => {
    const breaker = createCircuitBreaker(settings);
    const six = Array.from({ length: 6 }, () => permit(breaker, 0));
    for (const one of six) one.settle('failed', second(0));
    expect(breaker.enter(second(0))).toMatchObject({ retry: { afterSeconds: 10 } });
    call(breaker, 'failed', 10);
    expect(breaker.enter(second(10))).toMatchObject({ retry: { afterSeconds: 20 } });
    call(breaker, 'answered', 30);
    for (let n = 0; n < 3; n += 1) call(breaker, 'failed', 30);
    expect(breaker.enter(second(30))).toMatchObject({ retry: { afterSeconds: 10 } });
  });

  it('lets what waits for its turn come back soon', () => {
    const breaker = opened();
    permit(breaker, 10);
    expect(breaker.enter(second(10))).toMatchObject({ retry: { afterSeconds: 1, inLine: true } });
  });

  it('returns from a pause by one call at a time, and opens at the first that fails', () => {
    const breaker = createCircuitBreaker(settings);
    breaker.returnGently();
    const first = permit(breaker, 0);
    expect(breaker.enter(second(0))).toMatchObject({ retry: { inLine: true } });
    first.settle('failed', second(0));
    expect(breaker.enter(second(0))).toMatchObject({ retry: { afterSeconds: 10 } });
  });

  it('stays closed when the service refuses the account: that pauses the shop', () => {
    const breaker = createCircuitBreaker(settings);
    for (let n = 0; n < 5; n += 1) call(breaker, { why: 'misconfigured' }, 0);
    expect(breaker.enter(second(1)).kind).toBe('permit');
  });

  it('is not changed by a permit that was not used', () => {
    const breaker = opened();
    permit(breaker, 10).settle('unused', second(10));
    permit(breaker, 10);
    expect(breaker.enter(second(10)).kind).toBe('stay-away');
  });
});

const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the retry delay', () => {
  it('doubles from seconds to half an hour', () => {
    const delays = Array.from({ length: 10 }, (_, n) =>
      retryDelaySeconds({ attempts: n + 1 }, () => 0.9999),
    );
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800]);
  });

  it('spreads over half of itself, so that what failed together does not return together', () => {
    expect(retryDelaySeconds({ attempts: 5 }, () => 0)).toBe(40);
    expect(retryDelaySeconds({ attempts: 5 }, () => 0.5)).toBe(60);
  });

  it('never comes back sooner than the service asked, and never waits for an eternity', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.double(),
        anyRandom,
        (attempts, wish, r) => {
          const seconds = retryDelaySeconds({ attempts, afterSeconds: wish }, () => r);
          expect(Number.isInteger(seconds)).toBe(true);
          expect(seconds).toBeGreaterThanOrEqual(Math.min(Number.isNaN(wish) ? 0 : wish, 3600));
          expect(seconds).toBeLessThanOrEqual(3600 + 900);
          expect(seconds).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('is long from the start when only a person can help', () => {
    expect(retryDelaySeconds({ attempts: 1, misconfigured: true }, () => 0)).toBe(900);
  });

  it.each([
    { throttled: true },
    { throttled: true, pausedBy: 'service', afterSeconds: 20 },
    { inLine: true, afterSeconds: 1 },
  ] as const)('is two minutes at most for what waits for its turn: %o', (request) => {
    const longest = (attempts: number) => retryDelaySeconds({ ...request, attempts }, () => 0.9999);
    expect(longest(2)).toBeLessThan(40);
    expect(longest(10)).toBe(120);
    expect(longest(30)).toBe(120);
    expect(longest(31)).toBe(1800);
    expect(longest(9)).toBeLessThan(retryDelaySeconds({ attempts: 9 }, () => 0.9999));
  });

  it.each([
    ['an operator', 'operator', 1800, 3600],
    ['the service', 'service', 900, 1800],
  ] as const)('spreads what waits for the end of a pause by %s', (_, pausedBy, least, most) => {
    const paused = (random: number) =>
      retryDelaySeconds({ attempts: 20, pausedBy, sinceResumed: 5 }, () => random);
    expect([paused(0), paused(0.9999)]).toEqual([least, most]);
  });

  it('is an hour for what waits for its turn, where the service asks for an hour', () => {
    const asked = { attempts: 3, throttled: true, afterSeconds: 3600 };
    expect(retryDelaySeconds(asked, () => 0)).toBe(3600);
  });

  it.each([
    [1000, {}, 0],
    [1000, { throttled: true }, 0],
  ] as const)(
    'stays below %i receives of a queue for ten days of retries: %o',
    (limit, request, random) => {
      let seconds = 0;
      let receives = 0;
      while (seconds < 10 * 86_400) {
        receives += 1;
        seconds += retryDelaySeconds({ attempts: receives, ...request }, () => random);
      }
      expect(receives).toBeLessThan(limit);
    },
  );
});

describe('the retry window', () => {
  const receivedAt = '2026-10-01T00:00:00.000Z';
  const over = (now: string, replays?: { at: string; by: string }[], pausedDays = 0) =>
    isRetryWindowOver({ shop: 'one', receivedAt, ...(replays && { replays }) }, 4, new Date(now), {
      pausedMs: () => pausedDays * 86_400_000,
    });

  it('counts from the day the event was accepted', () => {
    expect(over('2026-10-05T00:00:00.000Z')).toBe(false);
    expect(over('2026-10-05T00:00:00.001Z')).toBe(true);
  });

  it('begins again with a replay', () => {
    expect(over('2026-10-20T00:00:00Z', [{ at: '2026-10-19T00:00:00Z', by: 'op' }])).toBe(false);
  });
});
