import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import { createMemoryLedger } from '../../../../local/harness/memory-ledger.ts';
import { askForDeepWalk } from '../../../../shared/core/reconcile/deep-walk.ts';
import { cursorKey, keepState, recallState } from '../../../../shared/core/reconcile/kept-state.ts';
import { readLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { storeOrder } from '../../../fixtures/store-entities.ts';
import { createStoreHistory, reconcileBriefly } from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OTHER_URL = 'https://www.example.com/p/{handle}';

type Connector = ReturnType<typeof openConnector>;

/** A connector that knows orders, products and codes, all of them told by webhooks. */
async function open({ orders = 3, products = 3, codes = ['A', 'B'] } = {}) {
  const connector = openConnector();
  const history = createStoreHistory(connector);
  await connector.reconcile();
  connector.clock.ms += HOUR_MS;
  for (let i = 1; i <= orders; i += 1) await history.putOrder(String(70 + i), {}, true);
  for (let i = 1; i <= products; i += 1) await history.putProduct(String(80 + i), `Hat ${i}`, true);
  await history.putDiscount('91', codes, {}, true);
  await connector.drain();
  connector.clock.ms += HOUR_MS;
  await connector.reconcile();
  return { connector, history };
}

async function reconcileDeeply(connector: Connector): Promise<void> {
  await connector.reconcile({ deep: true });
  await connector.drain();
}

const healed = ({ telemetry }: Connector, kind: string) => telemetry.total('healed', { kind });
const rolledOut = ({ telemetry }: Connector, kind: string) =>
  telemetry.total('rolled-out', { kind });
const ordersOf = ({ loyalty }: Connector) => [...loyalty.rows.orders.values()];
/** Calls that may change something: a deep walk also reads. */
const changes = ({ loyalty }: Connector) =>
  loyalty.journal.filter(({ operation }) => operation !== 'getOrder').length;
const cancelled = (connector: Connector) =>
  ordersOf(connector)
    .filter((order) => order.IsCancelledOrReturned)
    .map(({ OriginalId }) => OriginalId);
const activeCodes = ({ loyalty }: Connector) =>
  [...loyalty.rows.coupons.values()]
    .filter(({ isActive }) => isActive)
    .map(({ CouponCode }) => CouponCode)
    .toSorted();
const productsOnOffer = ({ loyalty }: Connector) =>
  [...loyalty.rows.products.values()]
    .filter((product) => product.IsActive)
    .map(({ OriginalId }) => OriginalId)
    .toSorted();

describe('a deep walk that is asked for', () => {
  const key = cursorKey(SHOP, 'deep');
  const now = () => new Date(9_000);
  const walk = { from: undefined, until: 7 };
  const anew = { began: 9_000, phase: 'order' };

  it.each([
    [undefined, anew],
    [{ began: 1, phase: 'done' }, anew],
    // Nothing was compared yet.
    [
      { began: 1, phase: 'order' },
      { began: 1, phase: 'order' },
    ],
    [
      { began: 1, phase: 'order', walk },
      { began: 1, phase: 'order', walk, again: true },
    ],
    [
      { began: 1, phase: 'product' },
      { began: 1, phase: 'product', again: true },
    ],
    [
      { began: 1, phase: 'ledger' },
      { began: 1, phase: 'ledger', again: true },
    ],
  ])('while the last one is at %j begins, or begins again', async (before, after) => {
    const ledger = createMemoryLedger();
    if (before) await keepState(ledger, key, before, { version: 1, revision: undefined });
    await askForDeepWalk(SHOP, { ledger, now });
    const { state } = await recallState(ledger, key);
    expect(JSON.parse(JSON.stringify(state))).toEqual(JSON.parse(JSON.stringify(after)));
  });

  it('is not forgotten where another run writes at the same moment', async () => {
    const ledger = createMemoryLedger();
    let conflicts = 2;
    const write: typeof ledger.write = async (...given) => {
      conflicts -= 1;
      return conflicts < 0 ? ledger.write(...given) : { kind: 'conflict' };
    };
    await askForDeepWalk(SHOP, { ledger: { ...ledger, write }, now });
    expect((await recallState(ledger, key)).state).toEqual(anew);
  });

  it('is given up where another run writes at every attempt', async () => {
    let attempts = 0;
    const write = async () => {
      attempts += 1;
      if (attempts > 9) throw new Error('it does not end');
      return { kind: 'conflict' } as const;
    };
    await askForDeepWalk(SHOP, { ledger: { ...createMemoryLedger(), write }, now });
    expect(attempts).toBe(5);
  });
});

describe('a deep walk', () => {
  it('heals nothing where everything is as it should be', async () => {
    const { connector } = await open();
    const calls = changes(connector);
    await reconcileDeeply(connector);
    expect(connector.telemetry.total('healed')).toBe(0);
    expect(changes(connector)).toBe(calls);
    // Each was seen in the store, and each was asked for as the ledger has it.
    expect(connector.telemetry.total('looked-at', { kind: 'order' })).toBeGreaterThanOrEqual(6);
  });

  it('sends the order of a customer who has an e-mail address by now, without an event', async () => {
    const { connector } = await open({ orders: 0 });
    const at = new Date(connector.clock.ms).toISOString();
    const customer = { id: 5, first_name: 'Robin', phone: '+15555550100' };
    const changes = { customer, email: '', created_at: at, processed_at: at, updated_at: at };
    connector.store.putOrder(SHOP, storeOrder({}, changes));
    await connector.deliver({
      topic: 'orders/create',
      payload: buildOrder(simpleOrder, changes).payload,
    });
    await connector.drain();
    expect(connector.telemetry.total('skipped', { why: 'customer-without-email' })).toBe(1);

    const named = { ...changes, customer: { ...customer, email: 'robin.sample@example.com' } };
    connector.store.putOrder(SHOP, storeOrder({}, named));
    connector.clock.ms += HOUR_MS;
    await reconcileDeeply(connector);
    expect(ordersOf(connector)).toMatchObject([{ OrderTotal: 50 }]);
  });

  it('counts what the hourly walk missed as lost', async () => {
    const { connector, history } = await open();
    await history.putOrder('79', {}, false);
    connector.clock.ms += HOUR_MS;
    const { walked } = connector.parts;
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async (...given: Parameters<typeof walked.changedOrders>) =>
        given[1].from === undefined
          ? walked.changedOrders(...given)
          : { kind: 'found', value: { changed: [] } },
    });
    await reconcileDeeply(connector);
    expect([healed(connector, 'order'), rolledOut(connector, 'order')]).toEqual([1, 0]);
  });

  it('rolls a corrected rule out to products sent long ago, and to no order', async () => {
    const { connector } = await open();
    connector.clock.ms += 30 * DAY_MS;
    await connector.reconcile();
    connector.changeRules({
      productUrl: OTHER_URL,
      metadata: () => ({ channel: 'web' }),
    });
    await connector.reconcile();
    expect(connector.telemetry.total('healed')).toBe(0);
    await reconcileDeeply(connector);
    // No webhook was lost, and so the count that an alarm looks at stays what it was.
    expect(connector.telemetry.total('healed')).toBe(0);
    expect(rolledOut(connector, 'product')).toBe(3);
    expect(await readLastReconcile(connector.ledger, SHOP)).toMatchObject({
      healed: { order: 0, product: 0, coupon: 0 },
      rolledOut: { order: 0, product: 3, coupon: 0 },
    });
    for (const { Url } of connector.loyalty.rows.products.values()) {
      expect(Url).toMatch(/^https:\/\/www\.example\.com\/p\//);
    }
    await reconcileDeeply(connector);
    expect(rolledOut(connector, 'product')).toBe(3);
    expect(rolledOut(connector, 'order')).toBe(0);
  });

  it('sends nothing anew only because the ledger has forgotten it', async () => {
    const { connector, history } = await open({ products: 0, codes: ['A'] });
    const endsAt = new Date(connector.clock.ms + DAY_MS).toISOString();
    await history.putDiscount('92', ['ENDED'], { endsAt }, true);
    await connector.drain();
    connector.clock.ms += 2 * DAY_MS;
    await reconcileDeeply(connector);
    const before = connector.telemetry.total('healed');
    const calls = changes(connector);
    connector.clock.ms += 401 * DAY_MS;
    connector.ledger.expire(connector.clock.ms / 1000);
    await reconcileDeeply(connector);
    expect(connector.telemetry.total('looked-at', { kind: 'order' })).toBeGreaterThan(6);
    expect(connector.telemetry.total('healed')).toBe(before);
    expect(changes(connector)).toBe(calls);
    expect([...connector.ledger.entries.keys()].some((key) => key.includes('ENDED'))).toBe(false);
    // What has never been told, and is young enough to be remembered, is missing all the same.
    await history.putOrder('79', {}, false);
    connector.clock.ms += 399 * DAY_MS;
    await connector.reconcile({ deep: true });
    expect(connector.telemetry.total('healed')).toBe(before + 1);
  });

  it('ends a code whose last day has come without an event', async () => {
    const connector = openConnector();
    const history = createStoreHistory(connector);
    await connector.reconcile();
    connector.clock.ms += HOUR_MS;
    const endsAt = new Date(connector.clock.ms + 10 * DAY_MS).toISOString();
    await history.putDiscount('91', ['SPRING'], { endsAt }, true);
    await connector.drain();
    expect(activeCodes(connector)).toEqual(['SPRING']);
    connector.clock.ms += 11 * DAY_MS;
    await reconcileDeeply(connector);
    expect(activeCodes(connector)).toEqual([]);
  });

  it('finds what the store deleted without a word', async () => {
    const { connector } = await open();
    connector.store.remove(SHOP, 'order', '72');
    connector.store.remove(SHOP, 'product', '82');
    connector.store.remove(SHOP, 'discount', '91');
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    await connector.drain();
    expect(cancelled(connector)).toEqual([]);
    await reconcileDeeply(connector);
    expect(cancelled(connector)).toEqual(['72']);
    expect(productsOnOffer(connector)).toEqual(['81', '83']);
    expect(activeCodes(connector)).toEqual([]);
    expect(connector.dead.size).toBe(0);

    const calls = changes(connector);
    const before = connector.telemetry.total('healed');
    connector.clock.ms += HOUR_MS;
    await reconcileDeeply(connector);
    expect(connector.telemetry.total('healed')).toBe(before);
    expect(changes(connector)).toBe(calls);
  });

  it('ends what may have reached the service and the store lacks, and nothing that was never sent', async () => {
    const { connector } = await open();
    for (const [kind, id, uncertain] of [
      ['order', '78', false],
      ['product', '88', false],
      ['product', '89', true],
      ['coupon', 'NEVER-SENT', false],
    ] as const) {
      const entry = { version: 1, uncertain, outcomes: [] };
      const discount = kind === 'coupon' && { discountId: '99' };
      await connector.ledger.write({ shop: SHOP, kind, id }, { ...entry, ...discount }, undefined);
    }
    await connector.reconcile({ deep: true });
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.sent).toEqual([{ kind: 'product', id: '89', why: 'deleted' }]);
  });

  it('finds a code that was removed from its discount', async () => {
    const { connector } = await open();
    connector.store.remove(SHOP, 'coupon', 'B');
    await reconcileDeeply(connector);
    expect(activeCodes(connector)).toEqual(['A']);
    expect(healed(connector, 'coupon')).toBe(1);
  });

  describe('without the right to see all orders', () => {
    it('cancels none that is merely out of sight', async () => {
      const { connector } = await open();
      connector.store.allOrders = false;
      for (const days of [59, 1, 1, 100]) {
        connector.clock.ms += days * DAY_MS;
        await reconcileDeeply(connector);
        expect(cancelled(connector)).toEqual([]);
        expect(connector.queues.orders.size).toBe(0);
      }
      expect(connector.dead.size).toBe(0);
    });

    it('cancels none out of sight even if it really was deleted: that cannot be known', async () => {
      const { connector } = await open();
      connector.store.allOrders = false;
      connector.clock.ms += 61 * DAY_MS;
      connector.store.remove(SHOP, 'order', '72');
      await reconcileDeeply(connector);
      expect(cancelled(connector)).toEqual([]);
    });

    it('finds a deleted order that it would have to see', async () => {
      const { connector } = await open();
      connector.store.allOrders = false;
      connector.clock.ms += 50 * DAY_MS;
      connector.store.remove(SHOP, 'order', '72');
      await reconcileDeeply(connector);
      expect(cancelled(connector)).toEqual(['72']);
    });

    it('cancels none of which it does not remember the day: a redacted one, for one', async () => {
      const { connector } = await open();
      connector.store.allOrders = false;
      await connector.ledger.redact([{ shop: SHOP, kind: 'order', id: '72' }], {
        redactedAt: connector.clock.ms,
        expiresAt: 1_900_000_000,
      });
      connector.store.remove(SHOP, 'order', '72');
      await reconcileDeeply(connector);
      expect(cancelled(connector)).toEqual([]);
    });

    it('cancels nothing when the right is taken away in the middle', async () => {
      const { connector } = await open();
      connector.clock.ms += 100 * DAY_MS;
      const { walked } = connector.parts;
      connector.parts.walked = Object.assign(Object.create(walked), {
        // Asked while it had the scope; answered when it had it no more.
        findAbsent: async (...given: Parameters<typeof walked.findAbsent>) => {
          connector.store.allOrders = false;
          return walked.findAbsent(...given);
        },
      });
      await connector.reconcile({ deep: true });
      // The worker would ask the store, too, and see as little.
      await connector.drain();
      expect(cancelled(connector)).toEqual([]);
      connector.store.allOrders = true;
      connector.parts.walked = walked;
      await reconcileDeeply(connector);
      expect(cancelled(connector)).toEqual([]);
    });
  });

  it('ends nothing in a store that shows less than half of what the ledger has', async () => {
    // One page of the ledger: each page is judged by itself.
    const { connector } = await open({ orders: 28, products: 28 });
    for (let i = 1; i <= 20; i += 1) {
      connector.store.remove(SHOP, 'order', String(70 + i));
      connector.store.remove(SHOP, 'product', String(80 + i));
    }
    await reconcileDeeply(connector);
    expect(cancelled(connector)).toEqual([]);
    expect(productsOnOffer(connector)).toHaveLength(28);
    const why = 'store-lacks-most-of-the-ledger';
    expect(connector.telemetry.total('misconfigured', { why })).toBeGreaterThan(0);
  });

  it.each([
    { products: 7, removed: 4, left: 3 },
    { products: 9, removed: 5, left: 9 },
    { products: 10, removed: 5, left: 5 },
  ])('doubts the store from five on, if more than half are absent: %j', async (given) => {
    const { connector } = await open({ orders: 0, products: given.products });
    for (let i = 1; i <= given.removed; i += 1) {
      connector.store.remove(SHOP, 'product', String(80 + i));
    }
    await reconcileDeeply(connector);
    expect(productsOnOffer(connector)).toHaveLength(given.left);
  });

  it('asks the store for at most 250 at once, and never for none', async () => {
    const { connector } = await open({ orders: 0, products: 0 });
    const { ledger, walked } = connector.parts;
    const entries = Array.from({ length: 500 }, (_, index) => ({
      key: { shop: SHOP, kind: 'product', id: `${index}` } as const,
      entry: { version: 1, uncertain: true, outcomes: [], revision: 1 },
    }));
    connector.parts.ledger = { ...ledger, scanEntities: async () => ({ entries }) };
    const asked: unknown[] = [];
    const findAbsent: typeof walked.findAbsent = async (_, kind, ids) => {
      asked.push([kind, ids.length]);
      return { kind: 'found', value: new Set() };
    };
    connector.parts.walked = Object.assign(Object.create(walked), { findAbsent });
    await connector.reconcile({ deep: true });
    expect(asked).toEqual([
      ['product', 250],
      ['product', 250],
    ]);
  });

  it('ends nothing while the store does not answer', async () => {
    const { connector } = await open();
    connector.store.outage = { kind: 'unavailable', why: 'server-error' };
    await connector.reconcile({ deep: true });
    expect(Object.values(connector.queues).map(({ size }) => size)).toEqual([0, 0, 0]);
    connector.store.outage = undefined;
  });

  it('leaves alone what changed a moment ago: the store may not show it yet', async () => {
    const { connector, history } = await open();
    await history.putOrder('79', {}, true);
    await connector.drain();
    connector.store.remove(SHOP, 'order', '79');
    await reconcileDeeply(connector);
    expect(cancelled(connector)).toEqual([]);
  });

  it('never ends the entities of another shop', async () => {
    const { connector } = await open();
    const other = { shop: 'second-store.myshopify.com', kind: 'order', id: '5' } as const;
    const entry = { version: 1, appliedKey: 'key', uncertain: false, outcomes: [] };
    await connector.ledger.write(other, entry, undefined);
    await connector.reconcile({ deep: true });
    expect(connector.queues.orders.size).toBe(0);
  });

  it('comes to its end over as many runs as it takes, one page in each', async () => {
    const { connector } = await open({ orders: 30, products: 30 });
    connector.store.remove(SHOP, 'order', '100');
    connector.store.remove(SHOP, 'product', '110');
    connector.changeRules({ productUrl: OTHER_URL });
    connector.clock.ms += DAY_MS;
    let runs = 0;
    for (; runs < 200; runs += 1) {
      // The three walks of the hour come first, then one page of the deep one.
      await reconcileBriefly(connector, runs === 0);
      await connector.drain();
      connector.clock.ms += HOUR_MS;
      const last = await readLastReconcile(connector.ledger, SHOP);
      expect(last?.deep).toBeDefined();
      if (last?.deep?.stopped === undefined) break;
    }
    expect(runs).toBeGreaterThan(5);
    expect(cancelled(connector)).toEqual(['100']);
    expect(healed(connector, 'order')).toBe(1);
    expect(rolledOut(connector, 'product')).toBe(29);
    expect(productsOnOffer(connector)).not.toContain('110');
    await connector.reconcile();
    expect(await readLastReconcile(connector.ledger, SHOP)).not.toHaveProperty('deep');
  });

  it('asked for again while it is under way, begins once more at its end', async () => {
    const { connector } = await open({ products: 20 });
    connector.clock.ms += DAY_MS;
    const { walked } = connector.parts;
    let pages = 0;
    const end = new AbortController();
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedProducts: async (...given: Parameters<typeof walked.changedProducts>) => {
        pages += 1;
        if (pages === 3) end.abort();
        return walked.changedProducts(...given);
      },
    });
    await connector.reconcile({ deep: true, deadline: end.signal });
    expect(pages).toBe(3);
    connector.parts.walked = walked;
    // The first products were compared by the old rules; now come the new ones.
    connector.changeRules({ productUrl: OTHER_URL });
    await connector.reconcile({ deep: true });
    await connector.drain();
    for (const { Url } of connector.loyalty.rows.products.values()) {
      expect(Url).toMatch(/^https:\/\/www\.example\.com\/p\//);
    }
    // And then it is over.
    await connector.reconcile();
    expect(await readLastReconcile(connector.ledger, SHOP)).not.toHaveProperty('deep');
  });

  it('is not forgotten by a run that breaks off before its turn', async () => {
    const { connector } = await open();
    connector.clock.ms += DAY_MS;
    const { walked } = connector.parts;
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedProducts: async () => {
        throw new Error('out of memory');
      },
    });
    await expect(connector.reconcile({ deep: true })).rejects.toThrow('out of memory');
    connector.parts.walked = walked;
    await connector.reconcile();
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.deep).toEqual({ beganAt: expect.any(String) });
  });

  it('waits for as long as the store asks for, and goes on in the same run', async () => {
    const { connector } = await open({ orders: 20 });
    connector.clock.ms += DAY_MS;
    const { walked } = connector.parts;
    let asked = 0;
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async (...given: Parameters<typeof walked.changedOrders>) => {
        asked += 1;
        return asked === 3
          ? { kind: 'unavailable', why: 'throttled', afterSeconds: 12 }
          : walked.changedOrders(...given);
      },
    });
    await connector.reconcile({ deep: true });
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.deep).toEqual({ beganAt: expect.any(String) });
  });

  it('continues at its page after the store did not answer', async () => {
    const { connector } = await open({ orders: 20 });
    connector.clock.ms += DAY_MS;
    const { walked } = connector.parts;
    let [begun, failures] = [0, 1];
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async (...given: Parameters<typeof walked.changedOrders>) => {
        const [, { from }, after] = given;
        if (from === undefined && after === undefined) begun += 1;
        if (after === undefined || failures === 0) return walked.changedOrders(...given);
        failures -= 1;
        return { kind: 'unavailable', why: 'server-error' };
      },
    });
    await connector.reconcile({ deep: true });
    await connector.reconcile();
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect([last?.deep, begun]).toEqual([{ beganAt: expect.any(String) }, 1]);
  });

  it('ends where a newer run has continued it', async () => {
    const { connector } = await open();
    connector.clock.ms += DAY_MS;
    const { walked } = connector.parts;
    const key = cursorKey(SHOP, 'deep');
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async (...given: Parameters<typeof walked.changedOrders>) => {
        const { state, revision } = await recallState<object>(connector.ledger, key);
        const isDeep = given[1].from === undefined;
        if (state && isDeep)
          await keepState(connector.ledger, key, state, { version: 1, revision });
        return walked.changedOrders(...given);
      },
    });
    await connector.reconcile({ deep: true });
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.deep?.stopped).toMatchObject({ why: 'overtaken' });
  });

  it('begins a phase anew when the store does not know the place any more', async () => {
    const { connector } = await open({ orders: 20 });
    connector.clock.ms += DAY_MS;
    const { walked } = connector.parts;
    let refused = 0;
    let isBegunAnew = false;
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async (...given: Parameters<typeof walked.changedOrders>) => {
        const [, { from }, after] = given;
        if (from === undefined && after === undefined && refused > 0) isBegunAnew = true;
        if (after === undefined || isBegunAnew) return walked.changedOrders(...given);
        refused += 1;
        return {
          kind: 'unavailable',
          why: 'query-refused',
          misconfigured: true,
          queryRefused: true,
        };
      },
    });
    await connector.reconcile({ deep: true });
    expect((await readLastReconcile(connector.ledger, SHOP))?.deep?.stopped).toEqual({
      in: 'order',
      why: 'store-query-refused',
    });
    await connector.reconcile();
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.deep).toEqual({ beganAt: expect.any(String) });
    expect(refused).toBe(1);
  });

  it('waits while the queue is full', async () => {
    const { connector } = await open({ orders: 0, products: 260 });
    connector.changeRules({ productUrl: OTHER_URL });
    connector.clock.ms += DAY_MS;
    let most = 0;
    const { queue } = connector.parts;
    connector.parts.queue = {
      async send(event) {
        await queue.send(event);
        most = Math.max(most, connector.queues.products.size);
      },
    };
    await connector.reconcile({ deep: true });
    expect(most).toBeLessThanOrEqual(210);
    expect(rolledOut(connector, 'product')).toBe(260);
  });
});
