import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../../local/harness/held-order.ts';
import { SHOP } from '../../../../local/harness/in-process-connector.ts';
import type { MappingSettings } from '../../../../shared/config/mapping-settings.ts';
import { orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { storeEvent } from '../../../fixtures/store-event.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

const ID = '5512345678901';
const KEY = { shop: SHOP, kind: 'order', id: ID } as const;
const TAKE_BACK = { lostDisputes: 'take-back' } as const;
const shipped = { shippingCents: 0, fulfilledAfterDays: 1 };

const points = ({ loyalty }: WebhookConnector) => {
  const held = loyalty.rows.orders.get(ID);
  return held && amountHeld(held);
};

/** An order of 50 that was sent as completed. */
async function sent(rules: MappingSettings = TAKE_BACK): Promise<WebhookConnector> {
  const connector = openWebhookConnector({ rules });
  await connector.handle('orders/fulfilled', orderAt(1, shipped));
  expect(points(connector)).toBe(50);
  return connector;
}

/** The Admin API says it, but only where the settings ask for it. The dispute does not change the order's version. */
async function dispute(
  connector: WebhookConnector,
  lostDispute: boolean | undefined,
  { second = 1, topic = 'disputes/update' } = {},
): Promise<void> {
  connector.store.putOrder(SHOP, { ...storeOrderOf(orderAt(second, shipped)), lostDispute });
  await connector.handle(topic, { id: 7, order_id: Number(ID), type: 'chargeback' });
}

describe('a dispute', () => {
  it('that is open or won takes nothing', async () => {
    const connector = await sent();
    await dispute(connector, false, { topic: 'disputes/create' });
    await dispute(connector, false);
    expect(points(connector)).toBe(50);
  });

  it('that is lost takes all points, and no later webhook gives them back', async () => {
    const connector = await sent();
    await dispute(connector, true);
    expect(points(connector)).toBe(0);
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
    await connector.handle('orders/updated', orderAt(2, shipped, { source_name: 'app' }));
    await connector.handle('orders/updated', orderAt(3, { ...shipped, taxPercent: 5 }));
    expect(points(connector)).toBe(0);
    expect(connector.dead.size).toBe(0);
  });

  it('of a payment without an order is skipped', async () => {
    const connector = await sent();
    await connector.handle('disputes/create', { id: 7, order_id: null });
    expect(connector.telemetry.total('skipped', { why: 'no-order' })).toBe(1);
    expect(connector.dead.size).toBe(0);
  });

  it('that is lost before the order is shipped leaves nothing to earn once the store was asked', async () => {
    const connector = openWebhookConnector({ rules: { ...TAKE_BACK, pendingOrders: 'send' } });
    await connector.handle(
      'orders/paid',
      orderAt(1, { ...shipped, fulfilledAfterDays: undefined }),
    );
    const lost = { ...storeOrderOf(orderAt(1, { shippingCents: 0 })), lostDispute: true };
    connector.store.putOrder(SHOP, lost);
    await connector.handle('disputes/update', { id: 7, order_id: Number(ID) });
    await connector.handle('orders/fulfilled', orderAt(2, shipped));
    expect(points(connector)).toBe(0);
  });

  it('that is lost before the order is sent is found by the next reconcile', async () => {
    const connector = openWebhookConnector({ rules: { ...TAKE_BACK, pendingOrders: 'skip' } });
    await connector.reconcile();
    connector.clock.ms += 120_000;
    const payload = orderAt(3_660, shipped);
    await connector.handle('orders/fulfilled', payload);
    expect(points(connector)).toBe(50);
    connector.store.putOrder(SHOP, { ...storeOrderOf(payload), lostDispute: true });
    connector.clock.ms += 3_600_000;
    await connector.reconcile();
    await connector.drain();
    expect(points(connector)).toBe(0);
  });
});

describe('an order that was sent before lost disputes counted, or while they did', () => {
  it('keeps its points until `resend` counts it by the rules of today', async () => {
    const connector = await sent({});
    connector.changeRules({ ...TAKE_BACK, pendingOrders: 'send' });
    await dispute(connector, true);
    expect(points(connector)).toBe(50);
    const receivedAt = new Date(connector.clock.ms).toISOString();
    const event = { ...KEY, topic: 'orders/updated', deliveryId: 'resend/1', receivedAt };
    await connector.send(storeEvent({ ...event, body: undefined, newRules: true }));
    await connector.drain();
    expect(points(connector)).toBe(0);
  });

  it('does not get points back when the setting is removed', async () => {
    const connector = await sent();
    await dispute(connector, true);
    connector.changeRules({ pendingOrders: 'send' });
    connector.store.putOrder(SHOP, storeOrderOf(orderAt(2, shipped, { source_name: 'app' })));
    await connector.handle('orders/updated', orderAt(2, shipped, { source_name: 'app' }));
    expect(points(connector)).toBe(0);
    expect(connector.dead.size).toBe(0);
  });
});
