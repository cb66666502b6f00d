import { describe, expect, test } from 'vitest';
import type { StoreCoupon } from '../../../shared/store/store-entities.ts';
import { storeCoupon } from '../../fixtures/store-entities.ts';
import {
  type RunningConnector,
  runConnectors,
  SECOND_SHOP,
  SHOP,
} from '../../support/running-connector.ts';
import { openShops } from './open-shops.ts';

describe('a percentage', () => {
  const shops = openShops();

  test('a coupon of a third is 33.3333 %, and its order of 100 earns 66.67 points', async () => {
    const shop = await shops.open();
    const third = { title: 'A third', percentage: 100 / 3, codes: ['THIRD'] };
    const least = { title: 'Next to nothing', percentage: 0.0001, codes: ['LEAST'] };
    shop.actions.createDiscount(third);
    shop.actions.createDiscount(least);
    const order = shop.sell([100], { discounts: [{ code: 'THIRD' }] });
    await shop.rest();
    const values = shop.loyalty.state().coupons.map((one) => [one.CouponCode, one.CouponValue]);
    expect(Object.fromEntries(values)).toEqual({ THIRD: 33.3333, LEAST: 0.0001 });
    // The store takes 33.333 of 100, which is 33.33.
    expect(shop.held(order)).toMatchObject({ points: 66.67, Coupon: 'THIRD' });
  });
});

const CODE = 'WELCOME10';

/** Sets the code in one of the shops, and announces it. */
async function put(
  connector: RunningConnector,
  shop: string,
  discountId: string,
  changes: Partial<StoreCoupon>,
): Promise<void> {
  connector.pass(60);
  const updatedAt = new Date().toISOString();
  const coupon = storeCoupon({ ...changes, code: CODE, discountId, updatedAt });
  connector.store.putCoupon(shop, coupon);
  const payload = {
    admin_graphql_api_id: `gid://shopify/DiscountCodeNode/${discountId}`,
    title: 'Welcome',
    status: 'ACTIVE',
    created_at: '2026-10-01T00:00:00Z',
    updated_at: updatedAt,
  };
  await connector.deliver(['discounts/update', payload, { shop }]);
}

describe('one code in two shops', () => {
  const connectors = runConnectors();

  test('belongs to the first: the second neither changes nor ends it', async () => {
    const connector = await connectors.open();
    const held = () =>
      connector.loyalty
        .state()
        .coupons.map(({ CouponCode, CouponValue, isActive }) => [
          CouponCode,
          CouponValue,
          isActive,
        ]);
    const ten = storeCoupon().value;
    await put(connector, SHOP, '1001', { value: ten });
    expect(held()).toEqual([[CODE, 10, true]]);
    await put(connector, SECOND_SHOP, '2001', { kind: 'fixed-amount', value: ten });
    const active = held().filter(([, , isActive]) => isActive);
    expect(active[0]).toEqual([CODE, 10, true]);
    const own = connector.loyalty.state().coupons[0];
    expect(own?.OriginalId).toContain(SHOP);
    // The second shop ends its code: that of the first stays.
    await put(connector, SECOND_SHOP, '2001', { status: 'expired' });
    expect(held()[0]).toEqual([CODE, 10, true]);
    await put(connector, SHOP, '1001', { status: 'expired' });
    expect(held().filter(([, , isActive]) => isActive)).toEqual([]);
  });
});
