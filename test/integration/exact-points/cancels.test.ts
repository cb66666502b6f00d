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

describe('where error 13 comes for a return of a completed order too', () => {
  const shops = openShops({ error13: 'return-completed' });

  test('a cancelled order is parked for a person, and its 80 points stay', async () => {
    const shop = await shops.open();
    const order = await refundedOrder(shop);
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.points(order)).toBe(80);
    expect(await shop.parked()).toBeGreaterThan(0);
  });

  test('an order that was never completed is cancelled: 0 points, nothing parked', async () => {
    const shop = await shops.open({ rules: { pendingOrders: 'send' } });
    const order = shop.buy([50]);
    await shop.rest();
    shop.later(60);
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.held(order)).toMatchObject({ IsCancelledOrReturned: true, points: 0 });
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

describe('where a cancel is accepted and never carried out', () => {
  const shops = openShops();

  test('it is parked after 24 hours, not before', async () => {
    const { shop, order } = await shops.openSold([100]);
    shop.later(60);
    // As if the service lost the cancel: each time the answer is that it was not carried out.
    const server = shop.loyalty.settings as { lateCancel: boolean };
    server.lateCancel = true;
    try {
      shop.actions.cancelOrder({ orderId: order.id });
      await shop.store.deliveries.settled();
      // The sandbox would carry it out after a day; 23.9 hours of its clock are taken back.
      for (let hour = 0; hour < 23; hour += 1) {
        await shop.connector.work();
        shop.later(HOUR);
        shop.loyalty.advance(-HOUR * 1000);
      }
      expect(await shop.parked()).toBe(0);
      for (let hour = 0; hour < 8; hour += 1) {
        await shop.connector.work();
        shop.later(HOUR);
        shop.loyalty.advance(-HOUR * 1000);
      }
      expect(await shop.parked()).toBeGreaterThan(0);
      expect(shop.points(order)).toBe(100);
    } finally {
      server.lateCancel = false;
    }
  });
});

describe('a cancel', () => {
  const shops = openShops();

  test('is final: a payment or tag that comes later changes nothing', async () => {
    const { shop, order } = await shops.openSold([100]);
    shop.later(60);
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.rest();
    shop.later(60);
    shop.actions.tagOrder({ orderId: order.id, tags: ['checked'] });
    await shop.rest();
    expect(shop.balance()).toBe(0);
    expect(await shop.parked()).toBe(0);
  });

  test('that the service answers with 37 or 33 is done, not parked', async () => {
    for (const code of [37, 33] as const) {
      const { shop, order } = await shops.openSold([100]);
      shop.later(60);
      for (const operation of ['cancelOrder', 'cancelPosOrder'] as const) {
        shop.loyalty.faults.add({ kind: 'business-error', code, operation });
      }
      shop.actions.cancelOrder({ orderId: order.id });
      await shop.rest();
      expect(await shop.parked(), `error ${code}`).toBe(0);
      shop.loyalty.faults.clear();
    }
  });

  test('of an order with an unfinished partial cancel: 0 points, nothing parked', async () => {
    const { shop, order } = await shops.openSold([[20, 3], 40]);
    shop.loyalty.faults.add({ kind: 'http-503', operation: 'partiallyCancelPosOrder' });
    shop.refundLine(order, 0);
    await shop.store.deliveries.settled();
    await shop.connector.work();
    shop.later(60);
    shop.actions.cancelOrder({ orderId: order.id });
    await shop.store.deliveries.settled();
    await shop.connector.work();
    shop.loyalty.faults.clear();
    await shop.rest();
    expect(shop.balance()).toBe(0);
    expect(shop.held(order)?.IsCancelledOrReturned).toBe(true);
    expect(await shop.parked()).toBe(0);
  });
});
