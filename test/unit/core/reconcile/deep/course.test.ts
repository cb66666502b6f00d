import { describe, expect, it } from 'vitest';
import { SHOP } from '../../../../../local/harness/in-process-connector.ts';
import { cursorKey, openCursor } from '../../../../../shared/core/reconcile/dependencies.ts';
import { openKnowing } from '../../../../support/deep-walk.ts';
import { reconcileBriefly, replaceWalk } from '../../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OTHER_URL = 'https://www.example.com/p/{handle}';

describe('the course of a deep walk', () => {
  it('comes to its end over as many runs as it takes, one page in each', async () => {
    const connector = await openKnowing({ orders: 30, products: 30 });
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
    const undo = replaceWalk(connector, (walked) => ({
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

  it('is not forgotten by a run that breaks off before its turn', async () => {
    const connector = await openKnowing();
    connector.clock.ms += DAY_MS;
    const undo = replaceWalk(connector, () => ({
      changedProducts: async () => {
        throw new Error('out of memory');
      },
    }));
    await expect(connector.reconcile({ deep: true })).rejects.toThrow('out of memory');
    undo();
    await connector.reconcile();
    expect((await connector.lastRun())?.deep).toEqual({ beganAt: expect.any(String) });
  });

  it('waits for as long as the store asks for, and goes on in the same run', async () => {
    const connector = await openKnowing({ orders: 20 });
    connector.clock.ms += DAY_MS;
    let asked = 0;
    replaceWalk(connector, (walked) => ({
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

  it('continues at its page after the store did not answer', async () => {
    const connector = await openKnowing({ orders: 20 });
    connector.clock.ms += DAY_MS;
    let [begun, failures] = [0, 1];
    replaceWalk(connector, (walked) => ({
      changedOrders: async (...given) => {
        const [, { from }, after] = given;
        if (from === undefined && after === undefined) begun += 1;
        if (after === undefined || failures === 0) return walked.changedOrders(...given);
        failures -= 1;
        return { kind: 'unavailable', why: 'server-error' };
      },
    }));
    await connector.reconcile({ deep: true });
    await connector.reconcile();
    const last = await connector.lastRun();
    expect([last?.deep, begun]).toEqual([{ beganAt: expect.any(String) }, 1]);
  });

  it('ends where a newer run has continued it', async () => {
    const connector = await openKnowing();
    connector.clock.ms += DAY_MS;
    const key = cursorKey(SHOP, 'deep');
    replaceWalk(connector, (walked) => ({
      changedOrders: async (...given) => {
        const { state, keep } = await openCursor<object>(connector.ledger, key);
        const isDeep = given[1].from === undefined;
        if (state && isDeep) await keep(state, 1);
        return walked.changedOrders(...given);
      },
    }));
    await connector.reconcile({ deep: true });
    const last = await connector.lastRun();
    expect(last?.deep?.stopped).toMatchObject({ why: 'overtaken' });
  });

  it('begins a phase anew when the store does not know the place any more', async () => {
    const connector = await openKnowing({ orders: 20 });
    connector.clock.ms += DAY_MS;
    let refused = 0;
    let isBegunAnew = false;
    replaceWalk(connector, (walked) => ({
      changedOrders: async (...given) => {
        const [, { from }, after] = given;
        if (from === undefined && after === undefined && refused > 0) isBegunAnew = true;
        if (after === undefined || isBegunAnew) return walked.changedOrders(...given);
        refused += 1;
        const why = 'query-refused';
        return { kind: 'unavailable', why, misconfigured: true, queryRefused: true };
      },
    }));
    await connector.reconcile({ deep: true });
    const stopped = { in: 'order', why: 'store-query-refused' };
    expect((await connector.lastRun())?.deep?.stopped).toEqual(stopped);
    await connector.reconcile();
    expect((await connector.lastRun())?.deep).toEqual({ beganAt: expect.any(String) });
    expect(refused).toBe(1);
  });

  it('waits while the queue is full', async () => {
    const connector = await openKnowing({ orders: 0, products: 260 });
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
    expect(connector.rolledOut('product')).toBe(260);
  });
});
