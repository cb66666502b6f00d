import { describe, expect, test } from 'vitest';
import { openShops } from './open-shops.ts';

const shops = openShops();

describe('a refund without a line that exceeds the goods', () => {
  test.each([
    // Goods of 50.00 first, then tips and duties.
    { orderTotal: 'total-less-shipping', extras: { tip: 3 }, before: 53, after: 2 },
    { orderTotal: 'total-less-shipping', extras: { duties: 3 }, before: 53, after: 2 },
    { orderTotal: 'total-less-shipping', extras: { tip: 2, duties: 1 }, before: 53, after: 2 },
    { orderTotal: 'subtotal', extras: { tip: 3 }, before: 50, after: 0 },
  ] as const)(
    '$orderTotal, $extras: 51.00 of 60.00 refunded, $before → $after points',
    async ({ orderTotal, extras, before, after }) => {
      const shop = await shops.open({ rules: { orderTotal } });
      const order = shop.sell([50], { ...extras, shipping: [{ price: 7 }] });
      await shop.rest();
      expect(shop.points(order)).toBe(before);
      shop.later(60);
      shop.actions.refundOrder({ orderId: order.id, amount: 51 });
      await shop.rest();
      expect(shop.points(order)).toBe(after);
      expect(await shop.parked()).toBe(0);
    },
  );
});

test('a refund of 20.00 of 50.00 of goods takes nothing of the tip: 53 → 33 points', async () => {
  const shop = await shops.open({ rules: { orderTotal: 'total-less-shipping' } });
  const order = shop.sell([50], { tip: 3 });
  await shop.rest();
  shop.later(60);
  shop.actions.refundOrder({ orderId: order.id, amount: 20 });
  await shop.rest();
  expect(shop.balances()).toEqual([53, 33]);
});
