import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import { createMemorySourceQueue } from '../../../../local/harness/memory-queue.ts';
import {
  changeControl,
  type PausedPart,
  resumed,
  withOperatorPause,
} from '../../../../shared/core/calls/shop-pause.ts';
import type { CallAnswer } from '../../../../shared/loyalty/result.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { storeOrder } from '../../../fixtures/store-entities.ts';
import { openBalanceWorker } from '../../../support/balance-worker.ts';

const NEIGHBOUR = 'second-store.myshopify.com';
const DAY_MS = 86_400_000;
const UPDATED_AT = '2026-10-09T11:00:00.000Z';
type Connector = ReturnType<typeof openConnector>;

async function deliver(connector: Connector, shop: string, ...ids: number[]): Promise<void> {
  const updated_at = UPDATED_AT;
  for (const id of ids) {
    const gid = `gid://shopify/Order/${id}`;
    const { payload } = buildOrder(simpleOrder, { id, admin_graphql_api_id: gid, updated_at });
    await connector.deliver({ topic: 'orders/create', payload, shop });
  }
}

const answer = (status: number, headers = {}): CallAnswer => ({
  kind: 'answer',
  status,
  headers,
  text: '',
});

/** The service answers for one shop's orders, whose ids begin with 1. */
function refuse(connector: Connector, refusal: () => CallAnswer | undefined): string[] {
  const asked: string[] = [];
  connector.loyalty.world.interfere = ({ body }, pass) => {
    const { OriginalId } = body as { OriginalId: string };
    asked.push(OriginalId);
    return (OriginalId.startsWith('1') && refusal()) || pass();
  };
  return asked;
}

const operate = (connector: Connector, part: PausedPart, how: 'pause' | 'resume') =>
  changeControl(connector.ledger, SHOP, (control) => {
    const now = new Date(connector.clock.ms);
    return how === 'pause'
      ? withOperatorPause(control, part, 'robin', now)
      : resumed(control, part, now);
  });

const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
const sent = ({ loyalty }: Connector) =>
  [...loyalty.rows.orders.values()].map(({ OriginalId }) => OriginalId).toSorted();

describe('a shop whose balances are paused', () => {
  it('gets none written, and no question about them', async () => {
    const worker = openBalanceWorker(['7001']);
    const now = new Date(worker.clock.ms);
    await changeControl(worker.ledger, SHOP, (control) =>
      withOperatorPause(control, 'balances', 'robin', now),
    );
    await worker.announce('7001', 100);
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    // Nothing was begun that ends later, either.
    for (let turn = 0; turn < 40; turn += 1) await new Promise(setImmediate);
    expect([worker.store.calls, worker.asked()]).toEqual([[], 0]);
  });
});

describe('a shop that the service throttles', () => {
  it('makes no more calls until the time that the service asked for is over; its neighbour goes on', async () => {
    const connector = openConnector();
    let isThrottled = true;
    const asked = refuse(connector, () =>
      isThrottled ? answer(429, { 'retry-after': '30' }) : undefined,
    );
    await deliver(connector, SHOP, ...ids(100, 20));
    await deliver(connector, NEIGHBOUR, ...ids(200, 20));
    for (let batch = 0; batch < 4; batch += 1) await connector.work('orders');
    expect(sent(connector)).toEqual(ids(200, 20).map(String));
    // Those that were under way when the first was refused: groups run four at a time.
    expect(asked.filter((id) => id.startsWith('1')).length).toBeLessThanOrEqual(4);

    const before = asked.length;
    connector.clock.ms += 29_000;
    await connector.work('orders');
    expect(asked).toHaveLength(before);
    isThrottled = false;
    await connector.drain();
    expect(sent(connector)).toHaveLength(40);
    // Each once more, and each accepted once.
    expect(asked).toHaveLength(before + 20);
    expect(connector.dead.size).toBe(0);
  });

  it('is not called by the other workers either', async () => {
    const connector = openConnector();
    let calls = 0;
    connector.loyalty.world.interfere = () => {
      calls += 1;
      return answer(429, { 'retry-after': '60' });
    };
    await deliver(connector, SHOP, 1);
    await connector.work('orders');
    expect(calls).toBe(1);
    await connector.deliver({
      topic: 'products/create',
      payload: { id: 7, title: 'Hat', updated_at: '2026-10-09T11:00:00.000Z', status: 'active' },
    });
    expect(await connector.work('products')).toEqual({ received: 1, left: 1 });
    expect(calls).toBe(1);
  });

  it('returns with one call, and one more for each that succeeds', async () => {
    const connector = openConnector();
    refuse(connector, () => answer(429, { 'retry-after': '5' }));
    await deliver(connector, SHOP, ...ids(100, 4));
    await connector.work('orders');
    connector.clock.ms += 3_600_000;
    let open = 0;
    const sideBySide: number[] = [];
    connector.loyalty.world.interfere = async (_, pass) => {
      open += 1;
      sideBySide.push(open);
      await new Promise(setImmediate);
      open -= 1;
      return pass();
    };
    expect(await connector.work('orders')).toEqual({ received: 4, left: 0 });
    expect(sideBySide).toEqual([1, 1, 2, 2]);
  });

  it('is not called by those who waited for the first call, if it is throttled again', async () => {
    const connector = openConnector();
    const refused = () => answer(429, { 'retry-after': '5' });
    refuse(connector, refused);
    await deliver(connector, SHOP, ...ids(100, 4));
    await connector.work('orders');
    connector.clock.ms += 3_600_000;
    let calls = 0;
    refuse(connector, () => {
      calls += 1;
      return refused();
    });
    expect(await connector.work('orders')).toEqual({ received: 4, left: 4 });
    expect(calls).toBe(1);
  });
});

describe('a shop whose credentials are refused', () => {
  it('is probed once per pause, and loses nothing when a person corrects them', async () => {
    const connector = openConnector();
    let isRefused = true;
    const asked = refuse(connector, () => (isRefused ? answer(401) : undefined));
    await deliver(connector, SHOP, ...ids(100, 40));
    await deliver(connector, NEIGHBOUR, ...ids(200, 40));
    const hour = connector.clock.ms + 3_600_000;
    while (connector.clock.ms < hour) {
      if ((await connector.work('orders')).received === 0) connector.clock.ms += 10_000;
    }
    expect(sent(connector)).toEqual(ids(200, 40).map(String));
    // Four at first; then at most one in each five minutes.
    expect(asked.filter((id) => id.startsWith('1')).length).toBeLessThanOrEqual(4 + 12);
    isRefused = false;
    await connector.drain();
    expect(sent(connector)).toHaveLength(80);
    expect(connector.dead.size).toBe(0);
  });
});

describe('a shop that an operator paused', () => {
  it('makes no call, counts no retry, and delivers everything once after it is resumed', async () => {
    const connector = openConnector();
    await operate(connector, 'all', 'pause');
    await deliver(connector, SHOP, ...ids(100, 10));
    await deliver(connector, NEIGHBOUR, ...ids(200, 10));
    await connector.work('orders');
    await connector.work('orders');
    expect(sent(connector)).toEqual(ids(200, 10).map(String));
    expect(connector.telemetry.total('retried')).toBe(0);
    await operate(connector, 'all', 'resume');
    await connector.drain();
    expect(connector.loyalty.journal).toHaveLength(20);
    expect(connector.dead.size).toBe(0);
  });

  // The simulation found it: a new process whose first read fails does not know of the pause.
  it('loses no message to a worker that cannot read the ledger', async () => {
    const connector = openConnector();
    await deliver(connector, SHOP, 1);
    await operate(connector, 'all', 'pause');
    connector.clock.ms += 10 * DAY_MS;
    connector.parts.ledger = {
      ...connector.ledger,
      readMany: async () => Promise.reject(new Error('down')),
    };
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
  });

  it('for ten days parks nothing, stays below the receives of SQS, and is tried soon afterwards', async () => {
    const connector = openConnector();
    await deliver(connector, SHOP, 1);
    // An event that is so old is compared with the store.
    connector.store.putOrder(SHOP, { ...storeOrder({}, { updated_at: UPDATED_AT }), id: '1' });
    await operate(connector, 'all', 'pause');
    const until = connector.clock.ms + 10 * DAY_MS;
    let receives = 0;
    const rang = { ms: Number.POSITIVE_INFINITY };
    while (connector.clock.ms < until) {
      if (connector.telemetry.total('paused-long') > 0)
        rang.ms = Math.min(rang.ms, connector.clock.ms);
      receives += (await connector.work('orders')).received;
      connector.clock.ms += 60_000;
    }
    expect(receives).toBeLessThan(400);
    expect(rang.ms - (until - 10 * DAY_MS)).toBeGreaterThan(7 * DAY_MS);
    expect(rang.ms - (until - 10 * DAY_MS)).toBeLessThan(7.1 * DAY_MS);
    expect(connector.dead.size).toBe(0);
    await operate(connector, 'all', 'resume');

    // The retry window of four days begins where it was.
    let failures = 0;
    connector.loyalty.world.interfere = (_, pass) => {
      failures += 1;
      return failures > 3 ? pass() : answer(503);
    };
    const resumedAt = connector.clock.ms;
    for (let n = 0; n < 2_000 && connector.queues.orders.size > 0; n += 1) {
      await connector.work('orders');
      if (connector.queues.orders.size > 0) connector.clock.ms += 5_000;
    }
    expect(sent(connector)).toEqual(['1']);
    expect(connector.dead.size).toBe(0);
    // An hour until it notices, then three short delays.
    expect(connector.clock.ms - resumedAt).toBeLessThan(1.5 * 3_600_000);
  });
});

describe('a queue that is crowded with messages of a shop that waits', () => {
  it('parks them, so that its neighbours get theirs; a replay brings them back', async () => {
    const connector = openConnector();
    const source = createMemorySourceQueue(connector.queues.orders);
    connector.parts.source = { ...source, isCrowded: async () => true };
    await operate(connector, 'all', 'pause');
    await deliver(connector, SHOP, 100);
    await deliver(connector, NEIGHBOUR, 200);
    expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
    expect(sent(connector)).toEqual(['200']);
    expect(connector.deadLetters()[0]?.attributes).toMatchObject({ reason: 'made-room' });
  });

  it('keeps the messages of a shop whose service is only down', async () => {
    const connector = openConnector();
    const source = createMemorySourceQueue(connector.queues.orders);
    connector.parts.source = { ...source, isCrowded: async () => true };
    connector.loyalty.world.interfere = () => answer(503);
    await deliver(connector, SHOP, 100);
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
  });
});
