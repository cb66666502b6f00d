import { beforeEach, describe, expect, it } from 'vitest';
import {
  changeControl,
  resumed,
  withOperatorPause,
  withServicePause,
} from '../../../../shared/core/calls/shop-pause.ts';
import {
  cursorKey,
  openCursor,
  recallState,
} from '../../../../shared/core/reconcile/dependencies.ts';
import { readLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import type { StoreScan } from '../../../../shared/core/store/store.ts';
import type { ScanMoments } from '../../../../shared/core/sync/dependencies.ts';
import { storeCoupon } from '../../../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';
import { createStoreHistory, openAfterRun, replaceScan } from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const OLD = { shop: SHOP, kind: 'coupon', id: 'OLD' } as const;
const MINUTE_MS = 60_000;

let connector: ReturnType<typeof openConnector>;
let history: ReturnType<typeof createStoreHistory>;

async function open(given: Parameters<typeof openAfterRun>[0] = {}) {
  ({ connector, history } = await openAfterRun(given));
}
beforeEach(() => open());

const healed = () => connector.telemetry.total('healed');

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

  it('sees what the store showed too late for the scan before', async () => {
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

  it('follows a discount whose own dates the store begins and ceases to override, in two runs each', async () => {
    await history.putDiscount('90', ['OLD'], { status: 'expired' }, true);
    await connector.drain();
    const { coupons } = connector.loyalty.rows;
    const isActive = () => [...coupons.values()].some((one) => one.isActive);
    const before = [...(await connector.ledger.readMany([OLD])).values()][0]?.version ?? 0;
    const updatedAt = new Date(before).toISOString();
    let overridden = new Map<string, string>();
    replaceScan(connector, () => ({
      overriddenDiscounts: async () => ({ kind: 'found', value: overridden }),
    }));
    // No change of its own: the version stays.
    const run = async (status: string) => {
      connector.clock.ms += HOUR_MS;
      const coupon = storeCoupon({ code: 'OLD', discountId: '90', updatedAt, status });
      connector.store.putCoupon(SHOP, coupon);
      await connector.reconcile();
      await connector.drain();
    };
    await run('expired');
    await run('active');
    expect(isActive()).toBe(false);
    overridden = new Map([['90', 'given']]);
    await run('active');
    expect(isActive()).toBe(true);
    // The worker had not seen the end yet when the run did: the next run looks again, and no other.
    overridden = new Map();
    await run('active');
    await run('expired');
    expect(isActive()).toBe(false);
    await run('active');
    expect(isActive()).toBe(false);
    expect([healed(), connector.telemetry.total('rolled-out')]).toEqual([0, 2]);
  });

  it('compares an overridden discount in the next run where the store does not answer', async () => {
    replaceScan(connector, () => ({
      overriddenDiscounts: async () => ({ kind: 'unavailable', why: 'time-out' }),
    }));
    await connector.reconcile();
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.stopped).toEqual([{ kind: 'discount', why: 'store-time-out' }]);
  });

  it('counts a lost order as lost, also where products come by Events', async () => {
    await open({ healing: { productChanges: 'events' } });
    await history.putOrder('71', {}, false);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(healed()).toBe(1);
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

  const member = (email = 'robin@example.com') => ({
    ...{ id: '61', name: 'Robin Sample', email, phone: undefined, metafields: undefined },
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: new Date(connector.clock.ms).toISOString(),
  });

  it.each([
    ['readings', ['member']],
    // Also moved by orders and by balances that are written.
    ['dates', []],
  ] as const)('heals the lost change of a customer whose versions are %s', async (_, kinds) => {
    const platform = { versionsAreReadings: kinds };
    const put = (email: string) => connector.store.putMember(SHOP, member(email));
    const run = async () => {
      connector.clock.ms += HOUR_MS;
      const sent = recordSent();
      await connector.reconcile({ platform });
      await connector.drain();
      return sent.map(({ kind, id }) => `${kind}/${id}`);
    };
    put('before@example.com');
    expect(await run()).toEqual(['member/61']);
    put('before@example.com');
    expect(await run()).toEqual([]);
    put('after@example.com');
    expect(await run()).toEqual(['member/61']);
    const mails = connector.loyalty.journal.map(({ body }) => (body as { Email?: string })?.Email);
    expect(mails).toEqual(['before@example.com', 'after@example.com']);
    expect(await readLastReconcile(connector.ledger, SHOP)).toMatchObject({
      healed: { member: 1 },
      sent: [{ kind: 'member', id: '61', why: 'stale' }],
    });
  });

  it('counts a customer who was never sent as no lost webhook where dates move without one', async () => {
    connector.store.putMember(SHOP, member());
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(await readLastReconcile(connector.ledger, SHOP)).toMatchObject({
      healed: { member: 0 },
      sent: [{ kind: 'member', id: '61', why: 'unannounced' }],
    });
  });

  it('does not ask for customers where they are sent with their orders', async () => {
    connector = openConnector({ rules: { customers: 'with-orders' } });
    connector.store.putMember(SHOP, member());
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(await readLastReconcile(connector.ledger, SHOP)).toMatchObject({
      lookedAt: { member: 0 },
    });
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
      lookedAt: { order: 2, product: 1, coupon: 2, member: 0 },
      healed: { order: 2, product: 1, coupon: 2, member: 0 },
      rolledOut: { order: 0, product: 0, coupon: 0, member: 0 },
      sent: [
        { kind: 'order', id: '71', why: 'missing' },
        { kind: 'order', id: '72', why: 'missing' },
        { kind: 'product', id: '81', why: 'missing' },
        { kind: 'coupon', id: 'A', why: 'missing' },
        { kind: 'coupon', id: 'B', why: 'missing' },
      ],
      stopped: [],
    });
    expect(await readLastReconcile(connector.ledger, 'other.myshopify.com')).toBeUndefined();
  });

  it('lets points and rewards look after the changes of a shop, unless it is only observed', async () => {
    const looked: unknown[] = [];
    const rewards: ScanMoments = {
      orderAsSent: async (_, entity) => entity,
      shopScanned: async (...given) => void looked.push(given),
    };
    await connector.reconcile({ rewards });
    expect(looked).toEqual([[SHOP, false, undefined]]);
    connector.changeMode('observe');
    await connector.reconcile({ rewards });
    expect(looked).toHaveLength(1);
  });

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

describe('a run for several shops', () => {
  const NEIGHBOUR = 'second-store.myshopify.com';
  const shops = [SHOP, NEIGHBOUR];

  it('compares one while the store of another hangs', async () => {
    connector = openConnector();
    const { walked } = connector.parts;
    const hangs: StoreScan['changedOrders'] = (shop, ...asked) =>
      shop === SHOP ? new Promise(() => {}) : walked.changedOrders(shop, ...asked);
    connector.parts.walked = Object.assign(Object.create(walked), { changedOrders: hangs });
    void connector.reconcile({ shops });
    const last = () => readLastReconcile(connector.ledger, NEIGHBOUR);
    await expect.poll(last, { timeout: 20_000 }).toMatchObject({ stopped: [] });
    expect(await readLastReconcile(connector.ledger, SHOP)).toBeUndefined();
  });

  it('compares one although the scan of another breaks off', async () => {
    connector = openConnector();
    const { walked } = connector.parts;
    const breaks: StoreScan['changedOrders'] = async (shop, ...asked) => {
      if (shop === SHOP) throw new Error('a bug');
      return walked.changedOrders(shop, ...asked);
    };
    connector.parts.walked = Object.assign(Object.create(walked), { changedOrders: breaks });
    await expect(connector.reconcile({ shops })).rejects.toThrow('a bug');
    expect(await readLastReconcile(connector.ledger, NEIGHBOUR)).toMatchObject({ stopped: [] });
    expect(connector.telemetry.total('reconciled')).toBe(0);
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

  it.each([
    ['throttled', []],
    ['misconfigured', Array(4).fill('shop-paused')],
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

describe('a shop that the store refuses, as after its app was uninstalled', () => {
  const NEIGHBOUR = 'second-store.myshopify.com';
  const UNAUTHORIZED = { kind: 'unavailable', why: 'unauthorized', misconfigured: true } as const;
  let refused: readonly string[];
  beforeEach(() => {
    connector = openConnector();
    refused = [SHOP];
    replaceScan(connector, (walked) => ({
      changedOrders: async (shop, ...given) =>
        refused.includes(shop) ? UNAUTHORIZED : walked.changedOrders(shop, ...given),
    }));
  });
  const run = async () => {
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ shops: [SHOP, NEIGHBOUR] });
  };
  const refusals = () => connector.telemetry.total('misconfigured', { why: 'store-unauthorized' });

  it('waits, and does not hide that the others were compared', async () => {
    for (let runs = 0; runs < 3; runs += 1) await run();
    expect(connector.telemetry.total('reconciled')).toBe(3);
  });

  it('rings once, so that the alarm can ring for another shop', async () => {
    await run();
    expect(refusals()).toBe(1);
    await run();
    expect(refusals()).toBe(1);
    refused = [SHOP, NEIGHBOUR];
    await run();
    await run();
    expect(refusals()).toBe(2);
    // Installed again, and uninstalled again.
    refused = [];
    await run();
    refused = [SHOP];
    await run();
    expect(refusals()).toBe(3);
  });

  it('is named in the log and in its record, with the first time', async () => {
    await run();
    const since = (await readLastReconcile(connector.ledger, SHOP))?.endedAt;
    await run();
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last).toMatchObject({ refusedSince: since, stopped: [{ why: 'store-unauthorized' }] });
    expect(connector.telemetry.logged).toContainEqual({
      level: 'error',
      message: 'this shop is refused, and waits for a person; the others go on',
      fields: { shop: SHOP, why: 'store-unauthorized', since },
    });
    expect(await readLastReconcile(connector.ledger, NEIGHBOUR)).not.toHaveProperty('refusedSince');
  });
});

describe('a run for more shops than run side by side', () => {
  const AT_ONCE = 16;
  const others = Array.from({ length: 38 }, (_, index) => `store-${index}.myshopify.com`);
  const shops = [SHOP, 'second-store.myshopify.com', ...others];
  beforeEach(() => {
    connector = openConnector({ others });
  });
  const endOf = async (shop: string) => (await readLastReconcile(connector.ledger, shop))?.endedAt;

  it('asks no more than some stores at a time, and all of them', async () => {
    let [running, most] = [0, 0];
    replaceScan(connector, (walked) => ({
      changedOrders: async (...given) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return walked.changedOrders(...given);
      },
    }));
    await connector.reconcile({ shops });
    expect(most).toBe(AT_ONCE);
    for (const shop of shops) expect(await endOf(shop)).toBeDefined();
    expect(connector.telemetry.total('reconciled')).toBe(1);
  });

  it('takes a turn from a store that holds it for its share, so that all others have theirs', async () => {
    const hanging = shops.slice(0, 2 * AT_ONCE);
    const end = new AbortController();
    const asked = new Set<string>();
    const { walked } = connector.parts;
    connector.parts.walkedUntil = (deadline) => {
      const changedOrders: StoreScan['changedOrders'] = async (shop, ...given) => {
        asked.add(shop);
        if (!hanging.includes(shop)) return walked.changedOrders(shop, ...given);
        await new Promise((resolve) => deadline.addEventListener('abort', resolve));
        return { kind: 'unavailable', why: 'aborted' };
      };
      return Object.assign(Object.create(walked), { changedOrders });
    };
    const run = connector.reconcile({ shops, deadline: end.signal, leftMs: () => 1_000 });
    const calm = shops.slice(hanging.length);
    await expect
      .poll(() => Promise.all(calm.map(endOf)), { timeout: 60_000 })
      .not.toContain(undefined);
    expect([...asked].toSorted()).toEqual(shops.toSorted());
    end.abort();
    await run;
    const [first = ''] = hanging;
    const last = await readLastReconcile(connector.ledger, first);
    expect(last?.stopped[0]).toEqual({ kind: 'order', why: 'out-of-time' });
  });

  it('begins with the shops that waited longest, where the last run was killed', async () => {
    const begun: string[] = [];
    replaceScan(connector, (walked) => ({
      changedOrders: async (shop, ...given) => {
        begun.push(shop);
        // Nothing of the first run ends.
        return begun.length <= AT_ONCE
          ? new Promise(() => {})
          : walked.changedOrders(shop, ...given);
      },
    }));
    void connector.reconcile({ shops });
    await expect.poll(() => begun.length, { timeout: 20_000 }).toBe(AT_ONCE);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ shops });
    expect(begun.slice(AT_ONCE, 2 * AT_ONCE)).toEqual(shops.slice(AT_ONCE, 2 * AT_ONCE));
  });
});

const stopped = async () => (await readLastReconcile(connector.ledger, SHOP))?.stopped;
const codesOf = (count: number) => Array.from({ length: count }, (_, index) => `CODE-${index}`);
const QUERY_REFUSED = { kind: 'unavailable', why: 'query-refused', queryRefused: true } as const;

describe('a run that does not come to its end', () => {
  it('stops where the store does not answer, reports it, and continues the next time', async () => {
    for (let i = 0; i < 12; i += 1) await history.putOrder(String(70 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    const places: unknown[] = [];
    replaceScan(connector, (walked) => ({
      changedOrders: async (...given) => {
        places.push(given[2]);
        return places.length === 2
          ? { kind: 'unavailable', why: 'unauthorized', misconfigured: true }
          : walked.changedOrders(...given);
      },
    }));
    await connector.reconcile();
    expect(healed()).toBe(7);
    expect(connector.telemetry.total('reconciled')).toBe(2);
    expect(connector.telemetry.total('misconfigured', { why: 'store-unauthorized' })).toBe(1);
    expect(await stopped()).toEqual([{ kind: 'order', why: 'store-unauthorized', refused: true }]);
    connector.clock.ms += MINUTE_MS;
    await connector.reconcile();
    expect(places[2]).toBe(places[1]);
    expect(connector.queues.orders.size).toBe(12);
    expect(connector.telemetry.total('reconciled')).toBe(3);
  });

  it('ends where a newer run has continued it', async () => {
    const key = cursorKey(SHOP, 'scan/order');
    replaceScan(connector, (walked) => ({
      changedOrders: async (...given) => {
        const { state, keep } = await openCursor<object>(connector.ledger, key);
        if (state) await keep(state, 1);
        return walked.changedOrders(...given);
      },
    }));
    await connector.reconcile();
    expect(await stopped()).toEqual([{ kind: 'order', why: 'overtaken' }]);
  });

  it.each([
    ['scan/discount', false],
    ['deep', true],
  ])(
    'begins the codes of a discount anew when the store does not know the place: %s',
    async (id, deep) => {
      const codes = codesOf(60);
      await history.putDiscount('91', codes, {}, deep);
      await connector.drain();
      connector.clock.ms += HOUR_MS;
      if (deep) await connector.reconcile();
      const undo = replaceScan(connector, () => ({ readDiscount: async () => QUERY_REFUSED }));
      connector.clock.ms += 24 * HOUR_MS;
      await connector.reconcile({ deep });
      const state = await recallState<object>(connector.ledger, cursorKey(SHOP, id));
      expect(JSON.stringify(state)).not.toContain('begun');
      undo();
      await connector.reconcile();
      const looked = connector.telemetry.total('looked-at', { kind: 'coupon' });
      expect(looked).toBeGreaterThanOrEqual(50 + codes.length);
      expect(await stopped()).toEqual([]);
    },
  );

  it('goes on within the codes of a discount where the store failed, and reads none of them twice', async () => {
    await history.putDiscount('91', ['REMOVED'], {}, true);
    await connector.drain();
    connector.clock.ms += HOUR_MS;
    await history.putDiscount('91', codesOf(230), {}, false);
    connector.clock.ms += HOUR_MS;
    let singly = 0;
    replaceScan(connector, (walked) => ({
      readCoupon: (...given) => {
        singly += 1;
        return walked.readCoupon(...given);
      },
    }));
    const undo = replaceScan(connector, () => ({
      readDiscount: async () => ({ kind: 'unavailable', why: 'server-error' }),
    }));
    await connector.reconcile();
    expect(await stopped()).toEqual([{ kind: 'discount', why: 'store-server-error' }]);
    expect(connector.telemetry.total('misconfigured')).toBe(0);
    const first = healed();
    expect(first).toBeGreaterThan(0);
    await connector.drain();
    undo();
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
    const end = new AbortController();
    const looked = () => connector.telemetry.total('looked-at');
    replaceScan(connector, (walked) => ({
      changedDiscounts: async (...given) => {
        end.abort();
        const page = await walked.changedDiscounts(...given);
        if (page.kind === 'unavailable') return page;
        const changed = page.value.changed.map((one) =>
          one.id === '92' ? { ...one, value: undefined } : one,
        );
        return { kind: 'found', value: { changed } };
      },
    }));
    await connector.reconcile({ deadline: end.signal });
    expect([healed(), looked()]).toEqual([1, 1]);
    await connector.reconcile();
    expect([healed(), looked()]).toEqual([2, 2]);
  });

  it('waits while the queue is full within the codes of one discount, too', async () => {
    await history.putDiscount('91', codesOf(700), {}, false);
    connector.clock.ms += HOUR_MS;
    let most = 0;
    const { queue } = connector.parts;
    connector.parts.queue = {
      async send(event) {
        await queue.send(event);
        most = Math.max(most, connector.queues.coupons.size);
      },
    };
    await connector.reconcile();
    expect(most).toBeLessThanOrEqual(250);
    expect(connector.telemetry.total('healed', { kind: 'coupon' })).toBe(700);
  });
});
