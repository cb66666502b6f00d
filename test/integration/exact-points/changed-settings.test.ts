import { expect, test } from 'vitest';
import { openShops } from './open-shops.ts';
import { changeSettings } from './orders-worker.ts';

const shops = openShops();

test.each([
  // Two pieces of 60 with 10 of taxes in each.
  { before: { taxes: 'include' }, after: { taxes: 'exclude' }, all: 120 },
  { before: { taxes: 'exclude' }, after: { taxes: 'include' }, all: 100 },
] as const)(
  '$before to $after: the $all points stay, also after an event of no weight',
  async ({ before, after, all }) => {
    const shop = await shops.open({ rules: before });
    const order = shop.sell([[60, 2]], {
      taxes: [{ title: 'VAT', rate: 0.2 }],
      taxesIncluded: true,
    });
    await shop.rest();
    expect(shop.points(order)).toBe(all);
    shop.orderCalls();
    const rest = changeSettings(shop, { rules: after });
    shop.later(60);
    shop.actions.tagOrder({ orderId: order.id, tags: ['checked'] });
    await rest();
    expect(shop.points(order)).toBe(all);
    expect(shop.orderCalls()).toEqual([]);
    // A refund of one of the two takes half, and nothing for the changed rule.
    shop.refundLine(order, 0);
    await rest();
    expect(shop.points(order)).toBe(all / 2);
  },
);

test('giftCards changed from earn-when-used to earn-when-bought: the 80 points of a gift card order stay', async () => {
  const shop = await shops.open({ rules: { giftCards: 'earn-when-used' } });
  const order = shop.sell([80], { gateway: 'gift_card' });
  await shop.rest();
  expect(shop.points(order)).toBe(80);
  const rest = changeSettings(shop, { rules: { giftCards: 'earn-when-bought' } });
  shop.later(60);
  shop.actions.tagOrder({ orderId: order.id, tags: ['checked'] });
  await rest();
  expect(shop.balances()).toEqual([80]);
});

test('refunds changed to resend: an order with something taken stays with partial cancels, 80 → 40', async () => {
  const shop = await shops.open();
  const order = shop.sell([[20, 3], 40]);
  const other = shop.sell([[20, 3], 40]);
  await shop.rest();
  shop.refundLine(order, 0);
  await shop.rest();
  const rest = changeSettings(shop, { assumptions: { refunds: 'resend' } });
  shop.refundLine(order, 1);
  shop.refundLine(other, 1);
  await rest();
  expect(shop.held(order)).toMatchObject({ OrderTotal: 100, points: 40 });
  expect(shop.held(other)).toMatchObject({ OrderTotal: 60, partialCancels: [], points: 60 });
});

test('pendingOrders changed from send to skip: what was sent is still corrected, completed and cancelled', async () => {
  const shop = await shops.open({ rules: { pendingOrders: 'send' } });
  const orders = [1, 2, 3].map(() => shop.buy([60, 40]));
  await shop.rest();
  const [refunded, completed, cancelled] = orders;
  if (!refunded || !completed || !cancelled) throw new Error('three orders');
  const rest = changeSettings(shop, { rules: { pendingOrders: 'skip' } });
  shop.refundLine(refunded, 1);
  shop.actions.fulfilOrder({ orderId: completed.id });
  shop.actions.cancelOrder({ orderId: cancelled.id });
  await rest();
  expect(shop.held(refunded)).toMatchObject({ OrderTotal: 60, IsCompleted: false, points: 0 });
  expect(shop.held(completed)).toMatchObject({ IsCompleted: true, points: 100 });
  expect(shop.held(cancelled)).toMatchObject({ IsCancelledOrReturned: true, points: 0 });
});
