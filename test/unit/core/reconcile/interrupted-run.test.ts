import { beforeEach, describe, expect, it } from 'vitest';
import { type openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import {
  cursorKey,
  openCursor,
  recallState,
} from '../../../../shared/core/reconcile/dependencies.ts';
import { readLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import {
  type createStoreHistory,
  openAfterRun,
  reconcileBriefly,
  replaceScan,
} from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let connector: ReturnType<typeof openConnector>;
let history: ReturnType<typeof createStoreHistory>;
beforeEach(async () => {
  ({ connector, history } = await openAfterRun());
});

const healed = () => connector.telemetry.total('healed');
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
    expect(connector.telemetry.total('reconciled')).toBe(1);
    expect(connector.telemetry.total('misconfigured', { why: 'store-unauthorized' })).toBe(1);
    expect(await stopped()).toEqual([{ kind: 'order', why: 'store-unauthorized' }]);
    connector.clock.ms += MINUTE_MS;
    await connector.reconcile();
    expect(places[2]).toBe(places[1]);
    expect(connector.queues.orders.size).toBe(12);
    expect(connector.telemetry.total('reconciled')).toBe(2);
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

  it('begins a page list anew when the store does not know the place any more', async () => {
    for (let i = 0; i < 12; i += 1) await history.putOrder(String(70 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    let isBegunAnew = false;
    let refused = 0;
    replaceScan(connector, (walked) => ({
      changedOrders: async (shop, span, after) => {
        if (after === undefined && refused > 0) isBegunAnew = true;
        if (after === undefined || isBegunAnew) return walked.changedOrders(shop, span, after);
        refused += 1;
        return { ...QUERY_REFUSED, misconfigured: true };
      },
    }));
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

  it('ends in time, and the runs that follow it bring the scan to its end', async () => {
    await history.putDiscount('90', ['FIRST'], {}, false);
    connector.clock.ms += 1000;
    await history.putDiscount('91', codesOf(230), {}, false);
    await history.putDiscount('92', ['LAST'], {}, false);
    for (let i = 0; i < 30; i += 1) await history.putOrder(String(7_000 + i), {}, false);
    connector.clock.ms += HOUR_MS;
    let runs = 0;
    for (; runs < 100; runs += 1) {
      await reconcileBriefly(connector);
      connector.clock.ms += MINUTE_MS;
      const unfinished = await stopped();
      // Four pages of seven orders, and no fifth.
      if (runs === 0) expect(connector.queues.orders.size).toBe(28);
      if (unfinished?.length === 0) break;
      expect(unfinished?.every(({ why }) => why === 'out-of-time')).toBe(true);
    }
    expect(runs).toBeGreaterThan(2);
    expect(connector.telemetry.total('healed', { kind: 'order' })).toBe(30);
    expect(connector.telemetry.total('healed', { kind: 'coupon' })).toBe(232);
    // Each was looked at once, although their page took several runs.
    expect(connector.telemetry.total('looked-at', { kind: 'coupon' })).toBe(232);
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
