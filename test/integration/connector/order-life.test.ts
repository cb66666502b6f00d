import { describe, expect, it } from 'vitest';
import { orderAt, storeOrderOf, withId } from '../../fixtures/order-life.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

const HOUR_MS = 3_600_000;

/** A shipped order of 50.00, placed this long before or after now. */
function shippedOrder(id: number, placedAfterMs: number, changes = {}) {
  const placed = new Date(Date.now() + placedAfterMs).toISOString();
  const shipped = [{ status: 'success', created_at: new Date(Date.now() + HOUR_MS).toISOString() }];
  return orderAt(
    1,
    { fulfilledAfterDays: 0 },
    {
      ...{ created_at: placed, processed_at: placed, updated_at: new Date().toISOString() },
      ...{ fulfillments: shipped, ...withId(id), ...changes },
    },
  );
}

describe('a stack that is made today', () => {
  it('gives no points for an order of yesterday that a tag brings, and 50 for one placed since', async () => {
    const connector = await connectors.open({ isNew: true });
    const points = () => connector.loyalty.state().customers[0]?.points ?? 0;
    const old = shippedOrder(1, -24 * HOUR_MS, { tags: 'vip' });
    connector.store.putOrder(SHOP, storeOrderOf(old));
    await connector.deliver(['orders/updated', old]);
    expect(points()).toBe(0);
    expect(connector.newCalls()).toEqual([]);

    const live = shippedOrder(2, 1000);
    connector.store.putOrder(SHOP, storeOrderOf(live));
    await connector.deliver(['orders/updated', live]);
    expect(points()).toBe(50);
    expect(connector.newCalls().map(({ operation }) => operation)).toEqual(['sendOrder']);
    expect(await connector.deadLetters()).toEqual([]);
  });
});
