import { describe, expect, it } from 'vitest';
import { SHOP } from '../../../../../local/harness/in-process-connector.ts';
import { buildOrder } from '../../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../../fixtures/order-spec.ts';
import { storeOrder } from '../../../../fixtures/store-entities.ts';
import { openKnowing, replaceWalk } from '../../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OTHER_URL = 'https://www.example.com/p/{handle}';

describe('what a deep walk heals', () => {
  it('heals nothing where everything is as it should be', async () => {
    const connector = await openKnowing();
    const calls = connector.changes();
    await connector.reconcileDeeply();
    expect(connector.healed()).toBe(0);
    expect(connector.changes()).toBe(calls);
    // Each was seen in the store, and each was asked for as the ledger has it.
    expect(connector.telemetry.total('looked-at', { kind: 'order' })).toBeGreaterThanOrEqual(6);
  });

  it('sends the order of a customer who has an e-mail address by now, without an event', async () => {
    const connector = await openKnowing({ orders: 0 });
    const at = new Date(connector.clock.ms).toISOString();
    const customer = { id: 5, first_name: 'Robin', phone: '+15555550100' };
    const changes = { customer, email: '', created_at: at, processed_at: at, updated_at: at };
    connector.store.putOrder(SHOP, storeOrder({}, changes));
    const { payload } = buildOrder(simpleOrder, changes);
    await connector.deliver({ topic: 'orders/create', payload });
    await connector.drain();
    expect(connector.telemetry.total('skipped', { why: 'customer-without-email' })).toBe(1);

    const named = { ...changes, customer: { ...customer, email: 'robin.sample@example.com' } };
    connector.store.putOrder(SHOP, storeOrder({}, named));
    connector.clock.ms += HOUR_MS;
    await connector.reconcileDeeply();
    expect([...connector.loyalty.rows.orders.values()]).toMatchObject([{ OrderTotal: 50 }]);
  });

  it('counts what the hourly walk missed as lost', async () => {
    const connector = await openKnowing();
    await connector.history.putOrder('79', {}, false);
    connector.clock.ms += HOUR_MS;
    replaceWalk(connector, (walked) => ({
      changedOrders: async (...given) =>
        given[1].from === undefined
          ? walked.changedOrders(...given)
          : { kind: 'found', value: { changed: [] } },
    }));
    await connector.reconcileDeeply();
    expect([connector.healed('order'), connector.rolledOut('order')]).toEqual([1, 0]);
  });

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

  it('ends a code whose last day has come without an event', async () => {
    const connector = await openKnowing({ codes: [] });
    const endsAt = new Date(connector.clock.ms + 10 * DAY_MS).toISOString();
    await connector.history.putDiscount('92', ['SPRING'], { endsAt }, true);
    await connector.drain();
    expect(connector.activeCodes()).toEqual(['SPRING']);
    connector.clock.ms += 11 * DAY_MS;
    await connector.reconcileDeeply();
    expect(connector.activeCodes()).toEqual([]);
  });
});
