import { describe, expect, it } from 'vitest';
import { waitingIn } from '../../../../shared/core/batch/waiting.ts';
import {
  changeControl,
  controlKey,
  type PausedPart,
  resumed,
  withOperatorPause,
} from '../../../../shared/core/calls/shop-pause.ts';
import type { CallAnswer } from '../../../../shared/loyalty/result.ts';
import { orderWithId, storeOrderOf } from '../../../fixtures/order-life.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { storeOrder } from '../../../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';
import { withNewer } from '../../../support/newer-ledger.ts';
import { openWebhookConnector } from '../../../support/webhook-connector.ts';

const NEIGHBOUR = 'second-store.myshopify.com';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
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
});

describe('a shop that an operator paused', () => {
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

  // The simulation found it: what was held back counted as failed, and waited ever longer.
  it('counts no pause as a failure where a newer release writes its control record', async () => {
    const connector = openConnector();
    await deliver(connector, SHOP, 1);
    await operate(connector, 'all', 'pause');
    for (let receives = 0; receives < 4; connector.clock.ms += HOUR_MS) {
      receives += (await connector.work('orders')).received;
    }
    connector.parts.ledger = withNewer(connector.ledger, controlKey(SHOP));
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    const waits = [...connector.ledger.entries.values()].map((one) => waitingIn(one.remembered));
    expect(waits.at(-1)).toMatchObject({ why: 'newer-release', tries: 1 });
  });

  it('until a moment goes on by itself soon after it, without a call before it', async () => {
    const connector = openConnector();
    const { clock, ledger } = connector;
    const until = clock.ms + 2 * HOUR_MS;
    await changeControl(ledger, SHOP, (control) =>
      withOperatorPause(control, 'all', 'robin', new Date(clock.ms), { until }),
    );
    await deliver(connector, SHOP, 1);
    for (; sent(connector).length === 0; clock.ms += 60_000) await connector.work('orders');
    expect(clock.ms).toBeGreaterThan(until);
    expect(clock.ms).toBeLessThan(until + HOUR_MS);
  });

  it('for ten days parks nothing, stays below the receives of SQS, and rings after a week', async () => {
    const connector = openConnector();
    await deliver(connector, SHOP, 1);
    // An event that is so old is compared with the store.
    connector.store.putOrder(SHOP, { ...storeOrder({}, { updated_at: UPDATED_AT }), id: '1' });
    await operate(connector, 'all', 'pause');
    const until = connector.clock.ms + 10 * DAY_MS;
    let receives = 0;
    const rang = { ms: Number.POSITIVE_INFINITY };
    while (connector.clock.ms < until) {
      if (connector.telemetry.total('waits-long') > 0)
        rang.ms = Math.min(rang.ms, connector.clock.ms);
      receives += (await connector.work('orders')).received;
      connector.clock.ms += 60_000;
    }
    expect(receives).toBeLessThan(400);
    expect(rang.ms - (until - 10 * DAY_MS)).toBeGreaterThan(7 * DAY_MS);
    expect(rang.ms - (until - 10 * DAY_MS)).toBeLessThan(7.1 * DAY_MS);
    expect(connector.dead.size).toBe(0);
  });
});

/** An order whose calls fail for the days before the pause and after it; gives whether it was parked. */
async function isParked(days: { before: number; paused: number; after: number }): Promise<boolean> {
  const connector = openWebhookConnector();
  const { clock, ledger, loyalty } = connector;
  const workFor = async (time: number) => {
    for (const end = clock.ms + time * 24 * HOUR_MS; clock.ms < end; clock.ms += 4 * HOUR_MS) {
      await connector.work('orders');
    }
  };
  const now = () => new Date(clock.ms);
  loyalty.world.interfere = () => ({ kind: 'answer', status: 503, headers: {}, text: '' });
  await connector.deliverOrders(1);
  // An event that is so old is compared with the store.
  connector.store.putOrder(SHOP, storeOrderOf(orderWithId(1)));
  await workFor(days.before);
  await changeControl(ledger, SHOP, (control) => withOperatorPause(control, 'all', 'robin', now()));
  await workFor(days.paused);
  await changeControl(ledger, SHOP, (control) => resumed(control, 'all', now()));
  await workFor(days.after);
  loyalty.world.interfere = undefined;
  await connector.drain();
  expect(connector.orderIds()).toEqual(connector.dead.size > 0 ? [] : ['1']);
  return connector.dead.size > 0;
}

it.each([
  [{ before: 0, paused: 9, after: 0 }, false],
  [{ before: 1.5, paused: 5, after: 3.5 }, false],
  [{ before: 1.5, paused: 5, after: 4.5 }, true],
])('the retry window of four days begins anew after a pause: %o', async (days, parked) => {
  expect(await isParked(days)).toBe(parked);
});
