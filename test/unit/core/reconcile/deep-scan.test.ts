import { describe, expect, it, vi } from 'vitest';
import { SHOP } from '../../../../local/harness/in-process-connector.ts';
import { createMemoryLedger } from '../../../../local/harness/memory-ledger.ts';
import { askForDeepScan } from '../../../../shared/core/reconcile/deep-scan.ts';
import {
  cursorKey,
  openCursor,
  recallState,
} from '../../../../shared/core/reconcile/dependencies.ts';
import { openKnowing, reconcileBriefly, replaceScan } from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OTHER_URL = 'https://www.example.com/p/{handle}';

describe('the course of a deep scan', () => {
  it('comes to its end over as many runs as it takes, one page in each', async () => {
    const connector = await openKnowing({ orders: 30, products: 30 });
    connector.store.remove(SHOP, 'order', '100');
    connector.store.remove(SHOP, 'product', '110');
    connector.changeRules({ productUrl: OTHER_URL });
    connector.clock.ms += DAY_MS;
    let runs = 0;
    for (; runs < 200; runs += 1) {
      // The three scans of the hour come first, then one page of the deep one.
      await reconcileBriefly(connector, runs === 0);
      await connector.drain();
      connector.clock.ms += HOUR_MS;
      const last = await connector.lastRun();
      expect(last?.deep).toBeDefined();
      if (last?.deep?.stopped === undefined) break;
    }
    expect(runs).toBeGreaterThan(5);
    expect(connector.cancelled()).toEqual(['100']);
    expect(connector.healed('order')).toBe(1);
    expect(connector.rolledOut('product')).toBe(29);
    expect(connector.productsOnOffer()).not.toContain('110');
    await connector.reconcile();
    expect(await connector.lastRun()).not.toHaveProperty('deep');
  });

  it('asked for again while it is under way, begins once more at its end', async () => {
    const connector = await openKnowing({ products: 20 });
    connector.clock.ms += DAY_MS;
    let pages = 0;
    const end = new AbortController();
    const undo = replaceScan(connector, (walked) => ({
      changedProducts: async (...given) => {
        pages += 1;
        if (pages === 3) end.abort();
        return walked.changedProducts(...given);
      },
    }));
    await connector.reconcile({ deep: true, deadline: end.signal });
    expect(pages).toBe(3);
    undo();
    // The first products were compared by the old rules; now come the new ones.
    connector.changeRules({ productUrl: OTHER_URL });
    await connector.reconcile({ deep: true });
    await connector.drain();
    for (const { Url } of connector.loyalty.rows.products.values()) {
      expect(Url).toMatch(/^https:\/\/www\.example\.com\/p\//);
    }
    // And then it is over.
    await connector.reconcile();
    expect(await connector.lastRun()).not.toHaveProperty('deep');
  });

  it('waits for as long as the store asks for, and goes on in the same run', async () => {
    const connector = await openKnowing({ orders: 20 });
    connector.clock.ms += DAY_MS;
    let asked = 0;
    replaceScan(connector, (walked) => ({
      changedOrders: async (...given) => {
        asked += 1;
        return asked === 3
          ? { kind: 'unavailable', why: 'throttled', afterSeconds: 12 }
          : walked.changedOrders(...given);
      },
    }));
    await connector.reconcile({ deep: true });
    expect((await connector.lastRun())?.deep).toEqual({ beganAt: expect.any(String) });
  });
});

describe('what a deep scan heals', () => {
  it('rolls a corrected rule out to products sent long ago, and to no order', async () => {
    const connector = await openKnowing();
    connector.clock.ms += 30 * DAY_MS;
    await connector.reconcile();
    connector.changeRules({ productUrl: OTHER_URL, metadata: () => ({ channel: 'web' }) });
    await connector.reconcile();
    expect(connector.healed()).toBe(0);
    await connector.reconcileDeeply();
    // No webhook was lost, and so the count that an alarm looks at stays what it was.
    expect(connector.healed()).toBe(0);
    expect(connector.rolledOut('product')).toBe(3);
    expect(await connector.lastRun()).toMatchObject({
      healed: { order: 0, product: 0, coupon: 0 },
      rolledOut: { order: 0, product: 3, coupon: 0 },
    });
    for (const { Url } of connector.loyalty.rows.products.values()) {
      expect(Url).toMatch(/^https:\/\/www\.example\.com\/p\//);
    }
    await connector.reconcileDeeply();
    expect(connector.rolledOut('product')).toBe(3);
    expect(connector.rolledOut('order')).toBe(0);
  });

  it('sends nothing anew only because the ledger has forgotten it', async () => {
    const connector = await openKnowing({ products: 0, codes: ['A'] });
    const endsAt = new Date(connector.clock.ms + DAY_MS).toISOString();
    await connector.history.putDiscount('92', ['ENDED'], { endsAt }, true);
    await connector.drain();
    connector.clock.ms += 2 * DAY_MS;
    await connector.reconcileDeeply();
    const before = connector.healed();
    const calls = connector.changes();
    connector.clock.ms += 401 * DAY_MS;
    connector.ledger.expire(connector.clock.ms / 1000);
    await connector.reconcileDeeply();
    expect(connector.telemetry.total('looked-at', { kind: 'order' })).toBeGreaterThan(6);
    expect(connector.healed()).toBe(before);
    expect(connector.changes()).toBe(calls);
    expect([...connector.ledger.entries.keys()].some((key) => key.includes('ENDED'))).toBe(false);
    // What has never been told, and is young enough to be remembered, is missing all the same.
    await connector.history.putOrder('79', {}, false);
    connector.clock.ms += 399 * DAY_MS;
    await connector.reconcile({ deep: true });
    expect(connector.healed()).toBe(before + 1);
  });
});

describe('a deep scan that is asked for', () => {
  const key = cursorKey(SHOP, 'deep');
  const now = () => new Date(9_000);
  const anew = { began: 9_000, phase: 'order' };

  it.each<[before: object | undefined, after: object]>([
    [undefined, anew],
    [{ began: 1, phase: 'done' }, anew],
    // Nothing was compared yet.
    [{ began: 1, phase: 'order' }, {}],
    [{ began: 1, phase: 'order', scan: { until: 7 } }, { again: true }],
    [{ began: 1, phase: 'product' }, { again: true }],
    [{ began: 1, phase: 'ledger' }, { again: true }],
  ])('while the last one is at %j begins, or begins again', async (before, after) => {
    const ledger = createMemoryLedger();
    if (before) await (await openCursor(ledger, key)).keep(before, 1);
    await askForDeepScan(SHOP, { ledger, now });
    expect(await recallState(ledger, key)).toEqual({ ...before, ...after });
  });

  it('is not forgotten where another run writes at the same moment', async () => {
    const ledger = createMemoryLedger();
    const conflict = async () => ({ kind: 'conflict' }) as const;
    const write = vi
      .fn(ledger.write)
      .mockImplementationOnce(conflict)
      .mockImplementationOnce(conflict);
    await askForDeepScan(SHOP, { ledger: { ...ledger, write }, now });
    expect(await recallState(ledger, key)).toEqual(anew);
  });

  it('is given up where another run writes at every attempt', async () => {
    const write = vi.fn(async () => ({ kind: 'conflict' }) as const);
    await askForDeepScan(SHOP, { ledger: { ...createMemoryLedger(), write }, now });
    expect(write).toHaveBeenCalledTimes(5);
  });
});
