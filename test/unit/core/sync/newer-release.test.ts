import { describe, expect, it } from 'vitest';
import { storeCoupon, storeProduct } from '../../../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';
import { withNewer } from '../../../support/newer-ledger.ts';

describe('what a newer release wrote in the ledger', () => {
  it('is passed by where reconciling or a fan-out looks at many', async () => {
    const connector = openConnector();
    const { store, ledger, parts } = connector;
    const { id } = storeProduct();
    parts.ledger = withNewer(ledger, { shop: SHOP, kind: 'product', id });
    await connector.reconcile();
    const changed = { ...storeProduct(), updatedAt: '2026-10-09T18:00:00.000Z' };
    store.putProduct(SHOP, changed);
    store.putProduct(SHOP, { ...changed, id: '2' });
    connector.clock.ms += 86_400_000;
    await connector.reconcile({ deep: true });
    await connector.drain();
    expect(ledger.entries.has(`product|${SHOP}|${id}`)).toBe(false);
    expect(ledger.entries.get(`product|${SHOP}|2`)?.appliedKey).toBeDefined();

    parts.ledger = withNewer(ledger, { shop: SHOP, kind: 'coupon', id: 'AUTUMN10' });
    store.putCoupon(SHOP, storeCoupon());
    store.putCoupon(SHOP, storeCoupon({ code: 'WINTER10', codeId: '2' }));
    const admin_graphql_api_id = 'gid://shopify/DiscountCodeNode/1688847450345';
    const payload = { admin_graphql_api_id, title: 'Autumn', updated_at: '2026-10-09T11:00:00Z' };
    await connector.deliver({ topic: 'discounts/update', payload });
    for (let round = 0; round < 5; round += 1) await connector.work('coupons');
    expect(ledger.entries.get(`coupon|${SHOP}|WINTER10`)?.appliedKey).toBeDefined();
    expect(ledger.entries.has(`coupon|${SHOP}|AUTUMN10`)).toBe(false);
    expect(connector.queues.coupons.size).toBe(1);

    parts.ledger = withNewer(ledger, { shop: SHOP, kind: 'coupon', id: 'WINTER10' });
    store.remove(SHOP, 'coupon', 'WINTER10');
    const { size } = connector.queues.coupons;
    await connector.reconcile({ deep: true });
    expect(connector.queues.coupons.size).toBe(size);
  });
});
