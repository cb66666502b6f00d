import { describe, expect, test } from 'vitest';
import { openShops, type Shop } from './open-shops.ts';

const HOUR = 3600;

/** 100 points, of which 20 were taken back. */
async function refundedOrder(shop: Shop) {
  const order = shop.sell([[20, 3], 40]);
  await shop.rest();
  shop.refundLine(order, 0);
  await shop.rest();
  expect(shop.points(order)).toBe(80);
  shop.later(60);
  return order;
}

describe.each([
  ['both-flags', 'one cancel call'],
  ['cancel-completed', 'the cancel call, refused, and the order sent as returned'],
  ['never', 'one cancel call'],
] as const)('where error 13 comes as "%s"', (error13, how) => {
  const shops = openShops({ error13 });

  test(`a cancel after a partial cancel is ${how}: 100 → 80 → 0 points`, async () => {
    const shop = await shops.open();
    const order = await refundedOrder(shop);
    shop.orderCalls();
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.balance()).toBe(0);
    expect(shop.held(order)).toMatchObject({ IsCancelledOrReturned: true, points: 0 });
    const [first, second] = shop.orderCalls();
    expect(first).toMatch(/^cancel/);
    expect(second).toBe(error13 === 'cancel-completed' ? 'sendOrder' : undefined);
    if (error13 === 'cancel-completed') {
      expect(shop.held(order)).toMatchObject({ IsCompleted: false });
    }
    expect(await shop.parked()).toBe(0);
  });
});

describe('where cancels show late: isCanceled is false, and true a day later', () => {
  const shops = openShops({ lateCancel: true });

  test('100 points stay for a day and are 0 then; nothing is parked', async () => {
    const { shop, order } = await shops.openSold([100]);
    shop.later(60);
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.store.deliveries.settled();
    for (let hour = 0; hour < 23; hour += 1) {
      await shop.connector.work();
      shop.later(HOUR);
    }
    // Not carried out yet, and not given up: the message is still there.
    expect(shop.points(order)).toBe(100);
    expect(await shop.connector.waiting()).toBeGreaterThan(0);
    expect(await shop.parked()).toBe(0);
    await shop.rest();
    expect(shop.balance()).toBe(0);
    expect(shop.held(order)?.IsCancelledOrReturned).toBe(true);
    expect(await shop.parked()).toBe(0);
  });
});
