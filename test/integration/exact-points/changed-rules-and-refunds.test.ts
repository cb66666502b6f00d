import { describe, expect, test } from 'vitest';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import { openShops } from './open-shops.ts';
import { changeSettings } from './orders-worker.ts';

const shops = openShops();

/** 9.50 on 50.00. */
const onTop = { taxes: [{ title: 'VAT', rate: 0.19 }], taxesIncluded: false };

/** An order that was sent under the first rules; its later events are worked on under the others. */
async function openChanged(
  before: MappingSettings,
  after: MappingSettings,
  price: number,
  draft: object,
) {
  const shop = await shops.open({ rules: before });
  const order = shop.sell([price], draft);
  await shop.rest();
  const rest = changeSettings(shop, { rules: after });
  shop.later(60);
  return { shop, order, orderId: order.id, rest };
}

describe('after the rules changed, a refund without a line', () => {
  test.each([
    // 50.00 of 59.50 went back, so 9.50 of 59.50 is left: 50 × 9.5 / 59.5, or 9.5.
    { before: 'exclude', after: 'include', sent: 50, left: 7.98 },
    { before: 'include', after: 'exclude', sent: 59.5, left: 9.5 },
  ] as const)(
    'of 50.00, taxes on top, $before → $after: $sent → $left points',
    async ({ before, after, sent, left }) => {
      const { shop, orderId, rest } = await openChanged(
        { taxes: before },
        { taxes: after },
        50,
        onTop,
      );
      shop.actions.refundOrder({ orderId, amount: 50 });
      await rest();
      expect(shop.balances()).toEqual([sent, left]);
      shop.later(60);
      shop.actions.tagOrder({ orderId, tags: ['checked'] });
      await rest();
      expect(shop.balances()).toEqual([sent, left]);
      expect(await shop.parked()).toBe(0);
    },
  );

  test('of two parts of an order takes each once: 50 → 40 → 30 points', async () => {
    const { shop, orderId, rest } = await openChanged(
      { taxes: 'exclude' },
      { taxes: 'include' },
      50,
      onTop,
    );
    for (const points of [40, 30]) {
      // 11.90 with 1.90 of taxes.
      shop.actions.refundOrder({ orderId, amount: 11.9 });
      await rest();
      expect(shop.balances().at(-1)).toBe(points);
      shop.later(60);
    }
    expect(await shop.parked()).toBe(0);
  });
});

test('after the rules changed, a tip that was sent stays, once: 123 → 183 points', async () => {
  const { shop, orderId, rest } = await openChanged(
    { orderTotal: 'total-less-shipping' },
    { orderTotal: 'subtotal' },
    120,
    { tip: 3 },
  );
  shop.actions.editOrder({ orderId, add: [{ title: 'Coat', price: 60 }] });
  await rest();
  expect(shop.balances()).toEqual([123, 183]);
  expect(await shop.parked()).toBe(0);
});
