import { describe, expect, it } from 'vitest';
import { SHOP } from '../../../../local/harness/in-process-connector.ts';
import { openKnowing, replaceScan } from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the deletions that a deep scan finds', () => {
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

    it('cancels none of which it does not remember the day: a redacted one, for one', async () => {
      const connector = await openKnowing();
      connector.store.allOrders = false;
      const marked = { redactedAt: connector.clock.ms, expiresAt: 1_900_000_000 };
      await connector.ledger.redact([{ shop: SHOP, kind: 'order', id: '72' }], marked);
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
