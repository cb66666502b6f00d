import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { amount, storeCoupon } from '../../fixtures/store-entities.ts';

const SECOND = 'second-store.myshopify.com';
const at = '2026-10-09T11:00:00Z';

/** Two shops on one loyalty account; each announces and removes the code WELCOME10 as its store does. */
function openShops() {
  const connector = openConnector();
  const discounts = { [SHOP]: '1688847450345', [SECOND]: '1688847450999' };
  const gid = (shop: keyof typeof discounts) => `gid://shopify/DiscountCodeNode/${discounts[shop]}`;
  return {
    connector,
    async create(shop: keyof typeof discounts, changes = {}) {
      const discountId = discounts[shop] ?? '';
      connector.store.putCoupon(
        shop,
        storeCoupon({ code: 'WELCOME10', discountId, updatedAt: at, ...changes }),
      );
      const payload = { admin_graphql_api_id: gid(shop), status: 'ACTIVE', updated_at: at };
      await connector.deliver({ topic: 'discounts/create', payload, shop });
      await connector.drain();
    },
    async remove(shop: keyof typeof discounts) {
      connector.store.remove(shop, 'discount', discounts[shop] ?? '');
      const payload = { admin_graphql_api_id: gid(shop), deleted_at: '2026-10-09T12:30:00Z' };
      await connector.deliver({ topic: 'discounts/delete', payload, shop });
      await connector.drain();
    },
    coupons: () =>
      [...connector.loyalty.rows.coupons.values()].map(({ OriginalId, isActive, CouponValue }) => ({
        OriginalId,
        isActive,
        CouponValue,
      })),
  };
}

describe('WELCOME10 of two shops on one loyalty account', () => {
  const ofFirst = { OriginalId: `WELCOME10@${SHOP}`, isActive: true, CouponValue: 10 };

  it('keeps 10 % of the first shop, and parks the 25 % of the second with what to do', async () => {
    const { connector, create, coupons } = openShops();
    await create(SHOP);
    await create(SECOND, { value: amount('25') });
    expect(coupons()).toEqual([ofFirst]);
    expect(connector.deadLetters()).toMatchObject([
      { attributes: { why: expect.stringContaining('cannot hold both: rename one') } },
    ]);
  });

  it('stays active for the first shop when the second deletes its own', async () => {
    const { create, remove, coupons } = openShops();
    await create(SHOP);
    await create(SECOND, { value: amount('25') });
    await remove(SECOND);
    expect(coupons()).toEqual([ofFirst]);
    await remove(SHOP);
    expect(coupons()).toEqual([{ ...ofFirst, isActive: false }]);
  });

  it('is free for the second shop under another code', async () => {
    const { create, coupons } = openShops();
    await create(SHOP);
    await create(SECOND, { code: 'WELCOME25', value: amount('25') });
    expect(coupons()).toEqual([
      ofFirst,
      { OriginalId: `WELCOME25@${SECOND}`, isActive: true, CouponValue: 25 },
    ]);
  });
});
