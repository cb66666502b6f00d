import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { encodeSnapshot } from '../../../shared/core/events/snapshot-body.ts';
import type { StoreEntity } from '../../../shared/core/sync/store-reader.ts';
import type { StoreOrder } from '../../../shared/store/order.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { storeCoupon, storeOrder, storeProduct } from '../../fixtures/store-entities.ts';

type Connector = ReturnType<typeof openConnector>;

let deliveries = 0;

/** What a backfill sends: a snapshot that it read from the store. */
async function enqueue(
  connector: Connector,
  entity: StoreEntity,
  { readAt = new Date(connector.clock.ms), history = true, id = '' } = {},
): Promise<void> {
  deliveries += 1;
  const own = entity.kind === 'order' ? entity.order.id : '';
  await connector.send({
    shop: SHOP,
    kind: entity.kind,
    id: id || own,
    claim: 'changed',
    origin: 'backfill',
    topic: `backfill/${entity.kind}`,
    deliveryId: `backfill/${deliveries}`,
    receivedAt: new Date(connector.clock.ms).toISOString(),
    history,
    body: encodeSnapshot(entity, readAt),
  });
}

async function feed(...given: Parameters<typeof enqueue>): Promise<void> {
  await enqueue(...given);
  await given[0].drain();
}

const feedOrder = (connector: Connector, order: StoreOrder, given?: object) =>
  feed(connector, { kind: 'order', order }, given);

async function hear(connector: Connector, changes: Record<string, unknown>): Promise<void> {
  await connector.deliver({
    topic: 'orders/updated',
    payload: buildOrder(simpleOrder, changes).payload,
  });
  await connector.drain();
}

const OLD = '2025-03-01T10:00:00Z';
const LATER = '2026-10-09T11:00:00Z';
const history = (connector: Connector) =>
  [...connector.loyalty.rows.orders.values()].map((order) =>
    order.Metadatas.some(({ Name, Value }) => Name === 'history' && Value === 'true'),
  );
const calls = (connector: Connector) => connector.loyalty.journal.length;
const storeReads = (connector: Connector) => connector.telemetry.total('store-read');

describe('an order of the past', () => {
  it('is marked in its metadata, without a question to the store, however old it is', async () => {
    const connector = openConnector();
    await feedOrder(connector, storeOrder({}, { updated_at: OLD }));
    expect(history(connector)).toEqual([true]);
    expect(storeReads(connector)).toBe(0);
  });

  it('keeps its mark when it changes later, live', async () => {
    const connector = openConnector();
    await feedOrder(connector, storeOrder({}, { updated_at: OLD }));
    await hear(connector, { updated_at: LATER, current_subtotal_price: '1.00' });
    expect(history(connector)).toEqual([true]);
    expect(calls(connector)).toBe(2);
  });

  it('keeps its mark when the person behind it was redacted', async () => {
    const connector = openConnector();
    const order = storeOrder({}, { updated_at: OLD });
    await feedOrder(connector, order);
    await connector.ledger.redact([{ shop: SHOP, kind: 'order', id: order.id }], {
      redactedAt: Date.parse(OLD),
      expiresAt: 1_900_000_000,
    });
    await hear(connector, { updated_at: LATER, current_subtotal_price: '1.00' });
    expect(history(connector)).toEqual([true]);
  });

  it('keeps its mark when it is unknown whether the first call arrived', async () => {
    const connector = openConnector();
    const { world } = connector.loyalty;
    world.interfere = (_call, pass) => {
      pass();
      world.interfere = undefined;
      return { kind: 'failure', reason: 'time-out', mayHaveHappened: true };
    };
    await enqueue(connector, { kind: 'order', order: storeOrder({}, { updated_at: OLD }) });
    await connector.work('orders');
    expect([...connector.ledger.entries.values()]).toMatchObject([{ uncertain: true }]);
    connector.queues.orders.receive({ max: 10 });
    await hear(connector, { updated_at: LATER });
    expect(history(connector)).toEqual([true]);
  });

  it('is sent once, however often it is fed', async () => {
    const connector = openConnector();
    const order = storeOrder({}, { updated_at: OLD });
    await feedOrder(connector, order);
    await feedOrder(connector, order);
    await feedOrder(connector, order, { history: false });
    expect(calls(connector)).toBe(1);
    expect(history(connector)).toEqual([true]);
  });

  it('is not sent again for the mark when it was sent live', async () => {
    const connector = openConnector();
    const updated_at = '2026-10-09T10:00:00Z';
    await hear(connector, { updated_at });
    await feedOrder(connector, storeOrder({}, { updated_at }));
    expect(calls(connector)).toBe(1);
    expect(history(connector)).toEqual([false]);
    await feedOrder(connector, storeOrder({}, { updated_at: LATER, current_subtotal_price: '2' }));
    expect(history(connector)).toEqual([false]);
  });

  it('never overwrites what came later', async () => {
    const connector = openConnector();
    await hear(connector, { updated_at: LATER });
    await feedOrder(connector, storeOrder({}, { updated_at: OLD, current_subtotal_price: '2' }));
    expect(calls(connector)).toBe(1);
  });

  it('is asked of the store when its message is of another form', async () => {
    const connector = openConnector();
    const order = storeOrder({}, { updated_at: OLD });
    connector.store.putOrder(SHOP, order);
    await connector.send({
      shop: SHOP,
      kind: 'order',
      id: order.id,
      claim: 'changed',
      origin: 'backfill',
      topic: 'backfill/order',
      deliveryId: 'backfill/other-form',
      receivedAt: new Date(connector.clock.ms).toISOString(),
      history: true,
      body: new TextEncoder().encode('{"form":2}'),
    });
    await connector.drain();
    expect(history(connector)).toEqual([true]);
    expect(storeReads(connector)).toBe(1);
  });
});

describe('a snapshot of a feeder', () => {
  it('is asked about when it was read too long ago', async () => {
    const connector = openConnector();
    const order = storeOrder({}, { updated_at: OLD });
    connector.store.putOrder(SHOP, order);
    await feedOrder(connector, order, { readAt: new Date(connector.clock.ms - 8 * 86_400_000) });
    expect(storeReads(connector)).toBe(1);
    expect(history(connector)).toEqual([true]);
  });

  it('is asked about when the second it is about may have had another state', async () => {
    const connector = openConnector();
    const updated_at = '2026-10-09T11:59:59Z';
    await hear(connector, { updated_at });
    const other = storeOrder({}, { updated_at, current_subtotal_price: '2.00' });
    connector.store.putOrder(SHOP, other);
    await feedOrder(connector, other);
    expect(storeReads(connector)).toBe(1);
    connector.clock.ms += 3 * 60_000;
    await feedOrder(connector, storeOrder({}, { updated_at, current_subtotal_price: '3.00' }));
    expect(storeReads(connector)).toBe(1);
    expect(calls(connector)).toBe(3);
  });

  it('carries products and coupons as well', async () => {
    const connector = openConnector();
    const product = storeProduct({ updatedAt: '2024-01-01T00:00:00.000Z' });
    await feed(connector, { kind: 'product', product }, { id: product.id });
    const coupon = storeCoupon({ updatedAt: '2024-01-01T00:00:00.000Z' });
    await feed(connector, { kind: 'coupon', coupon }, { id: coupon.code });
    expect(connector.loyalty.rows.products.size).toBe(1);
    expect(storeReads(connector)).toBe(0);
    expect(connector.dead.size).toBe(0);
  });

  it('cannot come from outside: no webhook is accepted under its topic', async () => {
    const { topicRoutes } = await import('../../../shared/shopify/webhooks/topics.ts');
    expect([...topicRoutes.keys()].filter((topic) => topic.startsWith('backfill/'))).toEqual([]);
    const connector = openConnector();
    const order = storeOrder({}, { updated_at: OLD });
    connector.store.putOrder(SHOP, storeOrder({}, { updated_at: LATER }));
    const forged = new TextDecoder().decode(
      encodeSnapshot({ kind: 'order', order }, new Date(connector.clock.ms)),
    );
    await connector.deliver({ topic: 'orders/updated', payload: JSON.parse(forged) });
    await connector.drain();
    expect(calls(connector)).toBe(0);
    expect(connector.dead.size).toBe(1);
  });
});
