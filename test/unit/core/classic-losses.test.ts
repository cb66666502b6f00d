import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import type { CallFailure } from '../../../shared/loyalty/result.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { lineOf, type OrderSpec, simpleOrder } from '../../fixtures/order-spec.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../../support/in-process-connector.ts';

const ID = '5512345678901';
const CUSTOMER = '6940095564';

/** The order at a second of the same day, as the store would send it. */
function payload(second: number, spec: Partial<OrderSpec> = {}, changes = {}) {
  const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
  return buildOrder({ ...simpleOrder, ...spec }, { updated_at, ...changes }).payload;
}

const priced = (priceCents: number): Partial<OrderSpec> => ({
  lines: [lineOf(priceCents)],
  fulfilledAfterDays: 1,
});
const A = priced(5000);
const B = priced(9000);

const timedOut: CallFailure = { kind: 'failure', reason: 'time-out', mayHaveHappened: true };

function pointsOf({ loyalty }: ReturnType<typeof openConnector>): number {
  const rows = [...loyalty.rows.points.values()].filter((row) => row.customerId === CUSTOMER);
  return rows.reduce((sum, row) => sum + row.pointsHundredths, 0) / 100;
}

function totalOf({ loyalty }: ReturnType<typeof openConnector>) {
  const held = loyalty.rows.orders.get(ID);
  return held && amountHeld(held);
}

describe('the classic losses', () => {
  it('a worker that wakes up after its message was given to another', async () => {
    const connector = openConnector();
    await connector.deliver({ topic: 'orders/create', payload: payload(1, A) });
    await connector.drain();

    // The first worker hangs in its call with B; the store has moved on to C.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reached = () => {};
    const isCalling = new Promise<void>((resolve) => {
      reached = resolve;
    });
    connector.loyalty.world.interfere = async (_call, pass) => {
      connector.loyalty.world.interfere = undefined;
      reached();
      await held;
      return pass();
    };
    await connector.deliver({ topic: 'orders/updated', payload: payload(2, B) });
    const late = connector.work('orders');
    await isCalling;

    connector.clock.ms += 31_000; // the visibility is over
    const C = priced(7000);
    connector.store.putOrder(SHOP, storeOrder(C, { updated_at: '2026-10-09T11:00:03Z' }));
    await connector.deliver({ topic: 'orders/updated', payload: payload(3, C) });
    await connector.work('orders');
    expect(totalOf(connector)).toBe(70);

    release();
    await late; // its call lands last, with the 90 from which 20 were taken meanwhile
    expect(totalOf(connector)).toBe(70);
    await connector.drain();
    expect(totalOf(connector)).toBe(70);
    expect(pointsOf(connector)).toBe(70);
  });

  it('the newest of a group is unreadable: it is parked and the next newest is applied', async () => {
    const connector = openConnector();
    await connector.deliver({ topic: 'orders/create', payload: payload(1, A) });
    await connector.deliver({ topic: 'orders/updated', payload: payload(2, B) });
    await connector.deliver({
      topic: 'orders/updated',
      payload: { ...payload(3, A), line_items: 'none', currency: 7 },
    });
    await connector.work('orders');
    expect(totalOf(connector)).toBe(90);
    expect(connector.queues.orders.size).toBe(0);
    const [letter, ...others] = connector.deadLetters();
    expect(others).toEqual([]);
    expect(letter?.attributes).toMatchObject({
      reason: 'unreadable',
      why: expect.stringContaining('line_items'),
    });
  });

  it.each([
    ['timed out', () => timedOut],
    ['broke off', () => Promise.reject(new Error('a bug'))],
    ['was under way when the time was over', () => new Promise<never>(() => {})],
  ])('a call that %s is not repeated for half a minute', async (_, end) => {
    const connector = openConnector();
    const deadline = new AbortController();
    connector.loyalty.world.interfere = (_call, pass) => {
      connector.loyalty.world.interfere = undefined;
      pass();
      setImmediate(() => deadline.abort());
      return end();
    };
    await connector.deliver({ topic: 'orders/create', payload: payload(1, A) });
    await connector.work('orders', { deadline: deadline.signal });
    connector.clock.ms += 29_000;
    await connector.work('orders');
    expect(connector.loyalty.journal).toHaveLength(1);
    await connector.drain();
    expect(connector.loyalty.journal).toHaveLength(2);
    expect(pointsOf(connector)).toBe(50);
  });
});

it('a forged delete, when the store still has the order, changes nothing', async () => {
  const connector = openConnector();
  connector.store.putOrder(SHOP, storeOrder(A));
  await connector.deliver({ topic: 'orders/create', payload: payload(1, A) });
  await connector.drain();
  const before = connector.loyalty.journal.length;
  await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
  await connector.drain();
  expect(connector.loyalty.journal).toHaveLength(before);
  expect(totalOf(connector)).toBe(50);
});
