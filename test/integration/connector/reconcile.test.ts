import { afterEach, describe, expect, it } from 'vitest';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

describe('reconciling', () => {
  it('sends for what no webhook told', async () => {
    const { connector, store, stop } = await openStoreAndConnector(connectors, {
      seed: 3,
      disorder: { drop: 1 },
      shops: [{ domain: SHOP }],
    });
    stops.push(stop);
    await connector.reconcile();
    for (let i = 0; i < 20; i += 1) store.actions.placeRandomOrder();
    store.actions.createDiscount({ title: 'Ten', percentage: 10, codes: ['TEN-A', 'TEN-B'] });
    await store.deliveries.settled();
    connector.pass(3600);
    await connector.reconcile();
    await connector.settle();
    const { orders, coupons } = connector.loyalty.state();
    expect(coupons.map(({ CouponCode }) => CouponCode)).toEqual(
      expect.arrayContaining(['TEN-A', 'TEN-B']),
    );
    expect(orders.length).toBeGreaterThan(10);
  });
});
