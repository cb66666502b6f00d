import { expect, test } from 'vitest';
import { openShops } from './open-shops.ts';

const shops = openShops();

test('an order that is paid after 32 days is completed when it was paid', async () => {
  const shop = await shops.open({ rules: { completeWhen: 'paid' } });
  const order = shop.buy([50], { payment: 'none' });
  await shop.rest();
  shop.later(32 * 86_400);
  const { transactions } = shop.actions.payOrder({ orderId: order.id });
  const paidAt = transactions.at(-1)?.processedAt ?? '';
  await shop.rest();
  expect(shop.points(order)).toBe(50);
  expect(Date.parse(shop.held(order)?.OrderCompletedDate ?? '')).toBe(Date.parse(paidAt));
  expect(Date.parse(paidAt) - Date.parse(order.processedAt)).toBe(32 * 86_400_000);
});

test('an order that is paid in two parts is completed at the later one', async () => {
  const shop = await shops.open({ rules: { completeWhen: 'paid' } });
  const order = shop.buy([50], { payment: 'none' });
  shop.later(86_400);
  shop.actions.payOrder({ orderId: order.id, amount: 20 });
  shop.later(86_400);
  const { transactions } = shop.actions.payOrder({ orderId: order.id });
  shop.later(3600);
  shop.actions.tagOrder({ orderId: order.id, tags: ['seen'] });
  await shop.rest();
  const paidAt = Date.parse(transactions.at(-1)?.processedAt ?? '');
  expect(Date.parse(shop.held(order)?.OrderCompletedDate ?? '')).toBe(paidAt);
});

test('an order that is paid at once is completed when it was placed', async () => {
  const shop = await shops.open({ rules: { completeWhen: 'paid' } });
  const order = shop.buy([50]);
  await shop.rest();
  const completedAt = shop.held(order)?.OrderCompletedDate ?? '';
  expect(Date.parse(completedAt)).toBe(Date.parse(order.processedAt));
});
