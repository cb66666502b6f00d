import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import {
  changeControl,
  resumed,
  withOperatorPause,
  withServicePause,
} from '../../../../shared/core/calls/shop-pause.ts';
import { readLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import type { StoreWalk } from '../../../../shared/core/store/store.ts';
import { storeEvent } from '../../../fixtures/store-event.ts';
import { type createStoreHistory, openAfterRun } from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;

let connector: ReturnType<typeof openConnector>;
let history: ReturnType<typeof createStoreHistory>;

async function open(given: Parameters<typeof openAfterRun>[0] = {}) {
  ({ connector, history } = await openAfterRun(given));
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
