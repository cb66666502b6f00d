import { describe, expect, test } from 'vitest';
import { openShops } from './open-shops.ts';

const shops = openShops();

describe.each([
  ['voided', 'voidPayment'],
  ['expired', 'expirePayment'],
] as const)('an order of 50 whose payment is %s', (_status, end) => {
  test('before it is shipped: not sent; paid later, it earns 50', async () => {
    const shop = await shops.open();
    const order = shop.buy([50], { payment: 'authorized' });
    shop.later(60);
    shop.actions[end]({ orderId: order.id });
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.points(order)).toBe(0);
    shop.later(60);
    shop.actions.payOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.balances()).toEqual([50]);
    expect(await shop.parked()).toBe(0);
  });

  test('after it was shipped: 50 → 0 points, not cancelled; paid later, 50 again', async () => {
    const shop = await shops.open({ assumptions: { raiseAfterPartialCancel: 'send-gross' } });
    const order = shop.buy([50], { payment: 'authorized' });
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.points(order)).toBe(50);
    shop.later(86_400);
    shop.actions[end]({ orderId: order.id });
    await shop.rest();
    expect(shop.held(order)).toMatchObject({
      ...{ IsCompleted: true, IsCancelledOrReturned: false, points: 0 },
    });
    shop.later(86_400);
    shop.actions.payOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.balances()).toEqual([50, 0, 50]);
    expect(await shop.parked()).toBe(0);
  });

  test('after it was shipped, and paid later: parked by default, because the amount rises', async () => {
    const shop = await shops.open();
    const order = shop.sell([50], { payment: 'authorized' });
    await shop.rest();
    shop.later(60);
    shop.actions[end]({ orderId: order.id });
    await shop.rest();
    shop.later(60);
    shop.actions.payOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.balances()).toEqual([50, 0]);
    expect(await shop.parked()).toBe(1);
  });
});
