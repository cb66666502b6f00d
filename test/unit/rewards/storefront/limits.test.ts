import { describe, expect, it } from 'vitest';
import type { StoreAnswer } from '../../../../shared/core/store/store.ts';
import {
  createCustomersOfShop,
  createRateLimit,
} from '../../../../shared/rewards/storefront/storefront.ts';
import type { StoreMember } from '../../../../shared/store/store-entities.ts';

describe('the customers of a shop', () => {
  const found = { kind: 'found', value: {} as StoreMember } as const;
  const unavailable = { kind: 'unavailable', why: 'time-out' } as const;

  function open(...answers: readonly StoreAnswer<StoreMember>[]) {
    const clock = { now: Date.parse('2026-10-09T12:00:00Z') };
    const asked: (readonly [string, string])[] = [];
    const readMember = async (shop: string, id: string) => {
      asked.push([shop, id]);
      return answers[asked.length - 1] ?? expect.fail('asked too often');
    };
    const has = createCustomersOfShop(
      'example-store',
      () => ({ readMember }),
      () => new Date(clock.now),
    );
    return { has, asked, clock };
  }

  it('asks the store of this shop, and remembers the customers that it has for ten minutes', async () => {
    const { has, asked, clock } = open(found, found);
    expect([await has('7'), await has('7')]).toEqual([true, true]);
    expect(asked).toEqual([['example-store', '7']]);
    clock.now += 600_000;
    expect(await has('7')).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('does not remember a customer whom the store does not have, who may be new', async () => {
    const { has } = open({ kind: 'gone' }, { kind: 'gone' }, found);
    expect([await has('7'), await has('7'), await has('7')]).toEqual([false, false, true]);
  });

  it('takes no silence of the store for an answer', async () => {
    const { has } = open(unavailable, found);
    await expect(has('7')).rejects.toThrow('the store does not say');
    expect(await has('7')).toBe(true);
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
