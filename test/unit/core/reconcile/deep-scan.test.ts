import { describe, expect, it, vi } from 'vitest';
import { readEntry } from '../../../../shared/core/ledger/ledger.ts';
import { askForDeepScan, readFoundByReading } from '../../../../shared/core/reconcile/deep-scan.ts';
import {
  cursorKey,
  openCursor,
  recallState,
} from '../../../../shared/core/reconcile/dependencies.ts';
import { readLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import type { Span } from '../../../../shared/core/store/store.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
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
      // The four scans of the hour come first, then one page of the deep one.
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

  it('reads orders by their creation where no date of a change is known: each once', async () => {
    const connector = await openKnowing({ orders: 3 });
    // Placed long before it was read first, as a backfill reads it.
    const key = { shop: SHOP, kind: 'order', id: '71' } as const;
    const entry = await readEntry(connector.ledger, key);
    if (!entry) throw new Error('the order is not known');
    const placedAt = '2026-08-01T10:00:00.000Z';
    const service = { total: 0, products: [], taken: 0, ...entry.service, placedAt };
    await connector.ledger.write(key, { ...entry, service }, entry.revision);
    connector.clock.ms += 90 * DAY_MS;
    const spans: Span[] = [];
    replaceScan(connector, (walked) => ({
      changedOrders: async (shop, span, after) => {
        spans.push(span);
        return walked.changedOrders(shop, span, after);
      },
    }));
    await connector.reconcile({ deep: true, platform: { versionsAreReadings: ['order'] } });
    const [hourly, ...deep] = spans;
    expect(hourly?.by).toBeUndefined();
    expect(new Set(deep.map(({ by }) => by))).toEqual(new Set(['creation']));
    const oldest = Math.min(...deep.map(({ from = 0 }) => from));
    expect(new Date(oldest).toISOString()).toBe(placedAt);
  });

  // The oldest of all must not be forgotten with the step that found it: what is older than the
  // beginning would never be compared.
  it.each(['71', '72', '73'])(
    'begins with the oldest order, also where %s is, and each step reads one entry of the ledger',
    async (id) => {
      const connector = await openKnowing({ orders: 3 });
      const key = { shop: SHOP, kind: 'order', id } as const;
      const entry = await readEntry(connector.ledger, key);
      if (!entry) throw new Error('the order is not known');
      const version = entry.version - 80 * DAY_MS;
      await connector.ledger.write(key, { ...entry, version }, entry.revision);
      connector.clock.ms += DAY_MS;
      const froms: number[] = [];
      replaceScan(connector, (walked) => ({
        changedOrders: async (shop, span, after) => {
          froms.push(span.from ?? 0);
          return walked.changedOrders(shop, span, after);
        },
      }));
      const { ledger } = connector;
      let pages = 0;
      for (let runs = 0; ; runs += 1) {
        const end = new AbortController();
        connector.parts.ledger = {
          ...ledger,
          scanEntities: async (from = '0') => {
            pages += 1;
            end.abort();
            const { entries } = await ledger.scanEntities(undefined);
            const next = Number(from) + 1;
            const more = next < entries.length && { next: String(next) };
            return { entries: entries.slice(next - 1, next), ...more };
          },
        };
        const before = pages;
        await connector.reconcile({ deep: runs === 0, deadline: end.signal });
        if (pages === before) break;
      }
      expect(pages).toBeGreaterThan(6);
      expect(Math.min(...froms)).toBe(version);
    },
  );

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
});

/** So many orders of each day of the last, all known. */
async function openWithOrders(days: number, perDay: number) {
  const connector = await openKnowing({ orders: 0, products: 0, codes: [] });
  for (let n = 0; n < days * perDay; n += 1) {
    await connector.history.putOrder(String(1_000 + n), {}, true);
    connector.clock.ms += DAY_MS / perDay;
  }
  await connector.drain();
  const reads = () =>
    connector.loyalty.journal
      .filter(({ operation }) => operation === 'getOrder')
      .map(({ path }) => Number(path.orderId) - 1_000);
  return { connector, reads };
}

/** Runs until this many more orders were read, or nothing is left to do. */
async function readOrders(
  { connector, reads }: Awaited<ReturnType<typeof openWithOrders>>,
  most: number,
  deep = false,
): Promise<readonly number[]> {
  const before = reads().length;
  const end = new AbortController();
  const { ledger } = connector.parts;
  connector.parts.ledger = {
    ...ledger,
    async write(...given) {
      if (reads().length - before >= most) end.abort();
      return ledger.write(...given);
    },
  };
  await connector.reconcile({ deep, deadline: end.signal });
  connector.parts.ledger = ledger;
  return reads().slice(before);
}

describe('a shop with more orders than one deep scan can read', () => {
  it('has its recent orders read in every scan, and the older ones in turn, from scan to scan', async () => {
    const shop = await openWithOrders(60, 1);
    const { clock } = shop.connector;
    // It could never end: every scan is asked for before the last one has read everything.
    const scans: (readonly number[])[] = [];
    for (let week = 0; week < 4; week += 1) {
      scans.push(await readOrders(shop, 40, true));
      clock.ms += DAY_MS / 2;
    }
    const older = scans.map((read) => read.filter((n) => n < 25));
    for (const read of scans) {
      const recent = read.filter((n) => n >= 32);
      expect(new Set(recent)).toEqual(new Set(Array.from({ length: 28 }, (_, n) => 32 + n)));
      // The newest day first.
      expect(read.slice(0, 2)).toContain(59);
    }
    expect(new Set(older.flat())).toEqual(new Set(Array.from({ length: 25 }, (_, n) => n)));
    // None is read twice before all others were read.
    expect(older.slice(0, 2).flat()).toEqual([...new Set(older.slice(0, 2).flat())]);
  });

  it('still says at the end of a turn which orders differ, that an earlier scan of it found', async () => {
    const shop = await openWithOrders(60, 1);
    const { connector } = shop;
    const { orders } = connector.loyalty.rows;
    const changed = orders.get('1003');
    if (!changed) throw new Error('the service does not hold the order');
    const OrderCancelledDate = changed.OrderPlacementDate;
    orders.put('1003', { ...changed, IsCancelledOrReturned: true, OrderCancelledDate });
    const told = async () => {
      const { differing } = await readFoundByReading(connector.ledger, SHOP);
      return differing.map(({ id }) => id);
    };
    const found: (readonly string[])[] = [];
    for (let scans = 0; scans < 4; scans += 1) {
      await readOrders(shop, 40, true);
      found.push(await told());
      connector.clock.ms += DAY_MS / 2;
    }
    await connector.reconcile();
    found.push(await told());
    expect(found).toEqual(found.map(() => ['1003']));
  });

  it('reads older orders although the recent ones would take all its time', async () => {
    const shop = await openWithOrders(60, 1);
    const { clock } = shop.connector;
    const read: number[] = [];
    for (let day = 0; day < 8; day += 1) {
      read.push(...(await readOrders(shop, 1, day === 0)));
      clock.ms += DAY_MS;
    }
    // After half of the week the older ones have their turn.
    expect(read.slice(0, 2)).toContain(59);
    expect(read.at(-1)).toBeLessThan(25);
    expect(read.filter((n) => n > 25 && n < 33)).toEqual([]);
  });
});

describe('a deep scan that is asked for', () => {
  const key = cursorKey(SHOP, 'deep');
  const now = () => new Date(9_000);
  const anew = { began: 9_000, phase: 'ledger' };

  it.each<[before: object | undefined, after: object]>([
    [undefined, anew],
    [{ began: 1, phase: 'done' }, anew],
    // A scan of the ledger that began before is not enough, also within the same millisecond.
    [{ began: 1, phase: 'ledger' }, anew],
    [
      { began: 9_000, phase: 'done' },
      { began: 9_001, phase: 'ledger' },
    ],
    [{ began: 1, phase: 'product' }, { again: true }],
    [{ began: 1, phase: 'order', scan: { until: 7 } }, { again: true }],
  ])('while the last one is at %j begins, or begins again', async (before, after) => {
    const ledger = createMemoryLedger();
    if (before) await (await openCursor(ledger, key)).keep(before, 1);
    await askForDeepScan(SHOP, { ledger, now });
    expect(await recallState(ledger, key)).toEqual({ ...before, ...after });
  });

  it('is given up where another run writes at every attempt', async () => {
    const write = vi.fn(async () => ({ kind: 'conflict' }) as const);
    await askForDeepScan(SHOP, { ledger: { ...createMemoryLedger(), write }, now });
    expect(write).toHaveBeenCalledTimes(5);
  });
});

describe('the deletions that a deep scan finds', () => {
  const NEIGHBOUR = 'second-store.myshopify.com';
  const shops = [SHOP, NEIGHBOUR];

  it('come first: before the store is asked for anything else', async () => {
    const connector = await openKnowing({ orders: 30 });
    connector.store.remove(SHOP, 'order', '72');
    connector.clock.ms += HOUR_MS;
    await reconcileBriefly(connector, true);
    await connector.drain();
    expect((await connector.lastRun())?.deep?.stopped).toBeDefined();
    expect(connector.cancelled()).toEqual(['72']);
  });

  /** The same product is known for both shops, and the stores have deleted it. */
  async function openBoth() {
    const connector = await openKnowing();
    connector.clock.ms += HOUR_MS;
    const entry = { version: 1, uncertain: true, outcomes: [] };
    for (const shop of shops) {
      await connector.ledger.write({ shop, kind: 'product', id: '89' }, entry, undefined);
    }
    const pages = vi.fn(connector.ledger.scanEntities);
    connector.parts.ledger = { ...connector.ledger, scanEntities: pages };
    const ended: string[] = [];
    const { queue } = connector.parts;
    connector.parts.queue = {
      async send(event) {
        if (event.kind === 'product' && event.id === '89') ended.push(event.shop);
        await queue.send(event);
      },
    };
    return { connector, pages, ended };
  }

  it('are found for all shops by one scan of the ledger', async () => {
    const { connector, pages, ended } = await openBoth();
    await connector.reconcile({ deep: true, shops });
    expect(ended.toSorted()).toEqual(shops);
    const places = pages.mock.calls.map(([from]) => from);
    expect(places).toEqual([...new Set(places)]);
  });

  it('are found for all shops that wait, also by a run for one', async () => {
    const { connector, pages, ended } = await openBoth();
    await connector.reconcile({ deep: true, shops, deadline: AbortSignal.abort() });
    expect(pages).not.toHaveBeenCalled();
    await connector.reconcile({ shops, command: { shop: SHOP } });
    expect(ended.toSorted()).toEqual(shops);
  });

  it('of a shop whose store does not answer are left to the next scan, and the others go on', async () => {
    const { connector, ended } = await openBoth();
    const undo = replaceScan(connector, (walked) => ({
      findAbsent: async (shop, ...given) =>
        shop === NEIGHBOUR
          ? { kind: 'unavailable', why: 'unreachable' }
          : walked.findAbsent(shop, ...given),
    }));
    await connector.reconcile({ deep: true, shops });
    expect(ended).toEqual([SHOP]);
    expect((await connector.lastRun())?.deep).not.toHaveProperty('stopped');
    const theirs = await readLastReconcile(connector.ledger, NEIGHBOUR);
    expect(theirs?.deep?.stopped).toEqual({ in: 'ledger', why: 'store-unreachable' });
    undo();
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ shops });
    expect(ended).toEqual([SHOP, NEIGHBOUR]);
  });

  it('finds what the store deleted without a word, also behind an empty page of the ledger', async () => {
    const connector = await openKnowing();
    const { ledger } = connector;
    connector.parts.ledger = {
      ...ledger,
      scanEntities: async (from) =>
        from === undefined ? { entries: [], next: '!' } : ledger.scanEntities(from),
    };
    connector.store.remove(SHOP, 'order', '72');
    connector.store.remove(SHOP, 'product', '82');
    connector.store.remove(SHOP, 'discount', '91');
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    await connector.drain();
    expect(connector.cancelled()).toEqual([]);
    await connector.reconcileDeeply();
    expect(connector.cancelled()).toEqual(['72']);
    expect(connector.productsOnOffer()).toEqual(['81', '83']);
    expect(connector.activeCodes()).toEqual([]);
    expect(connector.dead.size).toBe(0);

    const calls = connector.changes();
    const before = connector.healed();
    connector.clock.ms += HOUR_MS;
    await connector.reconcileDeeply();
    expect(connector.healed()).toBe(before);
    expect(connector.changes()).toBe(calls);
  });

  it('ends what may have reached the service and the store lacks, and nothing that was never sent', async () => {
    const connector = await openKnowing();
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
    const last = await connector.lastRun();
    expect(last?.sent).toEqual([{ kind: 'product', id: '89', why: 'deleted' }]);
  });

  describe('without the right to see all orders', () => {
    it.each([
      ['cancels none out of sight even if it was deleted: that cannot be known', 61, []],
      ['finds a deleted order that it would have to see', 50, ['72']],
    ])('%s', async (_, days, cancelled) => {
      const connector = await openKnowing();
      connector.store.allOrders = false;
      connector.clock.ms += days * DAY_MS;
      connector.store.remove(SHOP, 'order', '72');
      await connector.reconcileDeeply();
      expect(connector.cancelled()).toEqual(cancelled);
    });

    it.each([58.9, 59.5, 60.1, 60.5, 61])('cancels none of %d days that is there', async (days) => {
      const connector = await openKnowing();
      connector.store.allOrders = false;
      connector.clock.ms += days * DAY_MS;
      await connector.reconcileDeeply();
      expect(connector.cancelled()).toEqual([]);
    });

    it('cancels none of which it does not remember the day', async () => {
      const connector = await openKnowing();
      connector.store.allOrders = false;
      const key = { shop: SHOP, kind: 'order', id: '72' } as const;
      const known = await readEntry(connector.ledger, key);
      const { service: _, ...entry } = known ?? { version: 0, uncertain: true, outcomes: [] };
      await connector.ledger.write(key, entry, known?.revision);
      connector.store.remove(SHOP, 'order', '72');
      await connector.reconcileDeeply();
      expect(connector.cancelled()).toEqual([]);
    });

    it('cancels nothing when the right is taken away in the middle', async () => {
      const connector = await openKnowing();
      connector.clock.ms += 100 * DAY_MS;
      const undo = replaceScan(connector, (walked) => ({
        // Asked while it had the scope; answered when it had it no more.
        findAbsent: async (...given) => {
          connector.store.allOrders = false;
          return walked.findAbsent(...given);
        },
      }));
      await connector.reconcile({ deep: true });
      // The worker would ask the store, too, and see as little.
      await connector.drain();
      expect(connector.cancelled()).toEqual([]);
      connector.store.allOrders = true;
      undo();
      await connector.reconcileDeeply();
      expect(connector.cancelled()).toEqual([]);
    });
  });

  it.each([
    { products: 7, removed: 4, left: 3 },
    { products: 9, removed: 5, left: 9 },
    { products: 10, removed: 5, left: 5 },
  ])('doubts the store from five on, if more than half are absent: %j', async (given) => {
    const connector = await openKnowing({ orders: 0, products: given.products });
    for (let i = 1; i <= given.removed; i += 1) {
      connector.store.remove(SHOP, 'product', String(80 + i));
    }
    await connector.reconcileDeeply();
    expect(connector.productsOnOffer()).toHaveLength(given.left);
  });

  it('asks the store for at most 250 at once, and never for none', async () => {
    const connector = await openKnowing({ orders: 0, products: 0 });
    const entries = Array.from({ length: 500 }, (_, index) => ({
      key: { shop: SHOP, kind: 'product', id: `${index}` } as const,
      entry: { version: 1, uncertain: true, outcomes: [], revision: 1 },
    }));
    connector.parts.ledger = { ...connector.ledger, scanEntities: async () => ({ entries }) };
    const asked: unknown[] = [];
    replaceScan(connector, () => ({
      findAbsent: async (_, kind, ids) => {
        asked.push([kind, ids.length]);
        return { kind: 'found', value: new Set() };
      },
    }));
    await connector.reconcile({ deep: true });
    expect(asked).toEqual([
      ['product', 250],
      ['product', 250],
    ]);
  });

  it('leaves alone what changed a moment ago: the store may not show it yet', async () => {
    const connector = await openKnowing();
    await connector.history.putOrder('79', {}, true);
    await connector.drain();
    connector.store.remove(SHOP, 'order', '79');
    await connector.reconcileDeeply();
    expect(connector.cancelled()).toEqual([]);
  });

  it('never ends the entities of another shop', async () => {
    const connector = await openKnowing();
    const other = { shop: 'second-store.myshopify.com', kind: 'order', id: '5' } as const;
    const entry = { version: 1, appliedKey: 'key', uncertain: false, outcomes: [] };
    await connector.ledger.write(other, entry, undefined);
    await connector.reconcile({ deep: true });
    expect(connector.queues.orders.size).toBe(0);
  });
});
