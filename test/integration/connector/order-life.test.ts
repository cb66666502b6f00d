import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { bodyFor, orderAt, orderLife, storeOrderOf, withId } from '../../fixtures/order-life.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

/** The one order as the loyalty service holds it. */
function heldOrder({ loyalty }: RunningConnector) {
  const [order, ...others] = loyalty.state().orders;
  if (!order || others.length > 0) throw new Error('not exactly one order');
  return { ...order, left: amountHeld(order) };
}

const balance = ({ loyalty }: RunningConnector) => loyalty.state().customers[0]?.points;

describe('the life of an order', () => {
  it('is followed from the first webhook to the last refund, with no call too many', async () => {
    const connector = await connectors.open();
    for (const { what, topics, payload, total, points, calls } of orderLife) {
      connector.store.putOrder(SHOP, storeOrderOf(payload));
      for (const topic of topics) await connector.deliver([topic, bodyFor(topic, payload)]);
      // Tags, notes and the like make the store send the order again.
      const updated_at = String(payload.updated_at).replace('.000Z', '.500Z');
      await connector.deliver(['orders/updated', { ...payload, updated_at, tags: what }]);
      expect(connector.newOperations(), what).toEqual(calls);
      expect(heldOrder(connector), what).toMatchObject({ OrderTotal: total, points });
      expect(balance(connector), what).toBe(points);
    }
    expect(heldOrder(connector)).toMatchObject({
      IsCancelledOrReturned: true,
      OrderStatus: 'returned',
    });
    expect(connector.loyalty.state().points).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });
});

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
