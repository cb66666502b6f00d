import { describe, expect, it } from 'vitest';
import { createRateLimit } from '../../../../shared/core/storefront/rate-limit.ts';
import { createTimedCache } from '../../../../shared/core/storefront/timed-cache.ts';

describe('a timed cache', () => {
  const clock = { ms: 0 };
  const now = () => new Date(clock.ms);

  it('forgets after its time', () => {
    const cache = createTimedCache<number>({ seconds: 60, most: 10, now });
    cache.keep('a', 1);
    clock.ms += 59_999;
    expect(cache.recall('a')).toBe(1);
    clock.ms += 1;
    expect(cache.recall('a')).toBeUndefined();
  });

  it('never holds more than it may, and drops what it has held longest', () => {
    const cache = createTimedCache<number>({ seconds: 60, most: 3, now });
    for (const key of ['a', 'b', 'a', 'c', 'd']) cache.keep(key, 1);
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.recall(key) !== undefined)).toEqual([
      'a',
      'c',
      'd',
    ]);
  });
});

describe('a rate limit', () => {
  it('allows so many at once, then as many as time gives back', () => {
    const limit = createRateLimit(60);
    const at = (seconds: number) => new Date(seconds * 1000);
    for (let n = 0; n < 60; n += 1) expect(limit('one', at(0))).toBeUndefined();
    expect(limit('one', at(0))).toEqual({ afterSeconds: 1 });
    expect(limit('one', at(0.5))).toEqual({ afterSeconds: 1 });
    expect(limit('one', at(1.1))).toBeUndefined();
    expect(limit('one', at(1.1))).toEqual({ afterSeconds: 1 });
  });

  it('is each one’s own, and a clock that goes back gives nothing and takes nothing', () => {
    const limit = createRateLimit(1);
    const noon = new Date('2026-10-09T12:00:00Z');
    expect(limit('one', noon)).toBeUndefined();
    expect(limit('other', noon)).toBeUndefined();
    expect(limit('one', new Date(noon.getTime() - 600_000))).toEqual({ afterSeconds: 60 });
  });
});
