import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import {
  changeControl,
  resumed,
  withOperatorPause,
  withServicePause,
} from '../../../../shared/core/pause/shop-control.ts';
import { cursorKey, keepState, recallState } from '../../../../shared/core/reconcile/kept-state.ts';
import { readLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import type { StoreWalk } from '../../../../shared/core/sync/store-walk.ts';
import { storeEvent } from '../../../fixtures/store-event.ts';
import { createStoreHistory, reconcileBriefly } from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let connector: ReturnType<typeof openConnector>;
let history: ReturnType<typeof createStoreHistory>;

/** A connector that has run once, an hour ago. */
async function open(given: Parameters<typeof openConnector>[0] = {}) {
  connector = openConnector(given);
  history = createStoreHistory(connector);
  await connector.reconcile();
  connector.clock.ms += HOUR_MS;
}
beforeEach(() => open());

const healed = () => connector.telemetry.total('healed');

describe('a run for several shops', () => {
  const NEIGHBOUR = 'second-store.myshopify.com';
  const shops = [SHOP, NEIGHBOUR];

  it('compares one while the store of another hangs', async () => {
    connector = openConnector();
    const { walked } = connector.parts;
    const hangs: StoreWalk['changedOrders'] = (shop, ...asked) =>
      shop === SHOP ? new Promise(() => {}) : walked.changedOrders(shop, ...asked);
    connector.parts.walked = Object.assign(Object.create(walked), { changedOrders: hangs });
    void connector.reconcile({ shops });
    await vi.waitFor(async () => {
      expect(await readLastReconcile(connector.ledger, NEIGHBOUR)).toMatchObject({ stopped: [] });
    });
    expect(await readLastReconcile(connector.ledger, SHOP)).toBeUndefined();
  });

  it('compares one although the walk of another breaks off', async () => {
    connector = openConnector();
    const { walked } = connector.parts;
    const breaks: StoreWalk['changedOrders'] = async (shop, ...asked) => {
      if (shop === SHOP) throw new Error('a bug');
      return walked.changedOrders(shop, ...asked);
    };
    connector.parts.walked = Object.assign(Object.create(walked), { changedOrders: breaks });
    await expect(connector.reconcile({ shops })).rejects.toThrow('a bug');
    expect(await readLastReconcile(connector.ledger, NEIGHBOUR)).toMatchObject({ stopped: [] });
    expect(connector.telemetry.total('reconciled')).toBe(0);
  });

  it('does not count as finished while one of them is not', async () => {
    const { walked } = connector.parts;
    const silent: StoreWalk['changedOrders'] = async (shop, ...asked) =>
      shop === SHOP
        ? { kind: 'unavailable', why: 'server-error' }
        : walked.changedOrders(shop, ...asked);
    connector.parts.walked = Object.assign(Object.create(walked), { changedOrders: silent });
    const before = connector.telemetry.total('reconciled');
    await connector.reconcile({ shops });
    expect(connector.telemetry.total('reconciled')).toBe(before);
  });

  it('compares only the shop that an operator names, and keeps which request it was', async () => {
    connector = openConnector();
    await connector.reconcile({ shops, command: { shop: NEIGHBOUR, request: 'from-kim' } });
    const last = await readLastReconcile(connector.ledger, NEIGHBOUR);
    expect(last).toMatchObject({ request: 'from-kim', stopped: [] });
    expect(await readLastReconcile(connector.ledger, SHOP)).toBeUndefined();
    // The alarm about missing runs counts those of all shops.
    expect(connector.telemetry.total('reconciled')).toBe(0);
  });

  it('compares a shop although the messages of a paused one fill the queue', async () => {
    const now = new Date(connector.clock.ms);
    await changeControl(connector.ledger, NEIGHBOUR, (control) =>
      withOperatorPause(control, 'all', 'robin', now),
    );
    const order = { shop: NEIGHBOUR, kind: 'order', topic: 'orders/updated' } as const;
    const bodiless = { ...order, receivedAt: now.toISOString(), body: undefined };
    for (let i = 0; i < 1_001; i += 1) {
      await connector.send(storeEvent({ ...bodiless, id: String(i), deliveryId: String(i) }));
    }
    await connector.reconcile({ shops });
    expect(await readLastReconcile(connector.ledger, SHOP)).toMatchObject({ stopped: [] });
  });

  it.each([
    ['throttled', []],
    ['misconfigured', ['shop-paused', 'shop-paused', 'shop-paused']],
  ] as const)('compares a shop that is %s only if it goes on soon', async (why, expected) => {
    const now = new Date(connector.clock.ms);
    await changeControl(connector.ledger, SHOP, (control) =>
      withServicePause(control, { why }, now),
    );
    await connector.reconcile();
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.stopped.map((one) => one.why)).toEqual(expected);
  });

  it('sends nothing for a paused shop, and counts as finished', async () => {
    await history.putOrder('71', {}, false);
    connector.clock.ms += HOUR_MS;
    const now = new Date(connector.clock.ms);
    await changeControl(connector.ledger, SHOP, (control) =>
      withOperatorPause(control, 'all', 'robin', now),
    );
    await connector.reconcile({ shops });
    expect(connector.queues.orders.size).toBe(0);
    expect(connector.telemetry.total('reconciled')).toBe(2);
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.stopped[0]).toEqual({ kind: 'order', why: 'shop-paused' });

    await changeControl(connector.ledger, SHOP, (control) => resumed(control, 'all', now));
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ shops });
    expect(healed()).toBe(1);
  });
});

describe('one run', () => {
  it('leaves alone what changed in the last quarter of an hour, and comes back for it', async () => {
    await history.putOrder('71', {}, false);
    connector.clock.ms += 14 * MINUTE_MS;
    await connector.reconcile();
    expect(healed()).toBe(0);
    connector.clock.ms += 2 * MINUTE_MS;
    await connector.reconcile();
    expect(healed()).toBe(1);
  });

  it('counts no webhook that is merely late', async () => {
    await history.putOrder('71', {}, true);
    connector.clock.ms += 10 * MINUTE_MS;
    await connector.reconcile();
    await connector.drain();
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(healed()).toBe(0);
    // Only a deep walk may ask for so much.
    expect(connector.telemetry.total('orders-read')).toBe(0);
  });

  it('counts the second of two changes in one second as lost', async () => {
    const at = connector.clock.ms;
    await history.putProduct('81', 'First', true);
    await connector.drain();
    connector.clock.ms = at;
    await history.putProduct('81', 'Second', false);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect([healed(), connector.telemetry.total('rolled-out')]).toEqual([1, 0]);
  });

  it('sees what the store showed too late for the walk before', async () => {
    await history.putOrder('71', {}, false);
    connector.clock.ms += 16 * MINUTE_MS;
    const { walked } = connector.parts;
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async () => ({ kind: 'found', value: { changed: [] } }),
    });
    await connector.reconcile();
    expect(healed()).toBe(0);
    connector.parts.walked = walked;
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(healed()).toBe(1);
  });

  it.each([
    ['by webhooks, as lost', 'webhooks', 'Same', { healed: 1, rolledOut: 0 }],
    [
      'by Events, as no loss, if nothing that is sent changed',
      'events',
      'Same',
      { healed: 0, rolledOut: 1 },
    ],
    [
      'by Events, as lost, if something that is sent changed',
      'events',
      'Other',
      { healed: 1, rolledOut: 0 },
    ],
  ] as const)(
    'counts a product without an announcement, %s',
    async (_, productChanges, title, counts) => {
      await open({ healing: { productChanges } });
      await history.putProduct('81', 'Same', true);
      await connector.drain();
      connector.clock.ms += HOUR_MS;
      await history.putProduct('81', title, false);
      const changedAt = Math.floor(connector.clock.ms / 1000) * 1000;
      connector.clock.ms += HOUR_MS;
      await connector.reconcile();
      await connector.drain();
      const rolledOut = connector.telemetry.total('rolled-out');
      expect({ healed: healed(), rolledOut }).toEqual(counts);
      // In each case the ledger knows the newest version: an older announcement that is late changes nothing.
      const key = { shop: SHOP, kind: 'product', id: '81' } as const;
      const entries = await connector.ledger.readMany([key]);
      expect([...entries.values()][0]?.version).toBe(changedAt);
      expect(connector.loyalty.rows.products.get('81')?.Title).toBe(title);
    },
  );

  it.each([
    ['webhooks', { healed: 1, rolledOut: 0 }],
    ['events', { healed: 0, rolledOut: 1 }],
  ] as const)(
    'sends a product that the ledger does not know, with %s',
    async (productChanges, counts) => {
      await open({ healing: { productChanges } });
      await history.putProduct('81', 'From before', false);
      connector.clock.ms += HOUR_MS;
      await connector.reconcile();
      await connector.drain();
      const rolledOut = connector.telemetry.total('rolled-out');
      expect({ healed: healed(), rolledOut }).toEqual(counts);
      expect(connector.loyalty.rows.products.get('81')?.Title).toBe('From before');
    },
  );

  it.each([
    [
      'that cannot be read and was never sent',
      async () => {
        const key = { shop: SHOP, kind: 'product', id: '81' } as const;
        await connector.ledger.write(
          key,
          { version: 1, uncertain: false, outcomes: [] },
          undefined,
        );
        const { walked } = connector.parts;
        connector.parts.walked = Object.assign(Object.create(walked), {
          changedProducts: async (...given: Parameters<StoreWalk['changedProducts']>) => {
            const page = await walked.changedProducts(...given);
            if (page.kind === 'unavailable') return page;
            const changed = page.value.changed.map((one) => ({ ...one, value: undefined }));
            return { kind: 'found', value: { changed } };
          },
        });
      },
    ],
    [
      'of whose last call the end is not known',
      async () => {
        await history.putProduct('81', 'Same', true);
        await connector.drain();
        await connector.ledger.markUncertain({ shop: SHOP, kind: 'product', id: '81' });
        connector.clock.ms += HOUR_MS;
      },
    ],
  ])('counts a product %s as lost, also where products come by Events', async (_, prepare) => {
    await open({ healing: { productChanges: 'events' } });
    await prepare();
    await history.putProduct('81', 'Same', false);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect([healed(), connector.telemetry.total('rolled-out')]).toEqual([1, 0]);
  });

  it('counts a lost order as lost, also where products come by Events', async () => {
    await open({ healing: { productChanges: 'events' } });
    await history.putOrder('71', {}, false);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(healed()).toBe(1);
  });

  it('does not end a code that went to another discount', async () => {
    await history.putDiscount('91', ['KEPT', 'MOVED'], {}, true);
    await connector.drain();
    connector.clock.ms += HOUR_MS;
    await history.putDiscount('91', ['KEPT'], {}, false);
    await history.putDiscount('92', ['MOVED'], {}, false);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    const reasons = connector.telemetry.logged.map(({ fields }) => fields.why);
    expect(reasons).toContain('stale');
    expect(reasons).not.toContain('removed');
    await connector.drain();
    const codes = [...connector.loyalty.rows.coupons.values()];
    expect(codes.every(({ isActive }) => isActive)).toBe(true);
  });

  it('on a new deployment looks one interval back, and leaves history alone', async () => {
    connector = openConnector();
    const history = createStoreHistory(connector);
    await history.putOrder('71', {}, false);
    connector.clock.ms += 10 * HOUR_MS;
    await history.putOrder('72', {}, false);
    connector.clock.ms += 30 * MINUTE_MS;
    await connector.reconcile({ deep: true });
    expect(healed()).toBe(1);
    await connector.drain();
    const held = [...connector.loyalty.rows.orders.values()];
    expect(held.map(({ OriginalId }) => OriginalId)).toEqual(['72']);
  });

  it('says what it did, in figures and where the operator finds it', async () => {
    await history.putOrder('71', {}, false);
    connector.clock.ms += HOUR_MS;
    await history.putOrder('72', {}, false);
    await history.putProduct('81', 'Coat', false);
    await history.putDiscount('91', ['A', 'B'], {}, false);
    connector.clock.ms += HOUR_MS;
    const began = connector.clock.ms;
    const sent = recordSent();
    await connector.reconcile();
    expect(sent.filter((event) => 'history' in event)).toEqual([]);
    // With the wanted state: the queue must not take another state for a repetition.
    expect(sent[0]?.deliveryId).toMatch(/^reconcile\/order\/71\/\d+\/.{16}$/);
    const { telemetry } = connector;
    expect(telemetry.total('looked-at', { kind: 'order' })).toBe(2);
    expect(telemetry.total('healed', { kind: 'order' })).toBe(2);
    expect(telemetry.total('healed', { kind: 'product' })).toBe(1);
    expect(telemetry.total('healed', { kind: 'coupon' })).toBe(2);
    expect(telemetry.total('webhooks-lost')).toBe(1);
    expect(telemetry.total('reconciled')).toBe(2);
    expect(await readLastReconcile(connector.ledger, SHOP)).toEqual({
      beganAt: new Date(began).toISOString(),
      endedAt: new Date(began).toISOString(),
      lookedAt: { order: 2, product: 1, coupon: 2 },
      healed: { order: 2, product: 1, coupon: 2 },
      rolledOut: { order: 0, product: 0, coupon: 0 },
      sent: [
        { kind: 'order', id: '71', why: 'missing' },
        { kind: 'order', id: '72', why: 'missing' },
        { kind: 'product', id: '81', why: 'missing' },
        { kind: 'coupon', id: 'A', why: 'missing' },
        { kind: 'coupon', id: 'B', why: 'missing' },
      ],
      oldestHealedMs: 2 * HOUR_MS,
      stopped: [],
    });
    expect(await readLastReconcile(connector.ledger, 'other.myshopify.com')).toBeUndefined();
  });

  it.each([
    ['info', { compared: 7, asked: 1 }],
    ['warn', { compared: 7, asked: 1, stopped: 'queue-full' }],
  ])('says what comparing balances did: %s %j', async (level, repaired) => {
    await connector.reconcile({ repairBalances: async () => repaired });
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.balances).toEqual(repaired);
    expect(connector.telemetry.logged).toContainEqual({
      ...{ level, message: 'compared balances with the report' },
      fields: { shop: SHOP, ...repaired },
    });
  });

  it('does not send again for what was refused, and counts it as nothing', async () => {
    connector.loyalty.world.interfere = () => ({
      kind: 'answer',
      status: 200,
      headers: {},
      text: JSON.stringify({ HasError: true, ErrorCode: 50, ErrorMessage: 'no', Result: null }),
    });
    await history.putOrder('71', {}, true);
    await connector.drain();
    const parked = connector.dead.size;
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep: true });
    expect(parked).toBe(1);
    expect(healed()).toBe(0);
  });

  it('sends again for what was refused when its dead letter has expired: 0 points become 50', async () => {
    const { world, rows } = connector.loyalty;
    world.interfere = () => ({
      kind: 'answer',
      status: 200,
      headers: {},
      text: JSON.stringify({ HasError: true, ErrorCode: 50, ErrorMessage: 'no', Result: null }),
    });
    await history.putOrder('71', { fulfilledAfterDays: 0 }, true);
    await connector.drain();
    expect(connector.dead.size).toBe(1);
    world.interfere = undefined;

    connector.clock.ms += 14 * 24 * HOUR_MS;
    await connector.reconcile({ deep: true });
    await connector.drain();
    expect(rows.orders.size).toBe(0);

    connector.clock.ms += 24 * HOUR_MS;
    const sent = recordSent();
    await connector.reconcile({ deep: true });
    await connector.drain();
    // A backfill may have asked for it: without the mark, an order from before go-live would be skipped.
    expect(sent).toMatchObject([{ id: '71', history: true }]);
    expect([...rows.orders.values()]).toMatchObject([{ OrderTotal: 50, IsCompleted: true }]);
    // No webhook was lost, so the count that an alarm looks at stays as it was.
    expect(healed()).toBe(0);
  });

  it('does not send for what the rules skip', async () => {
    await history.putOrder('71', {}, false);
    connector.store.putOrder(SHOP, {
      ...(await orderIn(connector, '71')),
      customer: undefined,
    });
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep: true });
    expect(connector.telemetry.total('looked-at', { kind: 'order' })).toBeGreaterThan(0);
    expect(healed()).toBe(0);
  });

  it('stops where the store does not answer, reports it, and continues the next time', async () => {
    for (let i = 0; i < 12; i += 1) await history.putOrder(String(70 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    const { walked } = connector.parts;
    const places: unknown[] = [];
    const failing = Object.create(walked) as typeof walked;
    failing.changedOrders = async (...given: Parameters<StoreWalk['changedOrders']>) => {
      places.push(given[2]);
      return places.length === 2
        ? { kind: 'unavailable', why: 'unauthorized', misconfigured: true }
        : walked.changedOrders(...given);
    };
    connector.parts.walked = failing;
    await connector.reconcile();
    expect(healed()).toBe(7);
    expect(connector.telemetry.total('reconciled')).toBe(1);
    expect(connector.telemetry.total('misconfigured', { why: 'store-unauthorized' })).toBe(1);
    expect((await readLastReconcile(connector.ledger, SHOP))?.stopped).toEqual([
      { kind: 'order', why: 'store-unauthorized' },
    ]);
    connector.clock.ms += MINUTE_MS;
    await connector.reconcile();
    expect(places[2]).toBe(places[1]);
    expect(connector.queues.orders.size).toBe(12);
    expect(connector.telemetry.total('reconciled')).toBe(2);
  });

  it('ends where a newer run has continued it', async () => {
    const { walked } = connector.parts;
    const key = cursorKey(SHOP, 'walk/order');
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async (...given: Parameters<StoreWalk['changedOrders']>) => {
        const { state, revision } = await recallState<object>(connector.ledger, key);
        if (state) await keepState(connector.ledger, key, state, { version: 1, revision });
        return walked.changedOrders(...given);
      },
    });
    await connector.reconcile();
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.stopped).toEqual([{ kind: 'order', why: 'overtaken' }]);
  });

  it('waits for as long as the store asks for, and goes on in the same run', async () => {
    for (let i = 0; i < 12; i += 1) await history.putOrder(String(70 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    const { walked } = connector.parts;
    let asked = 0;
    const throttling = Object.create(walked) as typeof walked;
    throttling.changedOrders = async (...given: Parameters<StoreWalk['changedOrders']>) => {
      asked += 1;
      return asked % 2 === 0
        ? { kind: 'unavailable', why: 'throttled', afterSeconds: 12 }
        : walked.changedOrders(...given);
    };
    connector.parts.walked = throttling;
    await connector.reconcile();
    expect(healed()).toBe(12);
    expect(connector.telemetry.total('reconciled')).toBe(2);
  });

  it('begins a page list anew when the store does not know the place any more', async () => {
    for (let i = 0; i < 12; i += 1) await history.putOrder(String(70 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    const { walked } = connector.parts;
    const refusing = Object.create(walked) as typeof walked;
    let isBegunAnew = false;
    let refused = 0;
    refusing.changedOrders = async (shop, span, after) => {
      if (after === undefined && refused > 0) isBegunAnew = true;
      if (after === undefined || isBegunAnew) return walked.changedOrders(shop, span, after);
      refused += 1;
      return { kind: 'unavailable', why: 'query-refused', misconfigured: true, queryRefused: true };
    };
    connector.parts.walked = refusing;
    await connector.reconcile();
    expect(connector.queues.orders.size).toBe(7);
    connector.clock.ms += MINUTE_MS;
    await connector.reconcile();
    expect(connector.queues.orders.size).toBe(12);
    expect(refused).toBe(1);
  });

  it.each([
    ['walk/discount', false],
    ['deep', true],
  ])(
    'begins the codes of a discount anew when the store does not know the place: %s',
    async (id, deep) => {
      const codes = Array.from({ length: 60 }, (_, index) => `CODE-${index}`);
      await history.putDiscount('91', codes, {}, deep);
      await connector.drain();
      connector.clock.ms += HOUR_MS;
      if (deep) await connector.reconcile();
      const { walked } = connector.parts;
      const readDiscount = async () => ({
        kind: 'unavailable',
        why: 'query-refused',
        queryRefused: true,
      });
      connector.parts.walked = Object.assign(Object.create(walked), { readDiscount });
      connector.clock.ms += 24 * HOUR_MS;
      await connector.reconcile({ deep });
      const { state } = await recallState<object>(connector.ledger, cursorKey(SHOP, id));
      expect(JSON.stringify(state)).not.toContain('begun');
      connector.parts.walked = walked;
      await connector.reconcile();
      const looked = connector.telemetry.total('looked-at', { kind: 'coupon' });
      expect(looked).toBeGreaterThanOrEqual(50 + codes.length);
      expect(await readLastReconcile(connector.ledger, SHOP)).toMatchObject({ stopped: [] });
    },
  );

  it('finds nothing less because a clock was a day ahead once', async () => {
    connector.clock.ms += 24 * HOUR_MS;
    await connector.reconcile();
    connector.clock.ms -= 23 * HOUR_MS;
    await history.putOrder('71', {}, false);
    connector.clock.ms += 25 * MINUTE_MS;
    await connector.reconcile();
    expect(healed()).toBe(1);
  });

  it('writes codes to the ledger before their messages: their discount may be deleted first', async () => {
    await history.putDiscount('91', ['A', 'B'], {}, false);
    connector.clock.ms += HOUR_MS;
    const { queue } = connector.parts;
    const late: Parameters<typeof queue.send>[0][] = [];
    connector.parts.queue = {
      async send(event) {
        late.push(event);
      },
    };
    await connector.reconcile();
    expect(late).toHaveLength(2);
    connector.store.remove(SHOP, 'discount', '91');
    connector.clock.ms += MINUTE_MS;
    await history.ask('discount', '91', 'discounts/delete');
    await connector.drain();
    for (const event of late) await queue.send(event);
    await connector.drain();
    const codes = [...connector.loyalty.rows.coupons.values()];
    expect(codes.filter(({ isActive }) => isActive)).toEqual([]);
  });

  it('counts what it sent for before the store failed in the middle of a page', async () => {
    await history.putDiscount('90', ['KEPT', 'REMOVED', 'REMOVED-2'], {}, true);
    await connector.drain();
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    await history.putDiscount('90', ['KEPT', 'NEW'], {}, false);
    // A code that the ledger knows and that was never sent needs no end.
    const unsent = { version: 1, discountId: '90', uncertain: false, outcomes: [] };
    const key = { shop: SHOP, kind: 'coupon', id: 'NEVER-SENT' } as const;
    await connector.ledger.write(key, unsent, undefined);
    connector.clock.ms += HOUR_MS;
    const sent = recordSent();
    const { walked } = connector.parts;
    let asked = 0;
    connector.parts.walked = Object.assign(Object.create(walked), {
      readCoupon: async (...given: Parameters<typeof walked.readCoupon>) => {
        asked += 1;
        return asked === 2
          ? { kind: 'unavailable', why: 'server-error' }
          : walked.readCoupon(...given);
      },
    });
    await connector.reconcile();
    expect(connector.queues.coupons.size).toBe(3);
    expect(healed()).toBe(3);
    const removal = { claim: 'code-removed', topic: 'discounts/redeemcode_removed' };
    expect(sent.at(-1)).toMatchObject({ id: 'REMOVED', ...removal });
    await connector.drain();
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(healed()).toBe(4);
  });

  it('goes on within the codes of a discount where the store failed, and reads none of them twice', async () => {
    await history.putDiscount('91', ['REMOVED'], {}, true);
    await connector.drain();
    connector.clock.ms += HOUR_MS;
    const codes = Array.from({ length: 230 }, (_, index) => `CODE-${index}`);
    await history.putDiscount('91', codes, {}, false);
    connector.clock.ms += HOUR_MS;
    const { walked } = connector.parts;
    let singly = 0;
    const failing = Object.assign(Object.create(walked), {
      readDiscount: async () => ({ kind: 'unavailable', why: 'server-error' }),
      readCoupon: (...given: Parameters<typeof walked.readCoupon>) => {
        singly += 1;
        return walked.readCoupon(...given);
      },
    });
    connector.parts.walked = failing;
    await connector.reconcile();
    const { stopped } = (await readLastReconcile(connector.ledger, SHOP)) ?? {};
    expect(stopped).toEqual([{ kind: 'discount', why: 'store-server-error' }]);
    expect(connector.telemetry.total('misconfigured')).toBe(0);
    const first = healed();
    expect(first).toBeGreaterThan(0);
    await connector.drain();
    failing.readDiscount = walked.readDiscount.bind(walked);
    await connector.reconcile();
    expect([healed(), connector.telemetry.total('looked-at')]).toEqual([231, 230]);
    // Only the code that the discount has lost since.
    expect(singly).toBe(1);
  });

  it('keeps what it compared of a page before its time was over at a discount without codes', async () => {
    await history.putDiscount('91', ['A'], {}, false);
    connector.clock.ms += 1000;
    await history.putDiscount('92', ['B'], {}, false);
    connector.clock.ms += HOUR_MS;
    const { walked } = connector.parts;
    const end = new AbortController();
    const looked = () => connector.telemetry.total('looked-at');
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedDiscounts: async (...given: Parameters<StoreWalk['changedDiscounts']>) => {
        end.abort();
        const page = await walked.changedDiscounts(...given);
        if (page.kind === 'unavailable') return page;
        const changed = page.value.changed.map((one) =>
          one.id === '92' ? { ...one, value: undefined } : one,
        );
        return { kind: 'found', value: { changed } };
      },
    });
    await connector.reconcile({ deadline: end.signal });
    expect([healed(), looked()]).toEqual([1, 1]);
    await connector.reconcile();
    expect([healed(), looked()]).toEqual([2, 2]);
  });

  it('ends in time, and the runs that follow it bring the walk to its end', async () => {
    const codes = Array.from({ length: 230 }, (_, index) => `CODE-${index}`);
    await history.putDiscount('90', ['FIRST'], {}, false);
    connector.clock.ms += 1000;
    await history.putDiscount('91', codes, {}, false);
    await history.putDiscount('92', ['LAST'], {}, false);
    for (let i = 0; i < 30; i += 1) await history.putOrder(String(7_000 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    let runs = 0;
    for (; runs < 100; runs += 1) {
      await reconcileBriefly(connector);
      connector.clock.ms += MINUTE_MS;
      const last = await readLastReconcile(connector.ledger, SHOP);
      // Four pages of seven orders, and no fifth.
      if (runs === 0) expect(connector.queues.orders.size).toBe(28);
      if (last?.stopped.length === 0) break;
      expect(last?.stopped.every(({ why }) => why === 'out-of-time')).toBe(true);
    }
    expect(runs).toBeGreaterThan(2);
    expect(connector.telemetry.total('healed', { kind: 'order' })).toBe(30);
    expect(connector.telemetry.total('healed', { kind: 'coupon' })).toBe(232);
    // Each was looked at once, although their page took several runs.
    expect(connector.telemetry.total('looked-at', { kind: 'coupon' })).toBe(232);
  });

  it('says that its time was over when it ended while the store was waited for', async () => {
    await history.putOrder('71', {}, false);
    connector.clock.ms += HOUR_MS;
    const { walked } = connector.parts;
    const end = new AbortController();
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async () => {
        end.abort();
        return { kind: 'unavailable', why: 'aborted' };
      },
    });
    await connector.reconcile({ deep: true, deadline: end.signal });
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.stopped[0]).toEqual({ kind: 'order', why: 'out-of-time' });
    expect(last?.deep?.stopped).toEqual({ in: 'order', why: 'out-of-time' });
  });

  it('waits while the queue is full, and leaves the rest to the next run', async () => {
    for (let i = 0; i < 260; i += 1) await history.putOrder(String(7_000 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    const most = await reconcileAndWatch(connector, 'orders');
    expect(most).toBeLessThanOrEqual(210);
    expect(most).toBeGreaterThan(190);
    await connector.drain();
    await connector.reconcile();
    await connector.drain();
    expect(connector.loyalty.rows.orders.size).toBe(260);
  });

  it('waits while the queue is full within the codes of one discount, too', async () => {
    const codes = Array.from({ length: 700 }, (_, index) => `CODE-${index}`);
    await history.putDiscount('91', codes, {}, false);
    connector.clock.ms += HOUR_MS;
    const most = await reconcileAndWatch(connector, 'coupons');
    expect(most).toBeLessThanOrEqual(250);
    expect(connector.telemetry.total('healed', { kind: 'coupon' })).toBe(700);
  });
});

/** What is sent from now on. */
function recordSent() {
  const { queue } = connector.parts;
  const sent: Parameters<typeof queue.send>[0][] = [];
  connector.parts.queue = {
    async send(event) {
      sent.push(event);
      await queue.send(event);
    },
  };
  return sent;
}

async function orderIn({ store }: ReturnType<typeof openConnector>, id: string) {
  const answer = await store.readOrder(SHOP, id);
  if (answer.kind !== 'found') throw new Error('no such order');
  return answer.value;
}

/** The most messages that waited at once. */
async function reconcileAndWatch(
  connector: ReturnType<typeof openConnector>,
  family: 'orders' | 'coupons',
): Promise<number> {
  let most = 0;
  const { queue } = connector.parts;
  connector.parts.queue = {
    async send(event) {
      await queue.send(event);
      most = Math.max(most, connector.queues[family].size);
    },
  };
  await connector.reconcile();
  return most;
}
