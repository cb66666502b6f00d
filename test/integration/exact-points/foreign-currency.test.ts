import { describe, expect, test } from 'vitest';
import { STORE_SECRET } from '../../support/store-and-connector.ts';
import { openShops, type Shop } from './open-shops.ts';

const shops = openShops();

const inDollars = { presentment: { currency: 'USD', rate: 0.2 } };

/** Delivers the newest body of the order itself, and nothing else. */
async function deliverOrder(shop: Shop): Promise<void> {
  const sent = shop.store.deliveries.all().filter(({ topic }) => topic === 'orders/updated');
  const body = Buffer.from(sent.at(-1)?.body ?? '');
  await shop.connector.deliver(['orders/updated', body, { secret: STORE_SECRET }]);
}

describe('an order of 500 BRL that is paid in US dollars', () => {
  test.each(['park', 'send-gross'] as const)(
    'less 100 BRL (20 USD) without a line: 500 → 400 points, once (%s)',
    async (raiseAfterPartialCancel) => {
      const shop = await shops.open({
        shop: { currency: 'BRL' },
        assumptions: { raiseAfterPartialCancel },
      });
      const order = shop.sell([500], inDollars);
      await shop.rest();
      shop.later(60);
      shop.actions.refundOrder({ orderId: order.id, amount: 100 });
      await shop.rest();
      expect(shop.points(order)).toBe(400);
      shop.later(60);
      shop.actions.tagOrder({ orderId: order.id, tags: ['checked'] });
      await shop.rest();
      expect(shop.balances()).toEqual([500, 400]);
      expect(await shop.parked()).toBe(0);
    },
  );

  test('less 100 BRL by the webhook of the order alone: 400 points', async () => {
    const shop = await shops.open({ shop: { currency: 'BRL' }, disorder: { drop: 1 } });
    const order = shop.sell([500], inDollars);
    await deliverOrder(shop);
    shop.later(60);
    shop.actions.refundOrder({ orderId: order.id, amount: 100 });
    await deliverOrder(shop);
    expect(shop.points(order)).toBe(400);
    shop.later(60);
    shop.actions.tagOrder({ orderId: order.id, tags: ['checked'] });
    await deliverOrder(shop);
    expect(shop.balances()).toEqual([500, 400]);
    expect(await shop.parked()).toBe(0);
  });

  test('less one of two lines and its shipping: 500 → 300 → 300 points', async () => {
    const shop = await shops.open({ shop: { currency: 'BRL' } });
    const order = shop.sell([200, 300], { ...inDollars, shipping: [{ price: 35 }] });
    await shop.rest();
    shop.refundLine(order, 0);
    await shop.rest();
    shop.later(60);
    shop.actions.refundOrder({ orderId: order.id, shipping: 'all' });
    await shop.rest();
    expect(shop.balances()).toEqual([500, 300]);
    expect(await shop.parked()).toBe(0);
  });

  test('half of it paid with a gift card, and 50 BRL of that given back: 250 → 250 points', async () => {
    const shop = await shops.open({ shop: { currency: 'BRL' } });
    const order = shop.buy([500], { ...inDollars, payment: 'none' });
    shop.actions.payOrder({ orderId: order.id, amount: 250, gateway: 'gift_card' });
    shop.actions.payOrder({ orderId: order.id });
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.points(order)).toBe(250);
    shop.later(60);
    // 450 are left, of which the gift card paid 200.
    shop.actions.refundOrder({ orderId: order.id, amount: 50, gateway: 'gift_card' });
    await shop.rest();
    expect(shop.balances()).toEqual([250]);
    expect(await shop.parked()).toBe(0);
  });
});

test.each([
  // The customer's money has 0, 3 and 2 decimals, at rates above and below 1.
  { currency: 'EUR', presentment: { currency: 'JPY', rate: 161.37 }, left: 66.67 },
  { currency: 'EUR', presentment: { currency: 'KWD', rate: 0.3317 }, left: 66.67 },
  { currency: 'EUR', presentment: { currency: 'USD', rate: 1.0837 }, left: 66.67 },
  { currency: 'JPY', presentment: { currency: 'USD', rate: 0.0062 }, left: 67 },
])(
  '100 $currency paid in $presentment.currency, a third refunded without a line: $left points',
  async ({ currency, presentment, left }) => {
    const shop = await shops.open({ shop: { currency } });
    const order = shop.sell([100], { presentment });
    await shop.rest();
    shop.later(60);
    const amount = currency === 'JPY' ? '33' : '33.33';
    shop.actions.refundOrder({ orderId: order.id, amount });
    await shop.rest();
    expect(shop.balances()).toEqual([100, left]);
    expect(await shop.parked()).toBe(0);
  },
);
