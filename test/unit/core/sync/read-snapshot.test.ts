import { beforeEach, describe, expect, it } from 'vitest';
import { amountHeld } from '../../../../local/harness/held-order.ts';
import type { StoreEvent } from '../../../../shared/core/events/event.ts';
import { fanOut } from '../../../../shared/core/sync/handle-task.ts';
import { readSnapshot } from '../../../../shared/core/sync/read-snapshot.ts';
import { bodyFor, momentAt, orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { lineOf, type OrderSpec } from '../../../fixtures/order-spec.ts';
import { amount, giftCards, storeProduct } from '../../../fixtures/store-entities.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
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

describe('what the store does not show, without an announcement', () => {
  const gone = async () => ({ kind: 'gone' }) as const;
  const deps = {
    store: { readProduct: gone, readOrder: gone, readDiscount: gone } as never,
    ledger: { listCodes: async () => ({ codes: [] }) } as never,
    queue: { send: async () => {} },
    telemetry: { count: () => {}, log: () => {} },
    now: () => new Date('2026-11-17T12:00:01.000Z'),
  };
  const key = { shop: SHOP, kind: 'product', id: '12' } as const;
  const event: StoreEvent = {
    ...{ ...key, topic: 'any', deliveryId: 'one', body: undefined },
    ...{ claim: 'changed', origin: 'webhook', receivedAt: '2026-11-17T12:00:00.000Z' },
  };
  const question = { event, reading: { kind: 'ask-store' } } as const;

  it('is waited for, because the store may lag behind its events', async () => {
    const later = { kind: 'retry', why: 'store-says-gone' };
    expect(await readSnapshot(key, question, undefined, undefined, deps)).toMatchObject(later);
    expect(await fanOut(event, { discountId: '12' }, deps)).toMatchObject(later);
  });

  it('is gone at once where it never does: a deletion that waits behind the event goes on', async () => {
    const current = { event, reading: { kind: 'ask-store', isCurrent: true } } as const;
    const gone = await readSnapshot(key, current, undefined, undefined, deps);
    expect(gone).toMatchObject({ entity: { kind: 'gone' } });
    // The end of an order is final, so that its absence alone does not end it: its event is given up.
    const order = { ...key, kind: 'order' } as const;
    const absent = { kind: 'skipped', why: 'not-in-store' };
    expect(await readSnapshot(order, current, undefined, undefined, deps)).toEqual(absent);
    const task = { discountId: '12', isCurrent: true } as const;
    expect(await fanOut(event, task, deps)).toMatchObject({ how: 'fanned-out' });
  });
});

it('gives up a refund of an order that the store does not have within 13 minutes, and says why', async () => {
  await refund();
  const begins = connector.clock.ms;
  while ((await connector.work('orders')).left > 0 || connector.queues.orders.size > 0) {
    connector.clock.ms += 1_000;
    if (connector.clock.ms - begins > 3_600_000) throw new Error('it still waits');
  }
  expect((connector.clock.ms - begins) / 60_000).toBeLessThan(13);
  expect(connector.telemetry.total('skipped', { why: 'not-in-store' })).toBe(1);
  expect(connector.orderIds()).toEqual([]);
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

function expectCancelled(): void {
  expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
  expect(connector.dead.size).toBe(0);
}

describe('an order that was deleted in the store', () => {
  it('is cancelled and gives its points back; an unknown one needs no call', async () => {
    await connector.handle('orders/fulfilled', orderAt(1, { fulfilledAfterDays: 1 }));
    expect(connector.loyalty.rows.points.size).toBe(1);
    await connector.deliver({ topic: 'orders/delete', payload: { id: 2 } });
    await connector.handle('orders/delete', { id: Number(ID) });
    expectCancelled();
    expect(connector.loyalty.rows.points.size).toBe(0);
    expect(connector.loyalty.rows.orders.size).toBe(1);
  });

  it.each(['refunds/create', 'orders/edited'])(
    'is cancelled when its deletion is announced, although %s waits behind it',
    async (topic) => {
      await connector.handle('orders/paid', orderAt(1));
      await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
      await connector.deliver({ topic, payload: bodyFor(topic, orderAt(1)) });
      expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
      expectCancelled();
    },
  );

  it('is not cancelled because it is not found, unless its deletion was announced', async () => {
    await connector.handle('orders/paid', orderAt(1));
    await connector.deliver({ topic: 'refunds/create', payload: { id: 9, order_id: Number(ID) } });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: false });

    // Its deletion arrives: that settles it, and the question with it.
    await connector.handle('orders/delete', { id: Number(ID) });
    expectCancelled();
  });

  it('is cancelled within an hour behind 11 references, not after the 4 days of the retry window', async () => {
    await connector.handle('orders/paid', orderAt(1));
    for (let id = 1; id <= 11; id += 1) {
      await connector.deliver({ topic: 'refunds/create', payload: { id, order_id: Number(ID) } });
    }
    await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
    const start = connector.clock.ms;
    await connector.drain();
    expect(connector.clock.ms - start).toBeLessThan(3_600_000);
    expectCancelled();
  });
});

describe('a webhook that leaves something out', () => {
  it('a product with more variants than its body lists is read from the store before a call', async () => {
    const updatedAt = '2026-10-09T11:00:00.000Z';
    connector.store.putProduct(SHOP, storeProduct({ id: '8', price: amount('5'), updatedAt }));
    const payload = {
      ...{ id: 8, title: 'Linen shirt', status: 'active', updated_at: updatedAt },
      variants: [{ id: 1, price: '9.00' }],
      variant_gids: [{ admin_graphql_api_id: 'a' }, { admin_graphql_api_id: 'b' }],
    };
    await connector.handle('products/update', payload);
    expect(connector.loyalty.journal).toMatchObject([{ body: { ProductPrice: 5 } }]);
    expect(connector.store.reads).toBe(1);
  });

  it.each([
    ['without variants', {}],
    ['with an empty list of variants', { variants: [], variant_gids: [] }],
    ['whose variants have no price', { variants: [{ id: 1 }] }],
  ])('a product %s gets its price from the store', async (_what, variants) => {
    const updatedAt = '2026-10-09T11:00:00.000Z';
    connector.store.putProduct(SHOP, storeProduct({ id: '8', price: amount('5'), updatedAt }));
    const payload = { id: 8, title: 'Linen shirt', status: 'active', updated_at: updatedAt };
    await connector.handle('products/update', { ...payload, ...variants });
    expect(connector.loyalty.journal).toMatchObject([{ body: { ProductPrice: 5 } }]);
  });

  it('an order whose document is in a metafield is read from the store before a call', async () => {
    const metafield = { owner: 'customer', namespace: 'facts', key: 'document' } as const;
    connector = openWebhookConnector({ rules: { document: { from: 'metafield', ...metafield } } });
    const stored = storeOrderOf(orderAt(1));
    connector.store.putOrder(SHOP, { ...stored, metafields: [{ ...metafield, value: '123' }] });
    await connector.handle('orders/create', orderAt(1));
    expect(connector.loyalty.journal).toMatchObject([{ body: { Customer: { Document: '123' } } }]);

    // Nothing changed since: the remembered document stands, and the store is not asked.
    await connector.handle('orders/updated', orderAt(2));
    expect(connector.store.reads).toBe(1);
    expect(connector.telemetry.total('unchanged')).toBe(1);
  });
});

describe('an order paid in part with a gift card', () => {
  const spec = { ...fulfilled, shippingCents: 0 };
  const gateways = { payment_gateway_names: ['gift_card', 'shopify_payments'] };
  /** The store changes it and sends its webhook. */
  const change = (second: number, order: Partial<OrderSpec> = {}) => {
    const payload = orderAt(second, { ...spec, ...order }, gateways);
    const stored = { ...storeOrderOf(payload), paidWithGiftCards: giftCards('20') };
    connector.store.putOrder(SHOP, stored);
    return connector.handle('orders/updated', payload);
  };

  it('counts the 30.00 paid in money, which only the store can say', async () => {
    await change(1);
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ OrderTotal: 30 });
    // An older event says nothing new.
    const { reads } = connector.store;
    await connector.handle('orders/updated', orderAt(0, spec, gateways));
    expect(connector.store.reads).toBe(reads);
  });

  it('falls from 30 to 10 points by a lower price, although its webhook alone reads like 30', async () => {
    await change(1);
    const line = lineOf(5000, { discountCents: 2000 });
    await change(2, { lines: [line] });
    const held = connector.loyalty.rows.orders.get(ID);
    expect(held && amountHeld(held)).toBe(10);
  });
});

describe('a store that lags behind its own events', () => {
  it('does not replace a newer event by an older state', async () => {
    const document = { from: 'metafield', owner: 'customer', namespace: 'a', key: 'b' } as const;
    connector = openWebhookConnector({ rules: { document } });
    connector.store.putOrder(SHOP, { ...storeOrderOf(orderAt(1)), metafields: [] });
    await connector.deliver({ topic: 'orders/fulfilled', payload: orderAt(2, fulfilled) });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    connector.store.putOrder(SHOP, { ...storeOrderOf(orderAt(2, fulfilled)), metafields: [] });
    await connector.drain();
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
  });

  it.each([0, 5_000])(
    'waits with the second state of one second, while the store does not show a new order: its clock is %i ms ahead',
    async (ahead) => {
      const changes = { updated_at: new Date(connector.clock.ms + ahead).toISOString() };
      await connector.handle('orders/create', orderAt(1, {}, changes));
      const next = orderAt(1, fulfilled, changes);
      await connector.deliver({ topic: 'orders/fulfilled', payload: next });
      expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
      connector.store.putOrder(SHOP, storeOrderOf(next));
      await connector.drain();
      expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
    },
  );
});
