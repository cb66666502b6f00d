import { beforeEach, describe, expect, it } from 'vitest';
import { type openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import {
  cursorKey,
  openCursor,
  recallState,
} from '../../../../shared/core/reconcile/dependencies.ts';
import { readLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import type { StoreScan } from '../../../../shared/core/store/store.ts';
import {
  type createStoreHistory,
  openAfterRun,
  reconcileBriefly,
} from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let connector: ReturnType<typeof openConnector>;
let history: ReturnType<typeof createStoreHistory>;

async function open(given: Parameters<typeof openAfterRun>[0] = {}) {
  ({ connector, history } = await openAfterRun(given));
}
beforeEach(() => open());

const healed = () => connector.telemetry.total('healed');

describe('a run that does not come to its end', () => {
  it('stops where the store does not answer, reports it, and continues the next time', async () => {
    for (let i = 0; i < 12; i += 1) await history.putOrder(String(70 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    const { walked } = connector.parts;
    const places: unknown[] = [];
    const failing = Object.create(walked) as typeof walked;
    failing.changedOrders = async (...given: Parameters<StoreScan['changedOrders']>) => {
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
    const key = cursorKey(SHOP, 'scan/order');
    connector.parts.walked = Object.assign(Object.create(walked), {
      changedOrders: async (...given: Parameters<StoreScan['changedOrders']>) => {
        const { state, keep } = await openCursor<object>(connector.ledger, key);
        if (state) await keep(state, 1);
        return walked.changedOrders(...given);
      },
    });
    await connector.reconcile();
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(last?.stopped).toEqual([{ kind: 'order', why: 'overtaken' }]);
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
    ['scan/discount', false],
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
      const state = await recallState<object>(connector.ledger, cursorKey(SHOP, id));
      expect(JSON.stringify(state)).not.toContain('begun');
      connector.parts.walked = walked;
      await connector.reconcile();
      const looked = connector.telemetry.total('looked-at', { kind: 'coupon' });
      expect(looked).toBeGreaterThanOrEqual(50 + codes.length);
      expect(await readLastReconcile(connector.ledger, SHOP)).toMatchObject({ stopped: [] });
    },
  );

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
      changedDiscounts: async (...given: Parameters<StoreScan['changedDiscounts']>) => {
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

  it('ends in time, and the runs that follow it bring the scan to its end', async () => {
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

  it('waits while the queue is full within the codes of one discount, too', async () => {
    const codes = Array.from({ length: 700 }, (_, index) => `CODE-${index}`);
    await history.putDiscount('91', codes, {}, false);
    connector.clock.ms += HOUR_MS;
    const most = await reconcileAndWatch(connector, 'coupons');
    expect(most).toBeLessThanOrEqual(250);
    expect(connector.telemetry.total('healed', { kind: 'coupon' })).toBe(700);
  });
});

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
