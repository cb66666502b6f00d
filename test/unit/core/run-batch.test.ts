import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger-key.ts';
import type { EventReading } from '../../../shared/core/sync/store-reader.ts';
import type { CallAnswer, CallFailure } from '../../../shared/loyalty/result.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { amount, storeCoupon, storeOrder, storeProduct } from '../../fixtures/store-entities.ts';

const DAY = 86_400_000;

let connector: ReturnType<typeof openConnector>;
beforeEach(() => {
  connector = openConnector();
});

function order(id: number, second = 1, changes: Record<string, unknown> = {}) {
  const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
  const gid = `gid://shopify/Order/${id}`;
  return buildOrder(simpleOrder, { id, admin_graphql_api_id: gid, updated_at, ...changes }).payload;
}

const answer = (status: number, body: unknown, headers = {}): CallAnswer => ({
  kind: 'answer',
  status,
  headers,
  text: JSON.stringify(body),
});
const businessError = (code: number) =>
  answer(200, { HasError: true, ErrorCode: code, ErrorMessage: 'no', Result: null });
const refusedConnection: CallFailure = {
  kind: 'failure',
  reason: 'connection',
  mayHaveHappened: false,
  code: 'ECONNREFUSED',
};

const orderIds = () =>
  [...connector.loyalty.rows.orders.values()].map(({ OriginalId }) => OriginalId).toSorted();
const ledgerText = () => JSON.stringify([...connector.ledger.entries.values()]);

/** Read without an error, with an order that cannot be looked at. */
const brokenSnapshot = (breakOff: () => never): EventReading => ({
  kind: 'snapshot',
  version: 1,
  entity: {
    kind: 'order',
    get order() {
      return breakOff();
    },
  },
});

/** Delivers it, and works until nothing is left. */
async function handle(topic: string, payload: unknown): Promise<void> {
  await connector.deliver({ topic, payload });
  await connector.drain();
}

async function deliverOrders(...ids: number[]): Promise<void> {
  for (const id of ids) await connector.deliver({ topic: 'orders/create', payload: order(id) });
}

describe('a batch', () => {
  it('never lets one group affect another', async () => {
    connector.loyalty.world.interfere = ({ body }, pass) => {
      const { OriginalId } = body as { OriginalId: string };
      if (OriginalId === '1') return refusedConnection;
      if (OriginalId === '2') return businessError(50);
      return pass();
    };
    await deliverOrders(1, 2, 3);
    expect(await connector.work('orders')).toEqual({ received: 3, left: 1 });
    expect(orderIds()).toEqual(['3']);
    expect(connector.dead.size).toBe(1);
  });

  it('never acknowledges or sends a message behind a failure in its own group', async () => {
    let calls = 0;
    connector.loyalty.world.interfere = () => {
      calls += 1;
      return refusedConnection;
    };
    for (const second of [1, 2, 3]) {
      await connector.deliver({ topic: 'orders/updated', payload: order(1, second) });
    }
    expect(await connector.work('orders')).toEqual({ received: 3, left: 3 });
    expect(calls).toBe(1);
  });

  it('applies the newest of a group with one call, whatever order they came in', async () => {
    for (const [second, name] of [
      [2, '#2'],
      [3, '#3'],
      [1, '#1'],
    ] as const) {
      await connector.deliver({ topic: 'orders/updated', payload: order(1, second, { name }) });
    }
    expect(await connector.work('orders')).toEqual({ received: 3, left: 0 });
    expect(connector.loyalty.journal).toHaveLength(1);
    expect(connector.telemetry.total('applied')).toBe(1);
    expect(connector.telemetry.total('superseded')).toBe(2);
  });

  it('reads the ledger once for all its groups and their customers, and writes once for a first send', async () => {
    let reads = 0;
    let writes = 0;
    const { ledger } = connector;
    connector.parts.ledger = {
      ...ledger,
      readMany: (keys) => {
        reads += 1;
        return ledger.readMany(keys);
      },
      write: (...args) => {
        writes += 1;
        return ledger.write(...args);
      },
    };
    await deliverOrders(1, 2, 3, 4, 5);
    await connector.work('orders');
    expect([reads, writes]).toEqual([1, 5]);

    // A change: one write to mark it and one to record it. An unchanged event: one.
    await connector.deliver({
      topic: 'orders/updated',
      payload: order(1, 2, { financial_status: 'pending' }),
    });
    await connector.deliver({ topic: 'orders/updated', payload: order(2, 2) });
    await connector.work('orders');
    expect([reads, writes]).toEqual([2, 8]);
    expect(connector.telemetry.total('unchanged')).toBe(1);

    // The same version again: none.
    await connector.deliver({ topic: 'orders/paid', payload: order(2, 2) });
    await connector.work('orders');
    expect([reads, writes]).toEqual([3, 8]);
  });

  it('leaves everything on the queue when the ledger cannot be read', async () => {
    connector.parts.ledger = {
      ...connector.ledger,
      readMany: async () => Promise.reject(new Error('down')),
    };
    await deliverOrders(1, 2);
    expect(await connector.work('orders')).toEqual({ received: 2, left: 2 });
    expect(connector.loyalty.journal).toEqual([]);
  });

  it('keeps what it could not park', async () => {
    await connector.deliver({ topic: 'orders/create', payload: '{"id": 1}' });
    const { send } = connector.dead;
    connector.dead.send = () => {
      throw new Error('down');
    };
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    connector.dead.send = send;
    await connector.drain();
    expect(connector.dead.size).toBe(1);
  });

  it('returns before its time is over, with everything unfinished still on the queue', async () => {
    const deadline = new AbortController();
    let calls = 0;
    connector.loyalty.world.interfere = () => {
      calls += 1;
      return new Promise(() => {}); // hangs for ever
    };
    await deliverOrders(1, 2, 3, 4, 5, 6);
    const work = connector.work('orders', { deadline: deadline.signal });
    setTimeout(() => deadline.abort(), 20);
    expect(await work).toEqual({ received: 6, left: 6 });
    expect(calls).toBe(4); // side by side, and not one more after the time was over
  });

  it('names every message whose delay is still being set when its time is over', async () => {
    const deadline = new AbortController();
    const delays = Promise.withResolvers<void>();
    connector.parts.source = { delay: () => delays.promise, isCrowded: async () => false };
    connector.loyalty.world.interfere = ({ body }) => {
      const { OriginalId } = body as { OriginalId: string };
      return OriginalId === '1' ? refusedConnection : new Promise(() => {});
    };
    await deliverOrders(1, 2);
    const work = connector.work('orders', { deadline: deadline.signal });
    await vi.waitFor(() => expect(connector.telemetry.total('retried')).toBe(1));
    deadline.abort();
    setTimeout(delays.resolve, 20);
    expect(await work).toEqual({ received: 2, left: 2 });
  });

  it('parks nothing that it has handed back, even if the service refuses it afterwards', async () => {
    const deadline = new AbortController();
    const late = Promise.withResolvers<CallAnswer>();
    connector.loyalty.world.interfere = () => late.promise;
    await deliverOrders(1);
    const work = connector.work('orders', { deadline: deadline.signal });
    setTimeout(() => deadline.abort(), 20);
    expect(await work).toEqual({ received: 1, left: 1 });
    late.resolve(businessError(30));
    await vi.waitFor(async () => {
      const entries = await connector.ledger.readMany([{ shop: SHOP, kind: 'order', id: '1' }]);
      expect([...entries.values()][0]?.outcomes.at(-1)?.outcome).toBe('rejected');
    });
    expect(connector.deadLetters()).toEqual([]);
  });

  it('parks what is no message of the connector, and carries on with the others', async () => {
    connector.queues.orders.send({ body: 'nonsense', groupId: 'any', deduplicationId: 'any' });
    await deliverOrders(1);
    expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
    expect(orderIds()).toEqual(['1']);
    expect(connector.deadLetters()).toMatchObject([{ attributes: { reason: 'unreadable' } }]);
    expect(connector.telemetry.total('rejected', { code: 'unreadable' })).toBe(1);
  });

  it('parks a message of a shop that left the settings, without any call', async () => {
    const shop = 'gone-store.myshopify.com';
    await connector.deliver({ topic: 'orders/create', payload: order(1), shop });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
    const [letter] = connector.deadLetters();
    expect(letter?.attributes).toMatchObject({ why: expect.stringContaining('connector.config') });
  });

  it('carries on with the other groups when a bug breaks one', async () => {
    const { ledger } = connector;
    connector.parts.ledger = {
      ...ledger,
      write: async (key, ...rest) => {
        if (key.id === '1') throw new TypeError('a bug with robin.sample@example.com in its text');
        return ledger.write(key, ...rest);
      },
    };
    await deliverOrders(1, 2);
    expect(await connector.work('orders')).toEqual({ received: 2, left: 1 });
    expect(connector.telemetry.total('crash')).toBe(1);
    expect(JSON.stringify(connector.telemetry.logged)).not.toContain('robin');
  });

  it.each([
    ['at once', (breakOff: () => never) => breakOff()],
    ['when its customer is looked for', brokenSnapshot],
  ])(
    'parks what a bug keeps from being read %s, and carries on with the others',
    async (_, bug) => {
      const { read } = connector.parts;
      connector.parts.read = (event) =>
        event.id === '1'
          ? bug(() => {
              throw new RangeError('a bug with robin.sample@example.com in its text');
            })
          : read(event);
      await deliverOrders(1, 2);
      expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
      expect(orderIds()).toEqual(['2']);
      const [letter] = connector.deadLetters();
      expect(letter?.attributes).toMatchObject({ reason: 'unreadable' });
      expect(connector.telemetry.total('crash')).toBe(1);
      expect(JSON.stringify(connector.telemetry.logged)).not.toContain('robin');
    },
  );
});

describe('retries', () => {
  it('wait as long as the service asks', async () => {
    connector.loyalty.world.interfere = () => answer(429, {}, { 'retry-after': '120' });
    await deliverOrders(1);
    await connector.work('orders');
    connector.loyalty.world.interfere = undefined;
    connector.clock.ms += 119_000;
    expect(await connector.work('orders')).toMatchObject({ received: 0 });
    connector.clock.ms += 5_000;
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
  });

  it('outlast a day without the service and cost no dead letter', async () => {
    connector.loyalty.world.interfere = () => refusedConnection;
    await deliverOrders(1, 2, 3);
    const morning = connector.clock.ms + DAY;
    while (connector.clock.ms < morning) {
      await connector.work('orders');
      connector.clock.ms += 300_000;
    }
    connector.loyalty.world.interfere = undefined;
    await connector.drain();
    expect(orderIds()).toEqual(['1', '2', '3']);
    expect(connector.dead.size).toBe(0);
  });

  it('end when the event is too old, with the reason, where a person finds it', async () => {
    connector.loyalty.world.interfere = () => refusedConnection;
    // After two days without an entry in the ledger the store is asked what the order is now.
    connector.store.putOrder(SHOP, { ...storeOrder(), id: '1' });
    await handle('orders/create', order(1));
    const [letter] = connector.deadLetters();
    expect(letter?.attributes).toMatchObject({
      reason: 'retry-window-over',
      why: expect.stringContaining('4 days'),
    });
    expect(letter?.attempts).toBeDefined();
  });

  it('do not hammer a service that is down: few calls for many orders', async () => {
    let calls = 0;
    connector.loyalty.world.interfere = () => {
      calls += 1;
      return refusedConnection;
    };
    await deliverOrders(...Array.from({ length: 40 }, (_, n) => n + 1));
    for (let n = 0; n < 4; n += 1) await connector.work('orders');
    expect(calls).toBeLessThanOrEqual(8);
    expect(connector.telemetry.total('retried', { why: 'loyalty-unavailable' })).toBeGreaterThan(
      30,
    );
  });

  it('wait for a person, without dead letters, when the credentials are refused', async () => {
    connector.loyalty.world.interfere = () => answer(401, {});
    await deliverOrders(1, 2, 3, 4, 5, 6);
    const later = connector.clock.ms + DAY;
    while (connector.clock.ms < later) {
      await connector.work('orders');
      connector.clock.ms += 600_000;
    }
    expect(connector.telemetry.total('misconfigured')).toBeGreaterThan(0);
    connector.loyalty.world.interfere = undefined;
    await connector.drain();
    expect(orderIds()).toHaveLength(6);
    expect(connector.dead.size).toBe(0);
  });
});

describe('outcomes', () => {
  it('a rejected order is parked at once with its code, and a replay of it is no duplicate', async () => {
    connector.loyalty.world.interfere = () => businessError(50);
    await deliverOrders(1);
    await connector.work('orders');
    const [letter] = connector.deadLetters();
    expect(letter?.attributes).toMatchObject({
      reason: 'rejected',
      code: 'ApiExternalCustomer_document_email_empty',
    });
    const label = { kind: 'order', code: 'ApiExternalCustomer_document_email_empty' };
    expect(connector.telemetry.total('rejected', label)).toBe(1);
    connector.loyalty.world.interfere = undefined;
    if (!letter) throw new Error('nothing was parked');
    connector.queues.orders.send({ ...letter, groupId: 'replayed', deduplicationId: 'replayed' });
    await connector.drain();
    expect(orderIds()).toEqual(['1']);
  });

  it('a rejected newest is parked, and the next newest is applied', async () => {
    connector.loyalty.world.interfere = ({ body }, pass) =>
      (body as { OrderStatus: string }).OrderStatus === 'voided' ? businessError(50) : pass();
    for (const [second, financial_status] of [
      [1, 'pending'],
      [2, 'paid'],
      [3, 'voided'],
    ] as const) {
      await connector.deliver({
        topic: 'orders/updated',
        payload: order(1, second, { financial_status }),
      });
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
      ['sent', 'orders/create', order(1)],
      ['guest', 'orders/create', order(2, 1, { customer: null })],
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
      await handle('orders/updated', order(1, second));
    }
    const key = ledgerKeyText({ shop: SHOP, kind: 'order', id: '1' });
    const entry = connector.ledger.entries.get(key);
    expect(entry?.outcomes).toHaveLength(10);
    expect(entry?.outcomes.at(-1)).toMatchObject({ outcome: 'unchanged', topic: 'orders/updated' });
  });

  it('says of an outcome that reconciling asked for it', async () => {
    const { id } = storeProduct();
    const outcomes = () => connector.ledger.entries.get(`${SHOP}|product|${id}`)?.outcomes;
    await connector.reconcile();
    const updatedAt = new Date(connector.clock.ms + 600_000).toISOString();
    connector.store.putProduct(SHOP, storeProduct({ updatedAt }));
    connector.clock.ms += DAY;
    await connector.reconcile();
    await connector.drain();
    expect(outcomes()?.at(-1)).toMatchObject({ outcome: 'applied', origin: 'reconcile' });
    const product = { id: Number(id), title: 'Coat', status: 'active', variants: [] };
    const later = new Date(connector.clock.ms).toISOString();
    await handle('products/update', { ...product, updated_at: later });
    expect(outcomes()?.at(-1)).not.toHaveProperty('origin');
  });

  it('measures from the store to the loyalty service', async () => {
    await deliverOrders(1);
    connector.clock.ms += 1_500;
    await connector.work('orders');
    const measured = () => connector.telemetry.total('latency-ms', { kind: 'order' });
    expect(measured()).toBe(1_500);
    // What is not sent has no way to measure.
    await connector.deliver({ topic: 'orders/create', payload: order(2, 1, { customer: null }) });
    connector.clock.ms += 1_500;
    await connector.work('orders');
    expect(measured()).toBe(1_500);
  });

  it('skips a guest by name, and still corrects an order it sent before', async () => {
    await handle('orders/create', order(1, 1, { customer: null }));
    expect(connector.loyalty.journal).toEqual([]);
    expect(connector.telemetry.total('skipped', { why: 'guest' })).toBe(1);
    // The same event under another topic adds no second line.
    await handle('orders/paid', order(1, 1, { customer: null }));
    const key = ledgerKeyText({ shop: SHOP, kind: 'order', id: '1' });
    expect(connector.ledger.entries.get(key)?.outcomes).toHaveLength(1);
  });
});

describe('events that leave something out', () => {
  it('a product with more variants than its body lists is read from the store before a call', async () => {
    const updatedAt = '2026-10-09T11:00:00.000Z';
    connector.store.putProduct(SHOP, storeProduct({ id: '8', price: amount('5'), updatedAt }));
    const payload = {
      id: 8,
      title: 'Linen shirt',
      status: 'active',
      updated_at: updatedAt,
      variants: [{ id: 1, price: '9.00' }],
      variant_gids: [{ admin_graphql_api_id: 'a' }, { admin_graphql_api_id: 'b' }],
    };
    await handle('products/update', payload);
    expect(connector.loyalty.journal).toMatchObject([{ body: { ProductPrice: 5 } }]);
    expect(connector.store.reads).toBe(1);
  });

  it('an order whose document is in a metafield is read from the store before a call', async () => {
    const metafield = { owner: 'customer', namespace: 'facts', key: 'document' } as const;
    connector = openConnector({ rules: { document: { from: 'metafield', ...metafield } } });
    const updated_at = '2026-10-09T11:00:01Z';
    const stored = storeOrder({}, { updated_at });
    connector.store.putOrder(SHOP, { ...stored, metafields: [{ ...metafield, value: '123' }] });
    const { payload } = buildOrder(simpleOrder, { updated_at });
    await handle('orders/create', payload);
    expect(connector.loyalty.journal).toMatchObject([{ body: { Customer: { Document: '123' } } }]);

    // Nothing changed since: the remembered document stands, and the store is not asked.
    const again = buildOrder(simpleOrder, { updated_at: '2026-10-09T11:00:02Z' }).payload;
    await handle('orders/updated', again);
    expect(connector.store.reads).toBe(1);
    expect(connector.telemetry.total('unchanged')).toBe(1);
  });
});

describe('events that lack their entity', () => {
  it.each([
    ['orders/edited', { order_edit: { id: 9, order_id: 5512345678901 } }],
    ['refunds/create', { id: 9, order_id: 5512345678901 }],
  ])('%s reads the order from the store and applies it', async (topic, payload) => {
    connector.store.putOrder(SHOP, storeOrder());
    await handle(topic, payload);
    expect(orderIds()).toEqual(['5512345678901']);
  });

  it('wait while the store cannot be asked, and are applied when it can', async () => {
    connector.store.putOrder(SHOP, storeOrder());
    connector.store.outage = { kind: 'unavailable', why: 'throttled', afterSeconds: 60 };
    await connector.deliver({
      topic: 'refunds/create',
      payload: { id: 9, order_id: 5512345678901 },
    });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    connector.store.outage = undefined;
    // As long as the store asks for.
    connector.clock.ms += 59_000;
    expect(await connector.work('orders')).toMatchObject({ received: 0 });
    await connector.drain();
    expect(orderIds()).toEqual(['5512345678901']);
  });

  it('an order deleted in the store is cancelled; an unknown one needs no call', async () => {
    await handle('orders/create', order(1));
    await connector.deliver({ topic: 'orders/delete', payload: { id: 1 } });
    await handle('orders/delete', { id: 2 });
    expect(connector.loyalty.rows.orders.get('1')).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.loyalty.rows.orders.size).toBe(1);
    expect(connector.dead.size).toBe(0);
  });

  it('a completed order deleted in the store gives its points back', async () => {
    const { payload } = buildOrder({ ...simpleOrder, fulfilledAfterDays: 1 });
    await handle('orders/fulfilled', payload);
    expect(connector.loyalty.rows.points.size).toBe(1);
    await handle('orders/delete', { id: 5512345678901 });
    expect(connector.loyalty.rows.points.size).toBe(0);
    expect(connector.dead.size).toBe(0);
  });

  it('a discount fans out into one message and one entry per code', async () => {
    const codes = Array.from({ length: 120 }, (_, n) => `CODE-${n}`);
    for (const [n, code] of codes.entries()) {
      connector.store.putCoupon(SHOP, storeCoupon({ code, codeId: String(n) }));
    }
    const payload = {
      admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/1688847450345',
      title: 'Autumn',
      status: 'ACTIVE',
      updated_at: '2026-10-09T11:00:00Z',
    };
    await handle('discounts/create', payload);
    expect(connector.loyalty.rows.coupons.size).toBe(120);
    expect(connector.ledger.entries.size).toBe(120);

    // Again, and nothing changed: no call.
    const calls = connector.loyalty.journal.length;
    connector.clock.ms += 600_000;
    await handle('discounts/update', payload);
    expect(connector.loyalty.journal).toHaveLength(calls);

    // Gone: the store names no codes any more, the ledger does.
    connector.store.remove(SHOP, 'discount', '1688847450345');
    connector.clock.ms += 600_000;
    const { admin_graphql_api_id } = payload;
    const deleted = { admin_graphql_api_id, deleted_at: '2026-10-09T11:30:00Z' };
    await handle('discounts/delete', deleted);
    const inactive = connector.loyalty.journal.filter((c) => c.operation === 'deactivateCoupon');
    expect(inactive).toHaveLength(120);
  });

  it('an automatic discount is skipped by name', async () => {
    await handle('discounts/create', {
      admin_graphql_api_id: 'gid://shopify/DiscountAutomaticNode/7',
      updated_at: '2026-10-09T11:00:00Z',
    });
    expect(connector.telemetry.total('skipped', { why: 'automatic-discount' })).toBe(1);
  });

  it('a removed code is deactivated, and nothing else of its discount is touched', async () => {
    connector.store.putCoupon(SHOP, storeCoupon({ code: 'KEPT', codeId: '1' }));
    connector.store.putCoupon(SHOP, storeCoupon({ code: 'LOST', codeId: '2' }));
    const gid = 'gid://shopify/DiscountCodeNode/1688847450345';
    const changed = { admin_graphql_api_id: gid, updated_at: '2026-10-09T11:00:00Z' };
    await handle('discounts/create', changed);
    connector.store.remove(SHOP, 'coupon', 'LOST');
    const redeem_code = { id: 'gid://shopify/DiscountRedeemCode/2', code: 'LOST' };
    await handle('discounts/redeemcode_removed', { ...changed, redeem_code });
    const last = connector.loyalty.journal.at(-1);
    expect(last).toMatchObject({ operation: 'deactivateCoupon', path: { code: 'LOST' } });
    expect(connector.loyalty.journal).toHaveLength(3);
  });
});

describe('compliance', () => {
  const redact = {
    shop_id: 1,
    shop_domain: SHOP,
    customer: { id: 6940095564, email: 'robin.sample@example.com' },
    orders_to_redact: [1],
  };

  it('redaction erases the person from the ledger and keeps the version', async () => {
    await handle('orders/create', order(1));
    const key = ledgerKeyText({ shop: SHOP, kind: 'order', id: '1' });
    const before = connector.ledger.entries.get(key);
    expect(JSON.stringify(before)).toContain('robin.sample@example.com');
    await handle('customers/redact', redact);
    const after = connector.ledger.entries.get(key);
    expect(JSON.stringify(after)).not.toMatch(/robin|Sample|6940095564|5555550100/);
    expect(after?.version).toBe(before?.version);

    // A captured body must not bring the person back.
    const calls = connector.loyalty.journal.length;
    await handle('orders/create', order(1));
    expect(connector.loyalty.journal).toHaveLength(calls);
  });

  const person = /robin|Sample|6940095564|5555550100/;
  const redacted = async () => {
    await handle('customers/redact', redact);
  };

  it.each([
    ['still on its way, of an unknown order', false, {}, []],
    ['newer than what was applied', true, { current_subtotal_price: '12.00' }, []],
    ['that ends the order', true, { cancelled_at: '2026-10-09T11:00:02Z' }, ['cancelPosOrder']],
  ])('never tells who it was: a body %s', async (_, known, changes, operations) => {
    if (known) await handle('orders/create', order(1));
    await redacted();
    const calls = connector.loyalty.journal.length;
    await handle('orders/updated', order(1, 2, changes));
    const made = connector.loyalty.journal.slice(calls).map(({ answer: _, ...call }) => call);
    expect(made.map(({ operation }) => operation)).toEqual(operations);
    expect(JSON.stringify(made)).not.toMatch(person);
    expect(ledgerText()).not.toMatch(person);
    expect(connector.dead.size).toBe(0);
  });

  it('does not try for days what cannot be sent: a change of an order without its customer', async () => {
    await handle('orders/create', order(1));
    await redacted();
    connector.clock.ms += 7_200_000;
    const noCustomer = { customer: null, email: null, current_subtotal_price: '12.00' };
    await connector.deliver({ topic: 'orders/updated', payload: order(1, 7_000, noCustomer) });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
    expect(connector.telemetry.total('skipped', { why: 'redacted' })).toBe(1);
  });

  it('never sends the person: a dead letter of an order that was refused, replayed', async () => {
    connector.loyalty.world.interfere = () => businessError(50);
    await handle('orders/create', order(1));
    expect(connector.dead.size).toBe(1);
    connector.loyalty.world.interfere = undefined;
    const calls = connector.loyalty.journal.length;
    await redacted();
    connector.clock.ms += 600_000;
    await handle('orders/create', order(1));
    expect(connector.loyalty.journal).toHaveLength(calls);
    const entry = connector.ledger.entries.get(
      ledgerKeyText({ shop: SHOP, kind: 'order', id: '1' }),
    );
    expect(entry?.outcomes.at(-1)).toMatchObject({ outcome: 'skipped', why: 'redacted' });
    expect(JSON.stringify(entry)).not.toMatch(person);
  });

  it('never sends the person: a body that a worker had sent before it died', async () => {
    const { ledger } = connector;
    await deliverOrders(1);
    connector.parts.ledger = { ...ledger, write: () => new Promise(() => {}) };
    void connector.work('orders');
    await new Promise((resolve) => setImmediate(resolve));
    connector.parts.ledger = ledger;
    const calls = connector.loyalty.journal.length;
    const marked = { redactedAt: connector.clock.ms, expiresAt: 1_900_000_000 };
    await ledger.redact([{ shop: SHOP, kind: 'order', id: '1' }], marked);
    const noCustomer = { customer: null, email: null, current_subtotal_price: '12.00' };
    await connector.deliver({ topic: 'orders/updated', payload: order(1, 2, noCustomer) });
    connector.clock.ms += 31_000; // the visibility is over
    await connector.drain();
    expect(calls).toBe(1);
    expect(JSON.stringify(connector.loyalty.journal.slice(calls))).not.toMatch(person);
    expect(JSON.stringify([...ledger.entries.values()])).not.toMatch(person);
  });

  it('sends an order again as the store has it after the redaction', async () => {
    await redacted();
    const later = order(1, 3_700);
    await handle('orders/updated', later);
    expect(orderIds()).toEqual(['1']);
  });

  it('does not let reconciling bring the person back from a store that still shows them', async () => {
    await connector.reconcile();
    connector.clock.ms += 600_000;
    const updated_at = new Date(connector.clock.ms).toISOString();
    const shown = { id: 1, admin_graphql_api_id: 'gid://shopify/Order/1', updated_at };
    connector.store.putOrder(SHOP, storeOrder({}, shown));
    connector.clock.ms += 3_600_000;
    await redacted();
    for (let run = 0; run < 2; run += 1) {
      await connector.reconcile();
      await connector.drain();
      connector.clock.ms += 3_600_000;
    }
    expect(connector.loyalty.journal).toEqual([]);
    expect(ledgerText()).not.toMatch(person);
  });

  it("another shop's redaction, sent to this address, erases nothing", async () => {
    await handle('orders/create', order(1));
    const payload = { ...redact, shop_domain: 'second-store.myshopify.com' };
    await handle('customers/redact', payload);
    expect(ledgerText()).toContain('robin.sample');
    expect(connector.dead.size).toBe(1);
  });

  it('a request for data is noted for the operator, without the person in it', async () => {
    await handle('customers/data_request', {
      ...redact,
      orders_requested: [1],
      data_request: { id: 77 },
    });
    const notice = connector.ledger.entries.get(
      ledgerKeyText({ shop: SHOP, kind: 'notice', id: 'data-request/77' }),
    );
    expect(notice?.outcomes).toMatchObject([{ outcome: 'data-request' }]);
    expect(JSON.stringify(notice)).not.toContain('robin');
    expect(connector.telemetry.total('data-request')).toBe(1);
  });

  it('the removal of the app is noted, and deletes nothing', async () => {
    await handle('orders/create', order(1));
    const before = connector.ledger.entries.size;
    await handle('app/uninstalled', { id: 1, name: 'shop', myshopify_domain: SHOP });
    expect(connector.ledger.entries.size).toBe(before + 1);
    expect(connector.telemetry.total('app-uninstalled')).toBe(1);
  });
});
