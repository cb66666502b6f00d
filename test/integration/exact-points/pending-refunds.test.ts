import { describe, expect, test } from 'vitest';
import { openShops, type Shop } from './open-shops.ts';

const shops = openShops();

/** What the store writes beside pending money is recorded without its order: each must count the same. */
const FORMS = ['balanced', 'paired', 'rise'] as const;

describe.each(FORMS)('money of a refund that is on its way (%s)', (pending) => {
  const openWithRefunds = async () => {
    const { shop, order } = await shops.openSold([100]);
    const refund = async (changes: object) => {
      shop.later(60);
      shop.actions.refundOrder({ orderId: order.id, ...changes });
      await shop.rest();
    };
    return { shop, order, refund };
  };
  const settle = async (shop: Shop, orderId: string, outcome: 'success' | 'failure') => {
    shop.later(86_400);
    shop.actions.settleRefund({ orderId, outcome });
    await shop.rest();
  };

  test('counts when it arrives: 100 → 80 → 80 → 70 points, and nothing is parked', async () => {
    const { shop, order, refund } = await openWithRefunds();
    await refund({ amount: 20 });
    expect(shop.points(order)).toBe(80);
    await refund({ amount: 10, pending });
    expect(shop.points(order)).toBe(80);
    await settle(shop, order.id, 'success');
    expect(shop.points(order)).toBe(70);
    expect(shop.balances()).toEqual([100, 80, 70]);
    expect(await shop.parked()).toBe(0);
  });

  test('never counts where it fails: 100 → 80 → 80 → 80 points', async () => {
    const { shop, order, refund } = await openWithRefunds();
    await refund({ amount: 20 });
    await refund({ amount: 10, pending });
    await settle(shop, order.id, 'failure');
    expect(shop.balances()).toEqual([100, 80]);
    expect(await shop.parked()).toBe(0);
  });

  test('of a piece that is back already: 20 → 10 points, before and after it arrives', async () => {
    const { shop, order } = await shops.openSold([[10, 2]]);
    shop.refundLine(order, 0, 1, { pending });
    await shop.rest();
    expect(shop.points(order)).toBe(10);
    await settle(shop, order.id, 'success');
    expect(shop.balances()).toEqual([20, 10]);
    expect(await shop.parked()).toBe(0);
  });

  test('of everything: 100 points until it arrives, then cancelled', async () => {
    const { shop, order, refund } = await openWithRefunds();
    await refund({ amount: 100, pending });
    expect(shop.points(order)).toBe(100);
    await settle(shop, order.id, 'success');
    expect(shop.held(order)).toMatchObject({ IsCancelledOrReturned: true, points: 0 });
    expect(await shop.parked()).toBe(0);
  });
});
