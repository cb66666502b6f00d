import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isRetryWindowOver,
  type RetryRequest,
  retryDelaySeconds,
} from '../../../../shared/core/events/outcome.ts';

const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** After this many failures, and as many receives unless more are named. */
const delayOf = (request: Partial<RetryRequest> & { readonly tries: number }, random: number) =>
  retryDelaySeconds({ why: 'time-out', receives: request.tries, ...request }, () => random);

const LONGEST = 0.9999;

describe('the retry delay', () => {
  it('doubles from seconds to half an hour', () => {
    const delays = Array.from({ length: 10 }, (_, n) => delayOf({ tries: n + 1 }, LONGEST));
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800]);
  });

  it('spreads over half of itself, so that what failed together does not return together', () => {
    expect(delayOf({ tries: 5 }, 0)).toBe(40);
    expect(delayOf({ tries: 5 }, 0.5)).toBe(60);
  });

  it('never comes back sooner than the service asked, and never waits for an eternity', () => {
    const receives = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(receives, receives, fc.double(), anyRandom, (one, other, asked, r) => {
        const tries = Math.min(one, other);
        const seconds = delayOf({ tries, receives: one, afterSeconds: asked }, r);
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(Math.min(Number.isNaN(asked) ? 0 : asked, 3600));
        expect(seconds).toBeLessThanOrEqual(3600 + 900);
        expect(seconds).toBeGreaterThan(0);
      }),
    );
  });

  it('is long from the start when only a person can help', () => {
    expect(delayOf({ tries: 1, misconfigured: true }, 0)).toBe(900);
  });

  it('does not grow by receives in which nothing was tried', () => {
    expect(delayOf({ tries: 2, receives: 25 }, LONGEST)).toBe(10);
    expect(delayOf({ tries: 2, receives: 400 }, LONGEST)).toBe(10);
  });

  it('ends soon after an earlier call can no longer be executed', () => {
    const request = { why: 'call-under-way', afterSeconds: 12, receives: 90, tries: 9 } as const;
    expect([delayOf(request, 0), delayOf(request, LONGEST)]).toEqual([12, 18]);
  });

  it.each([
    { throttled: true },
    { why: 'shop-paused', throttled: true, pausedBy: 'service', afterSeconds: 20 },
    { why: 'out-of-tokens', afterSeconds: 10 },
  ] as const)('is two minutes at most for what waits for its turn: %o', (request) => {
    const longest = (tries: number) => delayOf({ ...request, tries }, LONGEST);
    expect(longest(2)).toBeLessThan(40);
    expect(longest(10)).toBe(120);
    expect(longest(30)).toBe(120);
    expect(longest(31)).toBe(1800);
    expect(longest(9)).toBeLessThan(delayOf({ tries: 9 }, LONGEST));
  });

  it('grows quickly for the backlog of a busy shop: each look at it takes workers from the others', () => {
    const delays = [1, 2, 3, 4, 30, 31].map((receives) =>
      delayOf({ why: 'shop-busy', receives, tries: 0 }, LONGEST),
    );
    expect(delays).toEqual([5, 20, 80, 120, 120, 1800]);
  });

  it.each([
    ['an operator', 'operator', 1800, 3600],
    ['the service', 'service', 900, 1800],
  ] as const)('spreads what waits for the end of a pause by %s', (_, pausedBy, least, most) => {
    const paused = (random: number) =>
      delayOf({ why: 'shop-paused', pausedBy, tries: 1, receives: 40 }, random);
    expect([paused(0), paused(LONGEST)]).toEqual([least, most]);
  });

  it('is an hour for what waits for its turn, where the service asks for an hour', () => {
    expect(delayOf({ tries: 3, throttled: true, afterSeconds: 3600 }, 0)).toBe(3600);
  });

  it.each([
    ['failures', {}],
    ['a service that asks for fewer calls', { throttled: true }],
    ['an open circuit breaker', { why: 'loyalty-unavailable', afterSeconds: 1 }],
    ['an account without tokens', { why: 'out-of-tokens', afterSeconds: 10 }],
    ['a shop that holds its share of the workers', { why: 'shop-busy' }],
  ] as const)('stays below 1000 receives of a queue for ten days of %s', (_, request) => {
    let seconds = 0;
    let receives = 0;
    while (seconds < 10 * 86_400) {
      receives += 1;
      // The shortest that chance can give.
      seconds += delayOf({ tries: receives, ...request }, 0);
    }
    expect(receives).toBeLessThan(1000);
  });
});

describe('the retry window', () => {
  const receivedAt = '2026-10-01T00:00:00.000Z';
  const over = (now: string, replays?: { at: string; by: string }[]) =>
    isRetryWindowOver({ shop: 'one', receivedAt, ...(replays && { replays }) }, 4, new Date(now), {
      windowFrom: (_, queuedAt) => queuedAt,
    });

  it('counts from the day the event was accepted', () => {
    expect(over('2026-10-05T00:00:00.000Z')).toBe(false);
    expect(over('2026-10-05T00:00:00.001Z')).toBe(true);
  });

  it('begins again with a replay', () => {
    expect(over('2026-10-20T00:00:00Z', [{ at: '2026-10-19T00:00:00Z', by: 'op' }])).toBe(false);
  });
});
