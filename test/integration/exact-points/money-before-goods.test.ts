import { expect, test } from 'vitest';
import { openShops, type Shop } from './open-shops.ts';

const shops = openShops();

/** Two pieces of 50, of which an edit removes one. */
async function openTwoPieces(): Promise<{
  readonly shop: Shop;
  readonly payBack: () => Promise<number>;
  readonly removeOne: () => Promise<number>;
}> {
  const { shop, order } = await shops.openSold([[50, 2]]);
  const orderId = order.id;
  const after = async (act: () => unknown) => {
    shop.later(60);
    act();
    await shop.rest();
    return shop.points(order);
  };
  const set = [{ lineId: order.lines[0]?.id ?? '', quantity: 1 }];
  return {
    shop,
    payBack: () => after(() => shop.actions.refundOrder({ orderId, amount: 50 })),
    removeOne: () => after(() => shop.actions.editOrder({ orderId, set })),
  };
}

test('money back first, the goods removed by an edit afterwards: 100 → 50 → 50 points', async () => {
  const { shop, payBack, removeOne } = await openTwoPieces();
  expect(await payBack()).toBe(50);
  expect(await removeOne()).toBe(50);
  expect(shop.balances()).toEqual([100, 50]);
  expect(await shop.parked()).toBe(0);
});

test('the goods removed first, the money back afterwards: 100 → 50 → 50 points', async () => {
  const { shop, payBack, removeOne } = await openTwoPieces();
  expect(await removeOne()).toBe(50);
  expect(await payBack()).toBe(50);
  expect(shop.balances()).toEqual([100, 50]);
  expect(await shop.parked()).toBe(0);
});

test('money back for two of three pieces, one removed, then the other: 90 → 30 → 30 → 30 points', async () => {
  const { shop, order } = await shops.openSold([[30, 3]]);
  const orderId = order.id;
  const lineId = order.lines[0]?.id ?? '';
  shop.later(60);
  shop.actions.refundOrder({ orderId, amount: 60 });
  await shop.rest();
  for (const quantity of [2, 1]) {
    shop.later(60);
    shop.actions.editOrder({ orderId, set: [{ lineId, quantity }] });
    await shop.rest();
  }
  expect(shop.balances()).toEqual([90, 30]);
  expect(await shop.parked()).toBe(0);
});

test('a kindness after a cheaper exchange is a part of what the edit took out: 8600 → 8000 points', async () => {
  const { shop, order } = await shops.openSold([8600]);
  const orderId = order.id;
  shop.later(60);
  const set = [{ lineId: order.lines[0]?.id ?? '', quantity: 0 }];
  shop.actions.editOrder({ orderId, set, add: [{ title: 'Coat', price: 8000 }] });
  await shop.rest();
  for (const amount of [600, 100]) {
    shop.later(60);
    shop.actions.refundOrder({ orderId, amount });
    await shop.rest();
  }
  expect(shop.balances()).toEqual([8600, 8000]);
  expect(await shop.parked()).toBe(0);
});
