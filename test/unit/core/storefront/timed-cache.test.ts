import { describe, expect, it } from 'vitest';
import { createTimedCache } from '../../../../shared/core/calls/ask-loyalty.ts';

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
    cache.keep('a', 1);
    cache.forget('a');
    expect(cache.recall('a')).toBeUndefined();
  });

  it('never holds more than it may, and drops what it has held longest', () => {
    const cache = createTimedCache<number>({ seconds: 60, most: 3, now });
    for (const key of ['a', 'b', 'a', 'c', 'd']) cache.keep(key, 1);
    const held = ['a', 'b', 'c', 'd'].filter((key) => cache.recall(key) !== undefined);
    expect(held).toEqual(['a', 'c', 'd']);
  });
});
