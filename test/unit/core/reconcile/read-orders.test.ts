import { describe, expect, it } from 'vitest';
import type { LoyaltyAssumptions } from '../../../../shared/config/connector-settings.ts';
import {
  changeControl,
  type ShopControl,
  withOperatorPause,
  withServicePause,
} from '../../../../shared/core/calls/shop-pause.ts';
import { readFoundByReading } from '../../../../shared/core/reconcile/deep-scan.ts';
import { readLastReconcile } from '../../../../shared/core/reconcile/last-reconcile.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';
import { createStoreHistory } from '../../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const COMPLETED = { fulfilledAfterDays: 0 };
const DOWN = { kind: 'answer', status: 503, headers: {}, text: '' } as const;

type Connector = ReturnType<typeof openConnector>;
type Row = NonNullable<ReturnType<Connector['loyalty']['rows']['orders']['get']>>;

/** Completed orders of 50.00, last sent so many hours ago. */
async function open({
  orders = ['71', '72', '73'],
  hours = 25,
  ...settings
}: {
  readonly orders?: readonly string[];
  readonly hours?: number;
  readonly assumptions?: LoyaltyAssumptions;
  readonly service?: object;
} = {}) {
  const connector = openConnector(settings);
  const history = createStoreHistory(connector);
  await connector.reconcile();
  connector.clock.ms += HOUR_MS;
  for (const id of orders) await history.putOrder(id, COMPLETED, true);
  await connector.drain();
  connector.clock.ms += hours * HOUR_MS;
  return { connector, history };
}

/** Somebody changes an order in the loyalty service. */
function change({ loyalty }: Connector, id: string, changes: Partial<Row>): void {
  const row = loyalty.rows.orders.get(id);
  if (!row) throw new Error(`no order ${id}`);
  loyalty.rows.orders.put(id, { ...row, ...changes });
}

async function scan(connector: Connector): Promise<void> {
  await connector.reconcile({ deep: true });
  await connector.drain();
}

const callsOf = ({ loyalty }: Connector) =>
  loyalty.journal
    .filter(({ operation }) => operation !== 'getOrder')
    .map(({ operation }) => operation);
const readsOf = ({ loyalty }: Connector) =>
  loyalty.journal
    .filter(({ operation }) => operation === 'getOrder')
    .map(({ path }) => path.orderId);
const reported = ({ telemetry }: Connector) => telemetry.total('order-differs');
const found = async ({ ledger }: Connector) => {
  const { ordersRead, differing } = await readFoundByReading(ledger, SHOP);
  const idsOf = (isLate: boolean) =>
    differing.filter(({ lately = false }) => lately === isLate).map(({ id }) => id);
  return { ...ordersRead, ids: idsOf(false), lately: idsOf(true) };
};
const NONE = { read: 0, unread: 0, ids: [], lately: [] };
const stoppedIn = async ({ ledger }: Connector) =>
  (await readLastReconcile(ledger, SHOP))?.deep?.stopped;

describe('a deep scan that reads the loyalty service', () => {
  it('reads every order that was sent, counts it, and changes nothing', async () => {
    const { connector } = await open();
    const calls = callsOf(connector);
    await scan(connector);
    expect(readsOf(connector)).toEqual(['71', '72', '73']);
    expect(callsOf(connector)).toEqual(calls);
    expect(connector.telemetry.total('orders-read')).toBe(3);
    expect(reported(connector)).toBe(0);
    expect(await found(connector)).toEqual({ ...NONE, read: 3 });
  });

  it.each([
    ['amount', { OrderTotal: 51 }],
    ['coupon', { Coupon: 'ANOTHER' }],
    ['state', { IsCancelledOrReturned: true, OrderCancelledDate: '2026-10-09T13:00:00.000Z' }],
  ])('reports another %s to a person, and makes no call', async (difference, changes) => {
    const { connector } = await open();
    change(connector, '72', changes);
    const calls = callsOf(connector);
    await scan(connector);
    expect(callsOf(connector)).toEqual(calls);
    expect(reported(connector)).toBe(1);
    expect(await found(connector)).toEqual({ ...NONE, read: 3, ids: ['72'] });
    expect(connector.telemetry.logged).toContainEqual(
      expect.objectContaining({
        message: 'the loyalty service holds another order',
        fields: { shop: SHOP, id: '72', differs: difference },
      }),
    );
  });

  it('counts all that it reports, and names the first hundred', async () => {
    const orders = Array.from({ length: 103 }, (_, index) => String(101 + index));
    const { connector } = await open({ orders });
    for (const id of orders) change(connector, id, { OrderTotal: 51 });
    await scan(connector);
    expect(reported(connector)).toBe(103);
    expect(await found(connector)).toEqual({ ...NONE, read: 103, ids: orders.slice(0, 100) });
  });

  it('counts what it sent before the service refused to be read', async () => {
    const { connector } = await open();
    // The hourly scan has passed these orders.
    await connector.reconcile();
    await connector.ledger.markUncertain({ shop: SHOP, kind: 'order', id: '72' });
    connector.loyalty.world.interfere = () => ({ ...DOWN, status: 401 });
    await connector.reconcile({ deep: true });
    expect(await stoppedIn(connector)).toEqual({ in: 'order', why: 'loyalty-misconfigured' });
    expect(connector.telemetry.total('healed', { kind: 'order' })).toBe(1);
  });

  it('says nothing of orders where it had none to read', async () => {
    const { connector, history } = await open({ orders: [] });
    await history.putProduct('81', 'Hat', true);
    await connector.drain();
    await scan(connector);
    expect(await found(connector)).toEqual(NONE);
  });

  it('sends an order that the service lost again: 0 → 50 points, a day after its last call', async () => {
    const { connector } = await open({ hours: 23 });
    connector.loyalty.rows.orders.delete('72');
    await scan(connector);
    expect(connector.loyalty.rows.orders.get('72')).toBeUndefined();
    expect(reported(connector)).toBe(0);
    expect(await found(connector)).toMatchObject({ ids: [], lately: ['72'] });
    connector.clock.ms += 2 * HOUR_MS;
    await scan(connector);
    expect(connector.loyalty.rows.orders.get('72')).toMatchObject({
      ...{ IsCompleted: true, OrderTotal: 50 },
    });
    expect(connector.telemetry.total('rolled-out', { kind: 'order' })).toBe(1);
    expect(connector.telemetry.total('healed')).toBe(0);
    expect(reported(connector)).toBe(0);
    expect(await found(connector)).toEqual({ ...NONE, read: 3 });
  });

  it('names an order until it is read again and agrees, or is read no more', async () => {
    const { connector } = await open();
    for (const id of ['71', '72']) change(connector, id, { OrderTotal: 51 });
    await scan(connector);
    expect(await found(connector)).toMatchObject({ ids: ['71', '72'] });
    change(connector, '71', { OrderTotal: 50 });
    connector.store.remove(SHOP, 'order', '72');
    connector.clock.ms += 7 * DAY_MS;
    await scan(connector);
    expect(await found(connector)).toMatchObject({ ids: [] });
  });

  it('sends it again once: a person who changes it back gets a report', async () => {
    const { connector } = await open();
    for (const scans of [1, 2]) {
      change(connector, '72', { OrderTotal: 49 });
      await scan(connector);
      connector.clock.ms += 7 * DAY_MS;
      const held = connector.loyalty.rows.orders.get('72')?.OrderTotal;
      expect([held, reported(connector)]).toEqual(scans === 1 ? [50, 0] : [49, 1]);
    }
  });

  it('sends three of a page again, and reports the others: so many late calls there are not', async () => {
    const orders = ['71', '72', '73', '74', '75'];
    const { connector } = await open({ orders });
    for (const id of orders) change(connector, id, { OrderTotal: 49 });
    await scan(connector);
    const totals = orders.map((id) => connector.loyalty.rows.orders.get(id)?.OrderTotal);
    expect(totals).toEqual([50, 50, 50, 49, 49]);
    expect(await found(connector)).toMatchObject({ ids: ['74', '75'] });
  });

  it('takes HTTP 404 for a lost order only where other orders are found: the address may be wrong', async () => {
    const { connector } = await open();
    connector.loyalty.rows.orders.delete('71');
    const notFound = { kind: 'answer', status: 404, headers: {}, text: '' } as const;
    const calls = callsOf(connector);
    connector.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'getOrder' ? notFound : pass();
    await scan(connector);
    expect(callsOf(connector)).toEqual(calls);
    expect(await found(connector)).toEqual({ ...NONE, unread: 3 });

    connector.loyalty.world.interfere = ({ operation, path }, pass) =>
      operation === 'getOrder' && path.orderId === '71' ? notFound : pass();
    connector.clock.ms += 7 * DAY_MS;
    await scan(connector);
    expect(connector.loyalty.rows.orders.get('71')).toMatchObject({ OrderTotal: 50 });
    expect(await found(connector)).toEqual({ ...NONE, read: 3 });
  });

  it('does not report what a worker changes while the scan reads', async () => {
    const shown = 'less-partial-cancels';
    const { connector, history } = await open({
      ...{ orders: ['71'], assumptions: { readTotals: shown }, service: { readTotal: shown } },
    });
    connector.loyalty.world.interfere = async ({ operation }, pass) => {
      connector.loyalty.world.interfere = undefined;
      expect(operation).toBe('getOrder');
      connector.clock.ms += 1_000;
      await history.putOrder('71', { ...COMPLETED, amountRefundedCents: 1000 }, true);
      await connector.drain();
      return pass();
    };
    await connector.reconcile({ deep: true });
    expect(callsOf(connector)).toContain('partiallyCancelPosOrder');
    expect(reported(connector)).toBe(0);
  });
});

describe('a deep scan whose reading is interrupted', () => {
  const orders = Array.from({ length: 9 }, (_, index) => String(71 + index));

  it('continues with its page after it was killed, and reads every order', async () => {
    const { connector } = await open({ orders });
    connector.loyalty.world.interfere = ({ path }, pass) => {
      if (path.orderId === '79') throw new Error('killed');
      return pass();
    };
    await expect(connector.reconcile({ deep: true })).rejects.toThrow('killed');
    const before = await found(connector);
    expect(before.read).toBeGreaterThan(0);
    connector.loyalty.world.interfere = undefined;
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(await found(connector)).toMatchObject({ read: 9, unread: 0 });
    // What the killed run had recorded is not read twice.
    const twice = readsOf(connector).filter((id, at, all) => all.indexOf(id) !== at);
    expect(twice.length).toBeLessThan(9 - before.read + 1);
  });

  it('waits while the service is down, and after a day goes on without reading', async () => {
    const { connector } = await open({ orders });
    await createStoreHistory(connector).putProduct('81', 'Hat', false);
    connector.clock.ms += HOUR_MS;
    connector.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'getOrder' ? DOWN : pass();
    await connector.reconcile({ deep: true });
    for (let hours = 0; hours < 23; hours += 1) {
      connector.clock.ms += HOUR_MS;
      await connector.reconcile();
    }
    expect(await found(connector)).toEqual(NONE);
    expect(await stoppedIn(connector)).toMatchObject({ in: 'order' });
    connector.clock.ms += 2 * HOUR_MS;
    await connector.reconcile();
    expect(connector.telemetry.total('orders-read')).toBe(0);
    // It does not wait another day for each page.
    expect(await stoppedIn(connector)).toBeUndefined();
    await connector.drain();

    // The next scan reads again.
    connector.loyalty.world.interfere = undefined;
    connector.clock.ms += 6 * DAY_MS;
    await scan(connector);
    expect(await found(connector)).toMatchObject({ read: 9, unread: 0 });
  });

  it.each([
    [
      'ends its run where an operator pauses the shop, and does not wait for the end of the pause',
      (control: ShopControl, now: Date) => withOperatorPause(control, 'all', 'kim', now),
      { in: 'order', why: 'shop-paused' },
    ],
    [
      'waits where the service paused the shop for a moment',
      (control: ShopControl, now: Date) =>
        withServicePause(control, { why: 'throttled', seconds: 30 }, now),
      undefined,
    ],
  ])('%s', async (_, pause, stopped) => {
    const { connector } = await open({ orders });
    connector.loyalty.world.interfere = async (_, pass) => {
      connector.loyalty.world.interfere = undefined;
      const now = new Date(connector.clock.ms);
      await changeControl(connector.ledger, SHOP, (control) => pause(control, now));
      connector.clock.ms += 10_000;
      return pass();
    };
    await scan(connector);
    expect(await stoppedIn(connector)).toEqual(stopped);
  });
});
