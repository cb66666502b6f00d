import { expect, test } from 'vitest';
import { openShops } from './open-shops.ts';

const shops = openShops();

test.each([
  { gateway: 'gift_card', after: 40, balances: [40] },
  { gateway: 'shopify_payments', after: 30, balances: [40, 30] },
])(
  'a coat of 80 and shipping of 20, half of it paid with a gift card; the shipping goes back to $gateway: 40 → $after',
  async ({ gateway, after, balances }) => {
    const shop = await shops.open();
    const order = shop.buy([80], { shipping: [{ price: 20 }], payment: 'none' });
    shop.actions.payOrder({ orderId: order.id, amount: 50, gateway: 'gift_card' });
    shop.actions.payOrder({ orderId: order.id });
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.points(order)).toBe(40);
    shop.later(60);
    shop.actions.refundOrder({ orderId: order.id, shipping: 'all', gateway });
    await shop.rest();
    expect(shop.points(order)).toBe(after);
    expect(shop.balances()).toEqual(balances);
    expect(await shop.parked()).toBe(0);
  },
);
