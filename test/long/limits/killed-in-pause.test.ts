import { describe, expect, test } from 'vitest';
import { openShops, type Shop } from '../../integration/exact-points/open-shops.ts';
import { outsideOf, startOrdersWorker } from '../../integration/exact-points/orders-worker.ts';
import { openLine, type Treatment } from '../../support/outside-line.ts';

const shops = openShops();
const DAY = 86_400;

/**
 * One batch of orders, with the pause made while its nth call is under way. `dies`: the worker makes no further call.
 * Returns the number of its calls.
 */
async function pauseDuring(shop: Shop, index: number, dies: boolean): Promise<number> {
  const line = await openLine(outsideOf(shop), async (call): Promise<Treatment> => {
    if (call.index !== index) return 'pass';
    await shop.connector.pauseShop();
    return dies ? 'killed-after' : 'pass';
  });
  const work = startOrdersWorker(line.addresses);
  await Promise.race([work().catch(() => undefined), line.death]);
  await line.close();
  return line.calls.length;
}

/** Works on what there is while the shop is paused, for three days more than the retry window. */
async function stayPaused(shop: Shop): Promise<void> {
  for (let passed = 0; passed < 7 * DAY; passed += DAY / 2) {
    while ((await shop.connector.work()) > 0);
    shop.later(DAY / 2);
  }
}

describe.each([
  ['goes on', false],
  ['dies', true],
])('a worker that %s', (_, dies) => {
  test('when its shop is paused at any call of a refund of 20 of 100: 80 points', async () => {
    const shop = await shops.open();
    let index = 0;
    for (; ; index += 1) {
      const order = shop.sell([[20, 3], 40]);
      await shop.rest();
      shop.refundLine(order, 0);
      await shop.store.deliveries.settled();
      const calls = await pauseDuring(shop, index, dies);
      if (calls <= index) break;
      await stayPaused(shop);
      await shop.connector.resumeShop();
      await shop.rest();
      expect(shop.points(order), `paused at call ${index}`).toBe(80);
      expect(await shop.parked(), `paused at call ${index}`).toBe(0);
    }
    expect(index).toBeGreaterThan(4);
  });
});

test('workers that die one after the other while the shop is paused take nothing and lose nothing', async () => {
  const { shop, order } = await shops.openSold([[20, 3], 40]);
  await shop.connector.pauseShop();
  shop.refundLine(order, 0);
  await shop.store.deliveries.settled();
  const before = shop.points(order);
  shop.orderCalls();
  for (let index = 0; index < 12; index += 1) {
    const line = await openLine(outsideOf(shop), (call) =>
      call.index === index ? 'killed-after' : 'pass',
    );
    const work = startOrdersWorker(line.addresses);
    await Promise.race([work().catch(() => undefined), line.death]);
    await line.close();
    // The messages of a dead worker are visible again after six minutes.
    shop.later(7_200);
  }
  expect(shop.points(order)).toBe(before);
  expect(shop.orderCalls()).toEqual([]);
  await shop.connector.resumeShop();
  await shop.rest();
  expect(shop.points(order)).toBe(80);
  expect(shop.orderCalls()).toEqual(['partiallyCancelPosOrder']);
  expect(await shop.parked()).toBe(0);
});
