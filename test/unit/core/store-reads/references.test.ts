import { beforeEach, describe, expect, it } from 'vitest';
import { SHOP } from '../../../../local/harness/in-process-connector.ts';
import { bodyFor, momentAt, orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

const ID = '5512345678901';
const fulfilled = { fulfilledAfterDays: 1 };

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

const refund = (given: { id?: number; created_at?: string } = {}) =>
  connector.deliver({
    topic: 'refunds/create',
    payload: { id: 9, order_id: Number(ID), ...given },
  });

describe('a reference to an order', () => {
  it.each(['orders/edited', 'refunds/create'])(
    '%s reads the order from the store and applies it',
    async (topic) => {
      connector.store.putOrder(SHOP, storeOrderOf(orderAt(1)));
      await connector.handle(topic, bodyFor(topic, orderAt(1)));
      expect(connector.orderIds()).toEqual([ID]);
    },
  );

  it('waits while the store cannot be asked, and is applied when it can', async () => {
    connector.store.putOrder(SHOP, storeOrderOf(orderAt(1)));
    connector.store.outage = { kind: 'unavailable', why: 'throttled', afterSeconds: 60 };
    await refund();
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    connector.store.outage = undefined;
    // As long as the store asks for.
    connector.clock.ms += 59_000;
    expect(await connector.work('orders')).toMatchObject({ received: 0 });
    await connector.drain();
    expect(connector.orderIds()).toEqual([ID]);
  });

  it('does not hold up what newer events of the same order know', async () => {
    await connector.handle('orders/paid', orderAt(1));
    connector.store.outage = { kind: 'unavailable', why: 'throttled' };
    await refund();
    const payload = orderAt(2, { cancelledAfterDays: 3 });
    await connector.deliver({ topic: 'orders/cancelled', payload });
    await connector.work('orders');
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.queues.orders.size).toBe(1);
  });
});

describe('several references to one order', () => {
  it.each([
    ['answers', undefined],
    ['does not answer', { kind: 'unavailable', why: 'throttled' } as const],
  ])('cost one question, where the store %s', async (_, outage) => {
    connector.store.putOrder(SHOP, storeOrderOf(orderAt(1)));
    connector.store.outage = outage;
    for (const id of [1, 2, 3]) await refund({ id });
    expect(await connector.work('orders')).toEqual({ received: 3, left: outage ? 3 : 0 });
    expect(connector.store.reads).toBe(1);
  });

  it('do not swallow what another says itself, where the store shows no such order', async () => {
    await refund();
    await connector.deliver({ topic: 'orders/fulfilled', payload: orderAt(1, fulfilled) });
    connector.clock.ms += 660_000;
    expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
  });
});

describe('a refund of an order that the app may not see any more', () => {
  async function placedLongAgo() {
    const old = '2026-07-01T09:00:00Z';
    const changes = { created_at: old, processed_at: old };
    connector.store.putOrder(SHOP, storeOrderOf(orderAt(5, {}, changes)));
    connector.store.allOrders = false;
    await connector.handle('orders/paid', orderAt(1, {}, changes));
  }

  it.each([
    ['in the same second as', 5],
    ['a second after', 6],
  ])('ends at once with 0 alarms beside a webhook dated %s the refund', async (_, second) => {
    await placedLongAgo();
    await refund({ created_at: momentAt(5) });
    await connector.deliver({ topic: 'orders/updated', payload: orderAt(second, fulfilled) });
    expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
    expect(connector.telemetry.total('misconfigured')).toBe(0);
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
  });

  it('waits with the alarm while the ledger holds an older state', async () => {
    await placedLongAgo();
    await refund({ created_at: momentAt(5) });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    expect(connector.telemetry.total('misconfigured')).toBe(1);
  });

  it('costs no question to the store once the ledger holds a newer state', async () => {
    await connector.handle('orders/updated', orderAt(6));
    await refund({ created_at: momentAt(5) });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
    expect(connector.store.reads).toBe(0);
  });
});
