import { beforeEach, describe, expect, it } from 'vitest';
import { amountHeld } from '../../../../local/harness/held-order.ts';
import { SHOP } from '../../../../local/harness/in-process-connector.ts';
import { orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { paidBack } from '../../../fixtures/order-payload.ts';
import type { OrderSpec } from '../../../fixtures/order-spec.ts';
import { amount, giftCards, storeProduct } from '../../../fixtures/store-entities.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

const ID = '5512345678901';
const fulfilled = { fulfilledAfterDays: 1 };

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
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
    const line = { product: 1, priceCents: 5000, quantity: 1, discountCents: 2000, takenBack: 0 };
    await change(2, { lines: [line] });
    const held = connector.loyalty.rows.orders.get(ID);
    expect(held && amountHeld(held)).toBe(10);
  });
});

describe('an order of 500 BRL that was paid in US dollars', () => {
  const line = { product: 1, priceCents: 50_000, quantity: 1, discountCents: 0, takenBack: 0 };
  const spec = { ...fulfilled, shippingCents: 0, lines: [line] };
  const brl = { currency: 'BRL', presentment_currency: 'USD' };
  /** The store knows both amounts; its webhooks have that of the customer. */
  const change = (second: number, changes: object = {}, refunded = false) => {
    const [refund] = orderAt(second, { ...spec, amountRefundedCents: 10_000 }).refunds as object[];
    const refundsIn = (cents: number, currency: string) =>
      refunded ? [{ ...refund, transactions: [paidBack(cents, { currency })] }] : [];
    const payload = orderAt(second, spec, { ...brl, ...changes, refunds: refundsIn(2000, 'USD') });
    const known = { ...payload, refunds: refundsIn(10_000, 'BRL') };
    connector.store.putOrder(SHOP, storeOrderOf(known));
    return connector.handle('orders/updated', payload);
  };
  const points = () => {
    const held = connector.loyalty.rows.orders.get(ID);
    return held && amountHeld(held);
  };

  it('falls to 400 points by a refund of 20 USD without a line, and stays there', async () => {
    connector = openWebhookConnector({ assumptions: { raiseAfterPartialCancel: 'send-gross' } });
    await change(1);
    expect([points(), connector.store.reads]).toEqual([500, 0]);
    await change(2, {}, true);
    expect([points(), connector.store.reads]).toEqual([400, 1]);
    await change(3, { source_name: 'app' }, true);
    expect([points(), connector.store.reads]).toEqual([400, 2]);
    expect(connector.dead.size).toBe(0);
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
