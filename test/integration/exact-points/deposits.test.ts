import { expect, test } from 'vitest';
import { openShops } from './open-shops.ts';

const shops = openShops();

test('a deposit of 20 for a sofa of 40, of which 5 are refunded, is not sent until the rest is paid: 35', async () => {
  const shop = await shops.open({ rules: { completeWhen: 'paid' } });
  const order = shop.buy([40], { payment: 'none' });
  const orderId = order.id;
  shop.later(60);
  shop.actions.payOrder({ orderId, amount: 20 });
  await shop.rest();
  expect(shop.held(order)).toBeUndefined();
  shop.later(60);
  shop.actions.refundOrder({ orderId, amount: 5 });
  await shop.rest();
  expect(shop.held(order)).toBeUndefined();
  shop.later(60);
  // The 5.00 are given away, so 20.00 are owed.
  shop.actions.payOrder({ orderId });
  await shop.rest();
  expect(shop.balances()).toEqual([35]);
  expect(await shop.parked()).toBe(0);
});

test('an order that was paid in full stays completed after a refund of a part: 40 → 35 points', async () => {
  const shop = await shops.open({ rules: { completeWhen: 'paid' } });
  const order = shop.buy([40]);
  await shop.rest();
  shop.later(60);
  shop.actions.refundOrder({ orderId: order.id, amount: 5 });
  await shop.rest();
  expect(shop.balances()).toEqual([40, 35]);
});

test('an order that was paid in full and refunded in part before it was sent earns 35', async () => {
  const shop = await shops.open({ rules: { completeWhen: 'paid' } });
  const order = shop.buy([40]);
  shop.actions.refundOrder({ orderId: order.id, amount: 5 });
  await shop.rest();
  expect(shop.balances().at(-1)).toBe(35);
  expect(await shop.parked()).toBe(0);
});

test('a deposit that is refunded in full is never sent', async () => {
  const shop = await shops.open({ rules: { completeWhen: 'paid' } });
  const order = shop.buy([40], { payment: 'none' });
  shop.later(60);
  shop.actions.payOrder({ orderId: order.id, amount: 20 });
  shop.later(60);
  shop.actions.refundOrder({ orderId: order.id, amount: 20 });
  await shop.rest();
  expect(shop.points(order)).toBe(0);
  expect(shop.orderCalls()).not.toContain('sendOrder');
  expect(await shop.parked()).toBe(0);
});
