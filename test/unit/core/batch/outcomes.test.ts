import { beforeEach, describe, expect, it } from 'vitest';
import { SHOP } from '../../../../local/harness/in-process-connector.ts';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { refusal } from '../../../fixtures/service-answers.ts';
import { storeCoupon, storeProduct } from '../../../fixtures/store-entities.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

const guest = orderWithId(2, 1, { customer: null });

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

describe('outcomes', () => {
  it('a rejected order is parked at once with its code, and a replay of it is no duplicate', async () => {
    connector.loyalty.world.interfere = () => refusal(50);
    await connector.deliverOrders(1);
    await connector.work('orders');
    const [letter] = connector.deadLetters();
    const code = 'ApiExternalCustomer_document_email_empty';
    expect(letter?.attributes).toMatchObject({ reason: 'rejected', code });
    expect(connector.telemetry.total('rejected', { kind: 'order', code })).toBe(1);
    connector.loyalty.world.interfere = undefined;
    if (!letter) throw new Error('nothing was parked');
    connector.queues.orders.send({ ...letter, groupId: 'replayed', deduplicationId: 'replayed' });
    await connector.drain();
    expect(connector.orderIds()).toEqual(['1']);
  });

  it('a rejected newest is parked, and the next newest is applied', async () => {
    connector.loyalty.world.interfere = ({ body }, pass) =>
      (body as { OrderStatus: string }).OrderStatus === 'voided' ? refusal(50) : pass();
    for (const [i, financial_status] of ['pending', 'paid', 'voided'].entries()) {
      const payload = orderWithId(1, i + 1, { financial_status });
      await connector.deliver({ topic: 'orders/updated', payload });
    }
    expect(await connector.work('orders')).toEqual({ received: 3, left: 0 });
    expect(connector.loyalty.rows.orders.get('1')).toMatchObject({ OrderStatus: 'paid' });
    expect(connector.dead.size).toBe(1);
  });

  it('names the delivery and the end in the log, where a person looks for it', async () => {
    const discount = { updated_at: '2026-10-09T11:00:00Z', title: 'Autumn' };
    const gid = 'gid://shopify/DiscountCodeNode/1688847450345';
    connector.store.putCoupon(SHOP, storeCoupon());
    for (const [webhookId, topic, payload] of [
      ['sent', 'orders/create', orderWithId(1)],
      ['guest', 'orders/create', guest],
      ['fanned-out', 'discounts/create', { ...discount, admin_graphql_api_id: gid }],
      ['refused', 'orders/create', { id: 3 }],
    ] as const) {
      await connector.deliver({ topic, payload, webhookId });
    }
    await connector.drain();
    const lines = connector.telemetry.logged.map(({ fields }) => fields);
    for (const fields of [
      { correlationId: 'sent', shop: SHOP, kind: 'order', id: '1', calls: 'sendOrder' },
      { correlationId: 'guest', topic: 'orders/create', why: 'guest' },
      { correlationId: 'fanned-out', kind: 'discount', how: 'fanned-out' },
      { correlationId: 'refused', id: '3', reason: 'unreadable' },
    ]) {
      expect(lines).toContainEqual(expect.objectContaining(fields));
    }
  });

  it('keeps the last ten outcomes of an entity for the operator', async () => {
    for (let second = 1; second <= 15; second += 1) {
      await connector.handle('orders/updated', orderWithId(1, second));
    }
    const entry = connector.entry('order', '1');
    expect(entry?.outcomes).toHaveLength(10);
    expect(entry?.outcomes.at(-1)).toMatchObject({ outcome: 'unchanged', topic: 'orders/updated' });
  });

  it('says of an outcome that reconciling asked for it', async () => {
    const { id } = storeProduct();
    const outcomes = () => connector.entry('product', id)?.outcomes;
    await connector.reconcile();
    const updatedAt = new Date(connector.clock.ms + 600_000).toISOString();
    connector.store.putProduct(SHOP, storeProduct({ updatedAt }));
    connector.clock.ms += 86_400_000;
    await connector.reconcile();
    await connector.drain();
    expect(outcomes()?.at(-1)).toMatchObject({ outcome: 'applied', origin: 'reconcile' });
    const product = {
      id: Number(id),
      title: 'Coat',
      status: 'active',
      variants: [{ price: '9.00' }],
    };
    const later = new Date(connector.clock.ms).toISOString();
    await connector.handle('products/update', { ...product, updated_at: later });
    expect(outcomes()?.at(-1)).not.toHaveProperty('origin');
  });

  it('measures from the store to the loyalty service', async () => {
    await connector.deliverOrders(1);
    connector.clock.ms += 1_500;
    await connector.work('orders');
    const measured = () => connector.telemetry.total('latency-ms', { kind: 'order' });
    expect(measured()).toBe(1_500);
    // What is not sent has no way to measure.
    await connector.deliver({ topic: 'orders/create', payload: guest });
    connector.clock.ms += 1_500;
    await connector.work('orders');
    expect(measured()).toBe(1_500);
  });

  it('skips a guest by name', async () => {
    await connector.handle('orders/create', guest);
    expect(connector.loyalty.journal).toEqual([]);
    expect(connector.telemetry.total('skipped', { why: 'guest' })).toBe(1);
    // The same event under another topic adds no second line.
    await connector.handle('orders/paid', guest);
    expect(connector.entry('order', '2')?.outcomes).toHaveLength(1);
  });
});
