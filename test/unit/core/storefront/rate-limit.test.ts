import { describe, expect, it } from 'vitest';
import { createRateLimit } from '../../../../shared/core/storefront/cached-uses.ts';

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

  it('gives back no more than it allows at once, and forgets who was idle longest', () => {
    const limit = createRateLimit(2);
    const at = (seconds: number) => new Date(seconds * 1000);
    expect(limit('one', at(0))).toBeUndefined();
    const later = [1, 2, 3].map(() => limit('one', at(3_600)) === undefined);
    expect(later).toEqual([true, true, false]);
    for (let n = 0; n < 4_999; n += 1) limit(`other-${n}`, at(3_600));
    expect(limit('one', at(3_600))).toEqual({ afterSeconds: 30 });
    for (let n = 0; n < 5_000; n += 1) limit(`other-${n}`, at(3_600));
    expect(limit('one', at(3_600))).toBeUndefined();
  });
});
