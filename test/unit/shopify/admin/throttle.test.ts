import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../../../shared/shopify/admin/client/admin-client.ts';

function cost(requestedQueryCost: number, currentlyAvailable: number, restoreRate = 50) {
  return {
    requestedQueryCost,
    throttleStatus: { maximumAvailable: 1000, currentlyAvailable, restoreRate },
  };
}

describe('the bucket of query cost points', () => {
  it('lets every query pass before the store has stated its points', () => {
    const throttle = createThrottle();
    expect(throttle.take('Order', 0)).toBe(0);
    throttle.note('Order', undefined, 0);
    throttle.note('Order', { throttleStatus: { maximumAvailable: 'many' } }, 0);
    expect(throttle.take('Order', 0)).toBe(0);
  });

  it('counts the cost of queries that are not answered yet', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(100, 250), 0);
    expect(throttle.take('Order', 0)).toBe(0);
    expect(throttle.take('Order', 0)).toBe(0);
    expect(throttle.take('Order', 0)).toBe(1000);
    expect(throttle.take('Order', 1000)).toBe(0);
  });

  it('leaves the reserve to other processes', () => {
    const throttle = createThrottle(0.5);
    throttle.note('Order', cost(100, 650), 0);
    expect(throttle.take('Order', 0)).toBe(0);
    // 550 are left, of which 500 are the reserve: 50 points more take a second.
    expect(throttle.take('Order', 0)).toBe(1000);
    expect(throttle.take('Order', 1000)).toBe(0);
  });

  it('never fills above its maximum', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(600, 900), 0);
    expect(throttle.take('Order', 3_600_000)).toBe(0);
    expect(throttle.take('Order', 3_600_000)).toBe(4000);
  });

  it('lets a query pass that costs more than the maximum, so that the store refuses it', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(5000, 1000), 0);
    expect(throttle.take('Order', 0)).toBe(0);
  });

  it('never waits longer than refilling takes, and lets no query pass without its points', () => {
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
