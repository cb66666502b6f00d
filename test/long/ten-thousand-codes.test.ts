import { describe, expect, it } from 'vitest';
import { storeCoupon } from '../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../support/in-process-connector.ts';

describe('a discount of ten thousand codes', () => {
  it('reaches the service whole, and a repeated event makes no call', async () => {
    const connector = openConnector();
    const codes = 10_000;
    for (let n = 0; n < codes; n += 1) {
      connector.store.putCoupon(SHOP, storeCoupon({ code: `C${n}`, codeId: String(n) }));
    }
    const admin_graphql_api_id = 'gid://shopify/DiscountCodeNode/1688847450345';
    const changed = { admin_graphql_api_id, updated_at: '2026-10-09T11:00:00Z' };
    await connector.deliver({ topic: 'discounts/create', payload: changed });
    await connector.drain({ max: 500 });
    expect(connector.loyalty.rows.coupons.size).toBe(codes);
    expect(connector.loyalty.journal).toHaveLength(codes);
    connector.clock.ms += 600_000;
    await connector.deliver({ topic: 'discounts/update', payload: changed });
    await connector.drain({ max: 500 });
    expect(connector.loyalty.journal).toHaveLength(codes);
  });
});
