import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../local/loyalty-sandbox/fault-rule.ts';
import { openShops, type Shop } from '../../integration/exact-points/open-shops.ts';
import { STORE_SECRET } from '../../support/store-and-connector.ts';

const shops = openShops();

const faults: readonly FaultRule[] = [
  { kind: 'reset-after' },
  { kind: 'reset-before' },
  { kind: 'truncated' },
  { kind: 'empty' },
  { kind: 'http-500' },
  { kind: 'http-503', retryAfterSeconds: 5 },
  { kind: 'code-103' },
  { kind: 'not-json', status: 502 },
];

const takePart = 'partiallyCancelPosOrder';

/**
 * 100 points, refunds of 20 and 40, one more piece of 20 in the same second as 15 added, then the rest: at the end
 * 100 − 20 − 40 − 20 + 15 = 35.
 */
async function live(shop: Shop): Promise<{ readonly id: string }> {
  const order = shop.sell([[20, 3], 40]);
  await shop.rest();
  shop.refundLine(order, 0);
  await shop.rest();
  shop.refundLine(order, 1);
  await shop.rest();
  shop.refundLine(order, 0);
  shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
  await shop.rest();
  return order;
}

describe('an order of 100 with refunds of 20, 40 and 20 and an addition of 15', () => {
  test.each(faults)('keeps 35 points where each call meets $kind once', async (fault) => {
    const shop = await shops.open();
    // The calls are: send, take 20, take 40, take 5. The first try of each fails.
    shop.loyalty.faults.add({ ...fault, operation: 'sendOrder', count: 1 });
    for (const after of [0, 1, 2]) {
      shop.loyalty.faults.add({ ...fault, operation: takePart, after, count: 1 });
    }
    const order = await live(shop);
    const met = shop.loyalty.journal.entries().filter((entry) => entry.fault !== undefined);
    expect(met).toHaveLength(4);
    expect(shop.points(order)).toBe(35);
    expect(shop.balance()).toBe(35);
    // No key stands for two values, and no value was taken twice.
    const taken = shop.held(order)?.partialCancels.map(({ valueHundredths }) => valueHundredths);
    expect(taken).toEqual([2000, 4000, 500]);
    expect(await shop.parked()).toBe(0);
  });

  test('keeps 35 points where the answer of every first, second and third try is lost', async () => {
    const shop = await shops.open();
    for (const after of [0, 4, 8]) {
      shop.loyalty.faults.add({ kind: 'reset-after', operation: takePart, after, count: 3 });
    }
    const order = await live(shop);
    shop.loyalty.faults.clear();
    expect(shop.points(order)).toBe(35);
    expect(await shop.parked()).toBe(0);
  });
});

describe('a worker that is frozen while it takes 20 of 100', () => {
  test('calls late under a used key: 80 points, and the newer refund takes 40 more', async () => {
    const { shop, order } = await shops.openSold([[20, 3], 40]);
    shop.loyalty.faults.add({ kind: 'latency', ms: 700, operation: takePart, count: 1 });
    shop.refundLine(order, 0);
    await shop.store.deliveries.settled();
    const frozen = shop.connector.work();
    // Its call is on the way. The message is visible again after six minutes, and another worker takes it.
    await expect.poll(() => shop.loyalty.faults.list()).toEqual([]);
    shop.later(370);
    await shop.connector.work();
    shop.refundLine(order, 1);
    await shop.store.deliveries.settled();
    await shop.connector.work();
    await frozen.catch(() => undefined);
    await shop.rest();
    expect(shop.points(order)).toBe(40);
    const taken = shop.held(order)?.partialCancels.map(({ valueHundredths }) => valueHundredths);
    expect(taken).toEqual([2000, 4000]);
    expect(await shop.parked()).toBe(0);
  });

  test('and the addition of 20 that follows parks; 80 points, never 60', async () => {
    const { shop, order } = await shops.openSold([[20, 3], 40]);
    shop.loyalty.faults.add({ kind: 'reset-after', operation: takePart, count: 1 });
    shop.refundLine(order, 0);
    await shop.store.deliveries.settled();
    await shop.connector.work();
    shop.later(60);
    shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 20 }] });
    await shop.rest();
    // The store is at 100 again; 20 were taken; the rise is for a person.
    expect(shop.points(order)).toBe(80);
    expect(Math.min(...shop.balances())).toBe(80);
    expect(await shop.parked()).toBeGreaterThan(0);
  });
});

describe('webhooks that come doubled, shuffled and late', () => {
  test.each([1, 2, 3, 4, 5, 6])('leave 35 points (run %i)', async (seed) => {
    const disorder = { shuffle: 6, duplicate: 0.5, delay: 0.4, longestDelayMs: 40, drop: 0 };
    const { shop, order } = await shops.openSold([[20, 3], 40], { seed, disorder });
    // All within a few seconds, so that most of it is delivered in another order.
    const lines = [{ lineId: order.lines[0]?.id ?? '', quantity: 1 }];
    shop.later(1);
    shop.actions.refundOrder({ orderId: order.id, lines });
    shop.actions.refundOrder({
      orderId: order.id,
      lines: [{ lineId: order.lines[1]?.id ?? '', quantity: 1 }],
    });
    shop.later(1);
    shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
    shop.actions.refundOrder({ orderId: order.id, lines });
    await shop.rest();
    expect(shop.points(order)).toBe(35);
    expect(await shop.parked()).toBe(0);
  });

  test('every webhook of the whole life again, oldest first and latest first: 35 points, no call', async () => {
    const shop = await shops.open();
    const order = await live(shop);
    shop.orderCalls();
    const sent = shop.store.deliveries.all().filter(({ topic }) => topic.startsWith('orders/'));
    expect(sent.length).toBeGreaterThan(6);
    for (const { topic, body } of [...sent, ...sent.toReversed()]) {
      const options = { secret: STORE_SECRET };
      expect(await shop.connector.post(topic, Buffer.from(body), options)).toBe(200);
    }
    await shop.connector.settle();
    expect(shop.points(order)).toBe(35);
    expect(shop.orderCalls()).toEqual([]);
  });
});

describe('a refused partial cancel', () => {
  test('on its first try is parked, and the 100 points stay', async () => {
    const { shop, order } = await shops.openSold([[20, 3], 40]);
    shop.loyalty.faults.add({ kind: 'business-error', code: 9, operation: takePart, count: 2 });
    shop.refundLine(order, 0);
    await shop.store.deliveries.settled();
    await shop.connector.work();
    expect(shop.points(order)).toBe(100);
    expect(await shop.parked()).toBeGreaterThan(0);
    // The next refund takes both: 100 − 20 − 40.
    await shop.rest();
    shop.refundLine(order, 1);
    await shop.rest();
    expect(shop.points(order)).toBe(40);
  });
});

describe('where a used key is an error of the envelope', () => {
  const others = openShops({ usedCancelKey: 'envelope-error' });

  test('a lost answer is settled by the setting of that error: 80 points, not parked', async () => {
    const { shop, order } = await others.openSold([[20, 3], 40], {
      assumptions: { usedCancelKeyError: 97 },
    });
    shop.loyalty.faults.add({ kind: 'reset-after', operation: takePart, count: 2 });
    shop.refundLine(order, 0);
    await shop.rest();
    expect(shop.points(order)).toBe(80);
    expect(await shop.parked()).toBe(0);
  });

  test('without the setting it is parked after four days with 80 points, and never taken twice', async () => {
    const { shop, order } = await others.openSold([[20, 3], 40]);
    shop.loyalty.faults.add({ kind: 'reset-after', operation: takePart, count: 2 });
    shop.refundLine(order, 0);
    await shop.store.deliveries.settled();
    for (let day = 0; day < 6; day += 1) {
      await shop.connector.work();
      shop.later(86_400);
    }
    await shop.rest();
    expect(shop.points(order)).toBe(80);
    expect(await shop.parked()).toBeGreaterThan(0);
  });
});
