import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRetryWindowOver, retryDelaySeconds } from '../../../shared/core/batch/retry-policy.ts';

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

  it('stays within the 1000 receives of a queue for ten days of retries', () => {
    let seconds = 0;
    let receives = 0;
    while (seconds < 10 * 86_400) {
      receives += 1;
      seconds += retryDelaySeconds({ attempts: receives }, () => 0);
    }
    expect(receives).toBeLessThan(1000);
  });
});

describe('the retry window', () => {
  const receivedAt = '2026-10-01T00:00:00.000Z';
  const over = (now: string, replays?: { at: string; by: string }[]) =>
    isRetryWindowOver({ receivedAt, ...(replays && { replays }) }, 4, new Date(now));

  it('counts from the day the event was accepted', () => {
    expect(over('2026-10-05T00:00:00.000Z')).toBe(false);
    expect(over('2026-10-05T00:00:00.001Z')).toBe(true);
  });

  it('begins again with a replay', () => {
    expect(over('2026-10-20T00:00:00Z', [{ at: '2026-10-19T00:00:00Z', by: 'op' }])).toBe(false);
  });
});
