import { beforeEach, describe, expect, it } from 'vitest';
import type { EntityKey } from '../../../../shared/core/events/event.ts';
import { encodeSnapshot, type StoreEntity } from '../../../../shared/core/store/store.ts';
import type { StoreOrder } from '../../../../shared/store/store-entities.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { refusal, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { storeCoupon, storeOrder, storeProduct } from '../../../fixtures/store-entities.ts';
import { sendEvent } from '../../../support/change-order.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

/** Orders of the fixtures were placed on 5 October. */
const GO_LIVE = '2026-10-06';
let connector: ReturnType<typeof openConnector>;
beforeEach(() => {
  connector = openConnector({ rules: { goLive: GO_LIVE } });
});

let deliveries = 0;

/** What a backfill sends: a snapshot that it read from the store. */
async function enqueue(
  entity: StoreEntity,
  { readAt = new Date(connector.clock.ms), history = true, id = '' } = {},
): Promise<void> {
  deliveries += 1;
  const own = entity.kind === 'order' ? entity.order.id : '';
  await sendEvent(
    connector,
    { shop: SHOP, kind: entity.kind as EntityKey['kind'], id: id || own },
    {
      ...{ topic: `backfill/${entity.kind}`, deliveryId: `backfill/${deliveries}`, history },
      body: encodeSnapshot(entity, readAt),
    },
  );
}

async function feed(...given: Parameters<typeof enqueue>): Promise<void> {
  await enqueue(...given);
  await connector.drain();
}

const feedOrder = (order: StoreOrder, given?: object) => feed({ kind: 'order', order }, given);

async function hear(changes: Record<string, unknown>): Promise<void> {
  await connector.deliver({
    topic: 'orders/updated',
    payload: buildOrder(simpleOrder, changes).payload,
  });
  await connector.drain();
}

const OLD = '2025-03-01T10:00:00Z';
const LATER = '2026-10-09T11:00:00Z';
const history = () =>
  [...connector.loyalty.rows.orders.values()].map((order) =>
    order.Metadatas.some(({ Name, Value }) => Name === 'history' && Value === 'true'),
  );
const calls = () => connector.loyalty.journal.length;
const storeReads = () => connector.telemetry.total('store-read');

const SHIPPED = {
  fulfillment_status: 'fulfilled',
  fulfillments: [{ status: 'success', created_at: '2026-10-08T10:00:00Z' }],
};

describe('an order of the past', () => {
  it('is marked in its metadata, without a question to the store, however old it is', async () => {
    await feedOrder(storeOrder({}, { updated_at: OLD }));
    expect(history()).toEqual([true]);
    expect(storeReads()).toBe(0);
  });

  it('is sent by the deep scan after it was refused and its dead letter expired, also if it changed since', async () => {
    const { loyalty, store, dead, clock } = connector;
    const order = storeOrder({}, { updated_at: LATER });
    store.putOrder(SHOP, order);
    await connector.reconcile();
    loyalty.world.interfere = () => refusal(30);
    await feedOrder(order);
    loyalty.world.interfere = undefined;
    const refused = calls();
    expect([dead.size, loyalty.rows.orders.get(order.id)]).toEqual([1, undefined]);
    const updated_at = '2026-10-10T11:00:00Z';
    store.putOrder(SHOP, storeOrder({}, { updated_at }));
    await hear({ updated_at });
    expect(calls()).toBe(refused);
    clock.ms += 16 * 86_400_000;
    await connector.reconcile({ deep: true });
    await connector.drain();
    expect(history()).toEqual([true]);
  });

  it('is not sent by a late event after its deletion was tried twice and refused', async () => {
    const { world } = connector.loyalty;
    const deletion = { id: Number(storeOrder().id) };
    world.interfere = () => UNREACHABLE;
    await connector.deliver({ topic: 'orders/delete', payload: deletion });
    await connector.work('orders');
    world.interfere = () => refusal(30);
    await connector.drain();
    expect(connector.dead.size).toBe(1);
    world.interfere = undefined;
    await hear({ updated_at: LATER, ...SHIPPED });
    expect(history()).toEqual([]);
    expect(connector.telemetry.total('skipped', { why: 'before-go-live' })).toBe(1);
  });

  it('keeps its mark when the person behind it was redacted', async () => {
    const order = storeOrder({}, { updated_at: OLD });
    await feedOrder(order);
    await connector.ledger.redact([{ shop: SHOP, kind: 'order', id: order.id }], {
      redactedAt: Date.parse(OLD),
      expiresAt: 1_900_000_000,
    });
    await hear({ updated_at: LATER, current_subtotal_price: '1.00' });
    expect(history()).toEqual([true]);
  });

  it('is sent once, however often it is fed', async () => {
    const order = storeOrder({}, { updated_at: OLD });
    await feedOrder(order);
    await feedOrder(order);
    await feedOrder(order, { history: false });
    expect(calls()).toBe(1);
    expect(history()).toEqual([true]);
  });

  it('is skipped when an event brings it: a tag, a shipment and a cancellation change 0 points', async () => {
    await hear({ updated_at: '2026-10-09T10:00:00Z', tags: 'vip' });
    await hear({ updated_at: '2026-10-09T10:10:00Z', ...SHIPPED });
    await hear({ updated_at: '2026-10-09T10:20:00Z', cancelled_at: LATER });
    expect(calls()).toBe(0);
    expect(connector.telemetry.total('skipped', { why: 'before-go-live' })).toBe(3);
    expect(connector.dead.size).toBe(0);
  });

  it('is sent by a backfill after an event of it was skipped, as the store has it now', async () => {
    const now = { updated_at: '2026-10-09T10:00:00Z', current_subtotal_price: '30.00', ...SHIPPED };
    connector.store.putOrder(SHOP, storeOrder({}, now));
    await hear(now);
    await feedOrder(storeOrder({}, { updated_at: OLD }));
    expect(history()).toEqual([true]);
    expect([...connector.loyalty.rows.orders.values()]).toMatchObject([
      { OrderTotal: 30, IsCompleted: true },
    ]);
  });

  it('is sent once, and marked, when a webhook and a backfill are in one batch', async () => {
    const now = { updated_at: '2026-10-09T10:00:00Z', current_subtotal_price: '30.00' };
    connector.store.putOrder(SHOP, storeOrder({}, now));
    const order = storeOrder({}, { updated_at: OLD });
    await enqueue({ kind: 'order', order });
    await hear(now);
    expect(calls()).toBe(1);
    expect(history()).toEqual([true]);
  });

  it('does not lose its mark with its ledger entry', async () => {
    await feedOrder(storeOrder({}, { updated_at: OLD }));
    connector.clock.ms += 401 * 86_400_000;
    connector.ledger.expire(connector.clock.ms / 1000);
    const updated_at = new Date(connector.clock.ms - 600_000).toISOString();
    await hear({ updated_at, tags: 'vip' });
    expect(calls()).toBe(1);
    await feedOrder(storeOrder({}, { updated_at, current_subtotal_price: '30.00' }));
    expect(history()).toEqual([true]);
  });

  it.each([
    ['', false],
    [', also if a request without that option waits behind it', true],
  ])('is asked of the store when its message is of another form%s', async (_, isFollowed) => {
    const order = storeOrder({}, { updated_at: OLD });
    connector.store.putOrder(SHOP, order);
    const body = new TextEncoder().encode('{"form":2}');
    const key = { shop: SHOP, kind: 'order', id: order.id } as const;
    await sendEvent(connector, key, { topic: 'backfill/order', history: true, body });
    const refund = { id: 9, order_id: Number(order.id) };
    if (isFollowed) await connector.deliver({ topic: 'refunds/create', payload: refund });
    await connector.drain();
    expect(history()).toEqual([true]);
    expect(storeReads()).toBe(isFollowed ? 2 : 1);
  });
});

describe('go-live', () => {
  const placedAt = Date.parse(storeOrder().placedAt);

  it('is when the stack was created, unless it is set', async () => {
    for (const [createdAt, rules, sent] of [
      [placedAt, {}, 1],
      [placedAt + 1000, {}, 0],
      [placedAt + 1000, { goLive: '2026-10-05' }, 1],
      [placedAt - 1000, { goLive: '2026-10-05T11:12:45+02:00' }, 0],
    ] as const) {
      connector = openConnector({ createdAt, rules });
      await hear({ updated_at: LATER });
      expect(calls()).toBe(sent);
    }
  });

  it('is asked for again later while the ledger does not answer, and only where it is not set', async () => {
    for (const [rules, asked] of [
      [{}, 2],
      [{ goLive: '2026-10-05' }, 0],
    ] as const) {
      connector = openConnector({ createdAt: placedAt, rules });
      let questions = 0;
      connector.parts.ledger = {
        ...connector.ledger,
        async createdAt() {
          questions += 1;
          if (questions === 1) throw new Error('no answer');
          return placedAt;
        },
      };
      await hear({ updated_at: LATER });
      expect(calls()).toBe(1);
      expect(questions).toBe(asked);
      expect(connector.telemetry.total('crash')).toBe(0);
      expect(connector.telemetry.total('retried')).toBe(asked === 0 ? 0 : 1);
    }
  });

  it('is not moved by a backfill: an order placed since is sent live', async () => {
    connector = openConnector({ createdAt: placedAt });
    await enqueue({ kind: 'order', order: storeOrder({}, { updated_at: LATER }) });
    await hear({ updated_at: '2026-10-09T10:00:00Z' });
    expect(history()).toEqual([false]);
  });
});

describe('a snapshot of a feeder', () => {
  it('is asked about when it was read too long ago', async () => {
    const order = storeOrder({}, { updated_at: OLD });
    connector.store.putOrder(SHOP, order);
    await feedOrder(order, { readAt: new Date(connector.clock.ms - 8 * 86_400_000) });
    expect(storeReads()).toBe(1);
    expect(history()).toEqual([true]);
  });

  it('carries products and coupons as well', async () => {
    connector = openConnector();
    const product = storeProduct({ updatedAt: '2024-01-01T00:00:00.000Z' });
    await feed({ kind: 'product', product }, { id: product.id });
    const coupon = storeCoupon({ updatedAt: '2024-01-01T00:00:00.000Z' });
    await feed({ kind: 'coupon', coupon }, { id: coupon.code });
    expect(connector.loyalty.rows.products.size).toBe(1);
    expect(storeReads()).toBe(0);
    expect(connector.dead.size).toBe(0);
  });

  it('cannot come from outside: no webhook is accepted under its topic', async () => {
    const { topicRoutes } = await import('../../../../shared/shopify/webhooks/topics.ts');
    expect([...topicRoutes.keys()].filter((topic) => topic.startsWith('backfill/'))).toEqual([]);
    connector = openConnector();
    const order = storeOrder({}, { updated_at: OLD });
    connector.store.putOrder(SHOP, storeOrder({}, { updated_at: LATER }));
    const forged = new TextDecoder().decode(
      encodeSnapshot({ kind: 'order', order }, new Date(connector.clock.ms)),
    );
    await connector.deliver({ topic: 'orders/updated', payload: JSON.parse(forged) });
    await connector.drain();
    expect(calls()).toBe(0);
    expect(connector.dead.size).toBe(1);
  });
});
