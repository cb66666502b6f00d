import { describe, expect, test } from 'vitest';
import { openShops } from './open-shops.ts';

const shops = openShops();

const usual = { completeWhen: 'fulfilled' } as const;
const takeBack = { ...usual, lostDisputes: 'take-back' } as const;

const openDisputed = async (
  rules: typeof usual | typeof takeBack,
  type: 'chargeback' | 'inquiry' = 'chargeback',
) => {
  const shop = await shops.open({ rules });
  const order = shop.sell([50]);
  await shop.rest();
  expect(shop.points(order)).toBe(50);
  const change = async (changes: object) => {
    shop.later(86_400);
    shop.actions.updateDispute({ orderId: order.id, ...changes });
    await shop.rest();
  };
  shop.later(86_400);
  shop.actions.openDispute({ orderId: order.id, type });
  await shop.rest();
  return { shop, order, change };
};

describe("with lostDisputes: 'take-back', a chargeback", () => {
  test.each(['lost', 'accepted'] as const)(
    'that is %s takes the points: 50 → 50 → 50 → 0',
    async (status) => {
      const { shop, order, change } = await openDisputed(takeBack);
      expect(shop.points(order)).toBe(50);
      await change({ status: 'under_review' });
      expect(shop.points(order)).toBe(50);
      await change({ status });
      expect(shop.held(order)).toMatchObject({
        ...{ IsCompleted: true, IsCancelledOrReturned: false, points: 0 },
      });
      // A later event of the order, which says nothing of the dispute, gives nothing back.
      shop.later(60);
      shop.actions.tagOrder({ orderId: order.id, tags: ['charged back'] });
      await shop.rest();
      expect(shop.balances()).toEqual([50, 0]);
      expect(await shop.parked()).toBe(0);
    },
  );

  test.each(['won', 'prevented'] as const)('that is %s changes nothing', async (status) => {
    const { shop, change } = await openDisputed(takeBack);
    await change({ status });
    expect(shop.balances()).toEqual([50]);
    expect(await shop.parked()).toBe(0);
  });

  test('that is lost while the shipment is announced leaves nothing to earn', async () => {
    const shop = await shops.open({ rules: takeBack });
    const order = shop.buy([50]);
    shop.later(60);
    shop.actions.openDispute({ orderId: order.id });
    shop.actions.updateDispute({ orderId: order.id, status: 'lost' });
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.points(order)).toBe(0);
    expect(await shop.parked()).toBe(0);
  });
});

describe("with lostDisputes: 'take-back', an inquiry", () => {
  test('takes nothing, open or answered', async () => {
    const { shop, change } = await openDisputed(takeBack, 'inquiry');
    await change({ status: 'under_review' });
    await change({ status: 'won' });
    expect(shop.balances()).toEqual([50]);
    expect(await shop.parked()).toBe(0);
  });

  test('that becomes a chargeback and is lost takes the points', async () => {
    const { shop, change } = await openDisputed(takeBack, 'inquiry');
    await change({ type: 'chargeback' });
    expect(shop.balances()).toEqual([50]);
    await change({ status: 'lost' });
    expect(shop.balances()).toEqual([50, 0]);
    expect(await shop.parked()).toBe(0);
  });
});

test('by default, no dispute changes anything', async () => {
  const { shop, change } = await openDisputed(usual);
  await change({ status: 'lost' });
  expect(shop.balances()).toEqual([50]);
  expect(await shop.parked()).toBe(0);
});
