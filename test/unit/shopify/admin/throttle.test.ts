import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../../../shared/shopify/admin/client/throttle.ts';

function cost(requestedQueryCost: number, currentlyAvailable: number, restoreRate = 50) {
  return {
    requestedQueryCost,
    throttleStatus: { maximumAvailable: 1000, currentlyAvailable, restoreRate },
  };
}

describe('the bucket of points', () => {
  it('asks nobody to wait before the store has said anything', () => {
    const throttle = createThrottle();
    expect(throttle.take('Order', 0)).toBe(0);
    throttle.note('Order', undefined, 0);
    throttle.note('Order', { throttleStatus: { maximumAvailable: 'many' } }, 0);
    expect(throttle.take('Order', 0)).toBe(0);
  });

  it('counts what questions under way will take, before they are answered', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(100, 250), 0);
    expect(throttle.take('Order', 0)).toBe(0);
    expect(throttle.take('Order', 0)).toBe(0);
    expect(throttle.take('Order', 0)).toBe(1000);
    expect(throttle.take('Order', 1000)).toBe(0);
  });

  it('leaves to others what is theirs', () => {
    const throttle = createThrottle(0.5);
    throttle.note('Order', cost(100, 650), 0);
    expect(throttle.take('Order', 0)).toBe(0);
    // 550 are left, and 500 of them are not ours: 50 points more take a second.
    expect(throttle.take('Order', 0)).toBe(1000);
    expect(throttle.take('Order', 1000)).toBe(0);
  });

  it('fills to its brim and no further', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(600, 900), 0);
    expect(throttle.take('Order', 3_600_000)).toBe(0);
    expect(throttle.take('Order', 3_600_000)).toBe(4000);
  });

  it('lets a question pass that costs more than it can ever hold: the store shall refuse it', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(5000, 1000), 0);
    expect(throttle.take('Order', 0)).toBe(0);
  });

  it('never asks to wait longer than refilling takes, nor lets pass what does not fit', () => {
    const anyCost = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(anyCost, fc.nat(1000), fc.integer({ min: 1, max: 2000 }), (asked, left, rate) => {
        const throttle = createThrottle();
        throttle.note('Order', cost(asked, left, rate), 0);
        const wait = throttle.take('Order', 0);
        expect(wait === 0).toBe(left >= asked);
        if (wait > 0) expect(throttle.take('Order', wait)).toBe(0);
      }),
    );
  });
});
