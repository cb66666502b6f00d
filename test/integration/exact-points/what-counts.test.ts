import { describe, expect, test } from 'vitest';
import { openShops, type Shop } from './open-shops.ts';

const shops = openShops();

const GIFT_CARD = 'gift_card';
const STORE_CREDIT = 'shopify_store_credit';

/** A coat of 80.00 with shipping of 20.00, of which this much is paid so, and the rest by card. */
function buyWith(shop: Shop, gateway: string, amount: number) {
  const order = shop.buy([80], { shipping: [{ price: 20 }], payment: 'none' });
  shop.actions.payOrder({ orderId: order.id, amount, gateway });
  if (amount < 100) shop.actions.payOrder({ orderId: order.id });
  shop.later(60);
  return shop.actions.fulfilOrder({ orderId: order.id });
}

describe('gift cards', () => {
  // Used: 50 of 100 by gift card, which is half of the coat: 80 − 40 = 40, or all of the coat where it earns then.
  test.each([
    { giftCards: 'earn-when-bought', bought: 100, used: 0, part: 40 },
    { giftCards: 'earn-when-used', bought: 0, used: 80, part: 80 },
    { giftCards: 'never', bought: 0, used: 0, part: 40 },
  ] as const)(
    '$giftCards: a card of 100 earns $bought when bought, a coat of 80 earns $used when paid with it, $part in part',
    async ({ giftCards, bought, used, part }) => {
      const shop = await shops.open({ rules: { giftCards } });
      const lines = [{ title: 'Gift card', price: 100, giftCard: true }];
      const card = shop.sell([], { lines });
      const wholly = buyWith(shop, GIFT_CARD, 100);
      const partly = buyWith(shop, GIFT_CARD, 50);
      const credit = buyWith(shop, STORE_CREDIT, 50);
      const money = buyWith(shop, 'shopify_payments', 50);
      await shop.rest();
      expect(shop.points(card)).toBe(bought);
      expect(shop.points(wholly)).toBe(used);
      expect(shop.points(partly)).toBe(part);
      // Store credit is treated like a gift card; two payments by card are not.
      expect(shop.points(credit)).toBe(part);
      expect(shop.points(money)).toBe(80);
      expect(shop.balance()).toBe(bought + used + 2 * part + 80);
      expect(await shop.parked()).toBe(0);
      // Only where gift cards pay for nothing are their amounts read from the store.
      const asked = shop.store.journal.entries().length;
      if (giftCards === 'earn-when-used') expect(asked).toBe(0);
      else expect(asked).toBeGreaterThan(0);
    },
  );

  test('all of an order paid with two gift cards: sent, with 0 points', async () => {
    const shop = await shops.open();
    const order = shop.buy([50], { payment: 'none' });
    for (const amount of [20, 30]) {
      shop.actions.payOrder({ orderId: order.id, amount, gateway: GIFT_CARD });
    }
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.held(order)).toMatchObject({ OrderTotal: 0, IsCompleted: true });
    expect(shop.points(order)).toBe(0);
  });

  test('a gift card of 100 and a shirt of 30 in one order: 130, 30 or 30 points', async () => {
    for (const [giftCards, points] of [
      ['earn-when-bought', 130],
      ['earn-when-used', 30],
      ['never', 30],
    ] as const) {
      const shop = await shops.open({ rules: { giftCards } });
      const lines = [
        { title: 'Gift card', price: 100, giftCard: true },
        { title: 'Shirt', price: 30 },
      ];
      const order = shop.sell([], { lines });
      await shop.rest();
      expect(shop.points(order), giftCards).toBe(points);
    }
  });

  test('a refund of a part-paid order: 60 → 10 points when the money goes back to the bank card', async () => {
    const shop = await shops.open();
    const order = shop.buy([[50, 2]], { payment: 'none' });
    shop.actions.payOrder({ orderId: order.id, amount: 40, gateway: GIFT_CARD });
    shop.actions.payOrder({ orderId: order.id });
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.points(order)).toBe(60);
    // The store pays back the latest payment first: 50.00 of the 60.00 by bank card. 100 − 50 − 40 = 10.
    shop.refundLine(order, 0);
    await shop.rest();
    expect(shop.points(order)).toBe(10);
  });

  test('and 60 → 50 points when the gift card gets its 40 back first', async () => {
    const shop = await shops.open();
    const order = shop.buy([[50, 2]], { payment: 'none' });
    shop.actions.payOrder({ orderId: order.id, amount: 60 });
    shop.actions.payOrder({ orderId: order.id, gateway: GIFT_CARD });
    shop.later(60);
    shop.actions.fulfilOrder({ orderId: order.id });
    await shop.rest();
    expect(shop.points(order)).toBe(60);
    // The latest payment is the gift card: 40 go back to it, 10 to the bank card. Kept: 50, all of it paid in money.
    shop.refundLine(order, 0);
    await shop.rest();
    expect(shop.points(order)).toBe(50);
  });
});

describe('taxes of 20 %', () => {
  const taxes = [{ title: 'VAT', rate: 0.2 }];
  // Prices of 60 that include them hold 10 of taxes; on top of 60 come 12.
  test.each([
    { rule: 'exclude', taxesIncluded: true, one: 50, all: 100 },
    { rule: 'include', taxesIncluded: true, one: 60, all: 120 },
    { rule: 'exclude', taxesIncluded: false, one: 60, all: 120 },
    { rule: 'include', taxesIncluded: false, one: 72, all: 144 },
  ] as const)(
    'taxes: $rule, included in prices: $taxesIncluded: two pieces of 60.00 earn $all, and $one after a refund of one',
    async ({ rule, taxesIncluded, one, all }) => {
      const shop = await shops.open({ rules: { taxes: rule } });
      // Shipping has taxes of its own, which never count.
      const shipping = [{ price: 12 }];
      const order = shop.sell([[60, 2]], { taxes, taxesIncluded, shipping });
      await shop.rest();
      expect(shop.points(order)).toBe(all);
      shop.refundLine(order, 0);
      await shop.rest();
      expect(shop.points(order)).toBe(one);
      shop.later(60);
      shop.actions.refundOrder({ orderId: order.id, shipping: 'all' });
      await shop.rest();
      expect(shop.points(order)).toBe(one);
    },
  );

  test('a third of the money back without lines takes a third of the points: 60 incl. taxes, 50 → 33.33', async () => {
    const shop = await shops.open();
    const order = shop.sell([60], { taxes, taxesIncluded: true });
    await shop.rest();
    shop.later(60);
    shop.actions.refundOrder({ orderId: order.id, amount: 20 });
    await shop.rest();
    // 50 × 40 / 60 = 33.333…
    expect(shop.points(order)).toBe(33.33);
  });

  test('a line without taxes beside one with: 60 + 60 with 10 taxes in one of them earn 110', async () => {
    const shop = await shops.open();
    const lines = [
      { title: 'Coat', price: 60 },
      { title: 'Book', price: 60, taxable: false },
    ];
    const order = shop.sell([], { lines, taxes, taxesIncluded: true });
    await shop.rest();
    expect(shop.points(order)).toBe(110);
    shop.refundLine(order, 1);
    await shop.rest();
    expect(shop.points(order)).toBe(50);
  });
});

describe('what is not goods', () => {
  test('discounts on goods lower the points, discounts on shipping do not, tips never count', async () => {
    const shop = await shops.open();
    const shipping = [{ price: 7 }];
    const off = shop.sell([60, 40], { shipping, discounts: [{ title: 'Regular', amount: 10 }] });
    const percent = shop.sell([60, 40], { discounts: [{ code: 'TENTH', percentage: 10 }] });
    const free = shop.sell([100], { shipping, discounts: [{ code: 'SHIPFREE' }] });
    const tip = shop.sell([100], { shipping, tip: 15, duties: 5 });
    await shop.rest();
    expect([off, percent, free, tip].map(shop.points)).toEqual([90, 90, 100, 100]);
    // 60 of 100 less a tenth each: 54 is left when the socks of 36 go.
    shop.refundLine(percent, 1);
    await shop.rest();
    expect(shop.points(percent)).toBe(54);
  });

  test('with total-less-shipping tips and duties count: 100 + 15 + 5 = 120', async () => {
    const shop = await shops.open({ rules: { orderTotal: 'total-less-shipping' } });
    const order = shop.sell([100], { shipping: [{ price: 7 }], tip: 15, duties: 5 });
    await shop.rest();
    expect(shop.points(order)).toBe(120);
  });

  test('an order of 0.00 earns 0 points, is not parked, and cancels', async () => {
    const shop = await shops.open();
    const free = shop.sell([100], { discounts: [{ code: 'GIFT', percentage: 100 }] });
    const zero = shop.sell([0]);
    await shop.rest();
    expect(shop.balance()).toBe(0);
    shop.later(60);
    shop.actions.cancelOrder({ orderId: free.id });
    shop.actions.cancelOrder({ orderId: zero.id });
    await shop.rest();
    expect(shop.balance()).toBe(0);
    expect(await shop.parked()).toBe(0);
  });
});

describe('currencies', () => {
  test('yen have no decimals: 10000 less a third is 6667 points, 3333 after a refund of one of two', async () => {
    const shop = await shops.open({ shop: { currency: 'JPY' } });
    const discounts = [{ title: 'Third', amount: 3333 }];
    const order = shop.sell([[5000, 2]], { discounts });
    await shop.rest();
    expect(shop.points(order)).toBe(6667);
    shop.refundLine(order, 0);
    await shop.rest();
    // The store pays back 3333.5, rounded up to 3334.
    expect(shop.points(order)).toBe(3333);
    shop.later(60);
    shop.actions.refundOrder({ orderId: order.id, amount: 333 });
    await shop.rest();
    expect(shop.points(order)).toBe(3000);
  });

  test('dinars have three decimals: 12.345 is sent exactly, and 4.115 after two refunds of 4.115', async () => {
    const { shop, order } = await shops.openSold([['4.115', 3]], { shop: { currency: 'KWD' } });
    expect(shop.held(order)?.OrderTotal).toBe(12.345);
    shop.refundLine(order, 0);
    await shop.rest();
    shop.refundLine(order, 0);
    await shop.rest();
    const values = shop.loyalty.journal
      .entries({ operation: 'partiallyCancelPosOrder' })
      .map(({ body }) => (body as { readonly ValueToRefund: number }).ValueToRefund);
    expect(values).toEqual([4.115, 4.115]);
    expect(await shop.parked()).toBe(0);
  });
});
