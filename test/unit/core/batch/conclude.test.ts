import { beforeEach, describe, expect, it } from 'vitest';
import { waitsIn } from '../../../../scripts/connector/ground/checks/waiting-messages.ts';
import { type DelayDeps, delayMessages } from '../../../../shared/core/batch/delay-or-park.ts';
import {
  type Item,
  type WaitingMessage,
  waitingIn,
} from '../../../../shared/core/batch/waiting.ts';
import {
  changeControl,
  resumed,
  withOperatorPause,
} from '../../../../shared/core/calls/shop-pause.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { refusal, TIME_OUT, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { storeCoupon } from '../../../fixtures/store-entities.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { orderEvent } from '../../../support/parked-letters.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';
import { retryNow } from '../../../support/retry-now.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

const guest = orderWithId(2, 1, { customer: null });

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

describe('outcomes', () => {
  it('a rejected order is parked at once with its code, and a replay of it is no duplicate', async () => {
    connector.loyalty.world.interfere = () => refusal(50);
    await connector.deliverOrders(1);
    await connector.work('orders');
    const [letter] = connector.deadLetters();
    const code = 'ApiExternalCustomer_document_email_empty';
    expect(letter?.attributes).toMatchObject({ reason: 'rejected', code });
    expect(connector.telemetry.total('rejected', { kind: 'order', code })).toBe(1);
    connector.loyalty.world.interfere = undefined;
    if (!letter) throw new Error('nothing was parked');
    connector.queues.orders.send({ ...letter, groupId: 'replayed', deduplicationId: 'replayed' });
    await connector.drain();
    expect(connector.orderIds()).toEqual(['1']);
  });

  it('names the delivery and the end in the log, where a person looks for it', async () => {
    const discount = { updated_at: '2026-10-09T11:00:00Z', title: 'Autumn' };
    const gid = 'gid://shopify/DiscountCodeNode/1688847450345';
    connector.store.putCoupon(SHOP, storeCoupon());
    for (const [webhookId, topic, payload] of [
      ['sent', 'orders/create', orderWithId(1)],
      ['guest', 'orders/create', guest],
      ['fanned-out', 'discounts/create', { ...discount, admin_graphql_api_id: gid }],
      ['refused', 'orders/create', { id: 3 }],
    ] as const) {
      await connector.deliver({ topic, payload, webhookId });
    }
    await connector.drain();
    const lines = connector.telemetry.logged.map(({ fields }) => fields);
    for (const fields of [
      { correlationId: 'sent', shop: SHOP, kind: 'order', id: '1', calls: 'sendOrder' },
      { correlationId: 'guest', topic: 'orders/create', why: 'guest' },
      { correlationId: 'fanned-out', kind: 'discount', how: 'fanned-out' },
      { correlationId: 'refused', id: '3', reason: 'unreadable' },
    ]) {
      expect(lines).toContainEqual(expect.objectContaining(fields));
    }
  });

  it('skips a guest by name', async () => {
    await connector.handle('orders/create', guest);
    expect(connector.loyalty.journal).toEqual([]);
    expect(connector.telemetry.total('skipped', { why: 'guest' })).toBe(1);
    // The same event under another topic adds no second line.
    await connector.handle('orders/paid', guest);
    expect(connector.entry('order', '2')?.outcomes).toHaveLength(1);
  });

  it('measures from the store to the loyalty service', async () => {
    await connector.deliverOrders(1);
    connector.clock.ms += 1_500;
    await connector.work('orders');
    const measured = () => connector.telemetry.total('latency-ms', { kind: 'order' });
    expect(measured()).toBe(1_500);
    // What is not sent has no way to measure.
    await connector.deliver({ topic: 'orders/create', payload: guest });
    connector.clock.ms += 1_500;
    await connector.work('orders');
    expect(measured()).toBe(1_500);
  });

  it('measures nothing that a person held: by a pause, or until a dead letter was sent again', async () => {
    const { ledger, clock, telemetry } = connector;
    const now = () => new Date(clock.ms);
    await changeControl(ledger, SHOP, (one) => withOperatorPause(one, 'orders', 'ops', now()));
    await connector.deliverOrders(1);
    await connector.work('orders');
    await changeControl(ledger, SHOP, (one) => resumed(one, 'all', now()));
    await connector.drain();
    const at = now().toISOString();
    const replayed = { shop: SHOP, triggeredAt: at, replays: [{ at, by: 'ops' }] };
    await connector.send({ ...orderEvent(2, orderWithId(2), at), ...replayed });
    await connector.drain();
    expect(connector.orderIds()).toEqual(['1', '2']);
    expect(telemetry.total('latency-ms')).toBe(0);
  });
});

const NOON = Date.parse('2026-10-09T12:00:00.000Z');
const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(NOON - days * DAY).toISOString();

function open() {
  const delayed: number[] = [];
  const parked: string[] = [];
  const reasons: string[] = [];
  const telemetry = recordTelemetry();
  const ledger = createMemoryLedger();
  const world: DelayDeps = {
    deadLetters: {
      family: 'orders',
      park: async ({ messageId }, { reason }) => {
        parked.push(messageId);
        reasons.push(reason);
      },
    },
    telemetry,
    now: () => new Date(NOON),
    source: {
      delay: async (_, seconds) => void delayed.push(seconds),
      isCrowded: async () => false,
    },
    ...{
      ledger,
      random: () => 0,
      retryWindowDays: 4,
      hasNeighbours: false,
    },
    pauses: {
      windowFrom: (_shop: string, queuedAt: number) => queuedAt,
    } as never,
  };
  const recorded = () =>
    [...ledger.entries.values()].flatMap(({ remembered }) => waitingIn(remembered) ?? []);
  const waiting = () => recorded().map(({ since }) => since);
  return { delayed, parked, reasons, world, ledger, recorded, waiting, telemetry };
}

/** A message that arrived so many days ago, and was replayed at these later times. */
function item(id: string, attempts: number, arrived: number, ...replayed: number[]): Item {
  const replays = replayed.map((days) => ({ at: daysAgo(days), by: 'robin' }));
  return {
    message: {
      ...{ messageId: id, receiptHandle: id, body: '', groupId: 'g', attempts },
      sequenceNumber: id,
    },
    event: {
      ...{ shop: 'example-store.myshopify.com', kind: 'order', id: '1', topic: 'orders/updated' },
      ...{ claim: 'changed', origin: 'webhook', deliveryId: id, receivedAt: daysAgo(arrived) },
      ...{ body: undefined, replays },
    },
  };
}

const retry = { why: 'time-out' } as const;

describe('messages of one group that wait', () => {
  it.each([
    ['first', [5, 1, 2]],
    ['in the middle', [2, 5, 1]],
    ['last', [1, 2, 5]],
  ])('wait as long as the one that was tried most often, which stands %s', async (_, attempts) => {
    const { delayed, world } = open();
    const items = attempts.map((often, index) => item(String(index), often, 0));
    await delayMessages(items, retry, world);
    // Half of 5 seconds, doubled four times.
    expect(delayed).toEqual([40]);
  });

  it('end their retries each by its own age, counted from its last replay', async () => {
    const { parked, reasons, world, waiting } = open();
    const items = [
      item('old', 3, 5),
      item('replayed', 3, 20, 1),
      item('replayed again', 3, 20, 9, 1),
      item('replayed long ago', 3, 20, 9, 5),
      item('new', 3, 1),
    ];
    const left = await delayMessages(items, retry, world);
    expect(parked).toEqual(['old', 'replayed long ago']);
    expect(new Set(reasons)).toEqual(new Set(['retry-window-over']));
    expect(left).toEqual(['replayed', 'replayed again', 'new']);
    expect(waiting()).toEqual([NOON - DAY, NOON - DAY, NOON - DAY]);
  });

  describe.each([{ why: 'out-of-tokens' }, { why: 'shop-busy' }] as const)(
    'for their turn, behind a backlog that is not cleared: $why',
    (outOfTurn) => {
      it('are not parked at the end of the retry window, and are counted after a week', async () => {
        const { parked, world, telemetry } = open();
        const left = await delayMessages([item('1', 9, 6), item('2', 9, 9)], outOfTurn, world);
        expect([left, parked]).toEqual([['1', '2'], []]);
        expect(telemetry.total('waits-long')).toBe(1);
      });

      it('are parked on day 13 by that reason, before SQS deletes them on day 14', async () => {
        const { parked, reasons, world } = open();
        const left = await delayMessages([item('1', 9, 12.9), item('2', 9, 13)], outOfTurn, world);
        expect([left, parked, reasons]).toEqual([['1'], ['2'], ['would-expire']]);
      });
    },
  );

  it('are parked on day 13 in a paused shop as well', async () => {
    const { reasons, world } = open();
    const pauses = {
      ...world.pauses,
      windowFrom: (_: string, __: number, now: Date) => now.getTime(),
    };
    const paused = { why: 'shop-paused', pausedBy: 'operator' } as const;
    await delayMessages([item('1', 9, 13)], paused, { ...world, pauses });
    expect(reasons).toEqual(['would-expire']);
  });

  it.each([
    [
      'of a shop whose account is refused',
      true,
      true,
      { why: 'misconfigured', misconfigured: true },
    ],
    ['of a paused shop', true, true, { why: 'shop-paused', pausedBy: 'service' }],
    ['of a service that is only down', false, true, retry],
    ['of the only shop', false, false, { why: 'misconfigured', misconfigured: true }],
  ] as const)(
    'make room on a crowded queue, or not: %s',
    async (_, makesRoom, hasNeighbours, reason) => {
      const { reasons, delayed, world } = open();
      const source = { ...world.source, isCrowded: async () => true };
      await delayMessages([item('1', 1, 0)], reason, { ...world, source, hasNeighbours });
      expect(reasons).toEqual(makesRoom ? ['made-room'] : []);
      expect(delayed).toHaveLength(makesRoom ? 0 : 1);
    },
  );

  it('are tried soon after a pause, however often they were received during it', async () => {
    const { delayed, world, recorded } = open();
    const waiting = { tries: 1 } as WaitingMessage;
    const paused = { ...item('1', 40, 0), lastWait: { waiting, revision: 1 } };
    await delayMessages([paused], retry, world);
    expect(delayed).toEqual([5]);
    expect(recorded()).toMatchObject([{ tries: 2 }]);
  });
});

describe('what waits, as the operator sees it', () => {
  it.each([
    ['paused', { why: 'shop-paused', pausedBy: 'operator', throttled: true }],
    ['misconfigured', { why: 'misconfigured', misconfigured: true, throttled: true }],
    ['throttled', { why: 'throttled', throttled: true, pausedBy: 'service' }],
    ['patience', { why: 'out-of-tokens' }],
    ['patience', { why: 'customer-not-found' }],
    ['patience', { why: 'redemption-open' }],
    ['patience', { why: 'not-cancelled' }],
    ['connector', { why: 'ledger-unavailable' }],
    ['connector', { why: 'dead-letter-queue-unavailable' }],
    ['connector', { why: 'newer-release' }],
    ['connector', { why: 'broke-off' }],
    ['connector', { why: 'overtaken' }],
    ['connector', { why: 'tokens-unreachable' }],
    ['connector', { why: 'credentials-unreachable' }],
    ['store', { why: 'store-throttled', unanswered: true }],
    ['loyalty', { why: 'time-out' }],
  ] as const)('waits for: %s, %o', async (waitsFor, reason) => {
    const { world, recorded, ledger } = open();
    await delayMessages([item('1', 1, 0)], reason, world);
    const [one] = recorded();
    expect(one).toMatchObject({
      ...{ waitsFor, why: reason.why, queue: 'orders', about: { kind: 'order', id: '1' } },
      ...{ messageId: '1', receiptHandle: '1', since: NOON },
    });
    const [entry] = ledger.entries.values();
    expect(one?.until).toBeGreaterThan(NOON);
    // Longer than it waits: the next attempt and the command read it.
    expect((entry?.expiresAt ?? 0) * 1_000).toBe((one?.until ?? 0) + 3_600_000);
  });

  it('waits for a place: recorded from the second time on', async () => {
    const { world, recorded } = open();
    await delayMessages([item('1', 1, 0)], { why: 'shop-busy' }, world);
    expect(recorded()).toEqual([]);
    await delayMessages([item('1', 2, 0)], { why: 'shop-busy' }, world);
    expect(recorded()).toMatchObject([{ waitsFor: 'patience', why: 'shop-busy' }]);
  });

  it('waits for its newest attempt, of nine and ten the tenth', async () => {
    const { world, ledger } = open();
    for (const attempts of [10, 9]) await delayMessages([item('1', attempts, 0)], retry, world);
    const [tenth] = ledger.entries.values();
    const records = [...ledger.entries].map(([text, entry]) => ({ id: text, entry }));
    const waits = waitsIn('example-store.myshopify.com', records, new Date(NOON));
    expect(waits).toMatchObject([{ until: waitingIn(tenth?.remembered)?.until, receives: 10 }]);
  });

  it('is not recorded when the time of the batch is over', async () => {
    const { world, recorded } = open();
    await delayMessages([item('1', 1, 0)], { why: 'out-of-time' }, world);
    expect(recorded()).toEqual([]);
  });

  it.each([
    ['longer than half an hour', 1, 0.03, retry],
    ['shorter', 0, 0.02, retry],
    ['while an operator pauses its shop', 0, 3, { why: 'shop-paused', pausedBy: 'operator' }],
    ['while the service pauses its shop', 1, 3, { why: 'shop-paused', pausedBy: 'service' }],
    ['for what may take hours', 0, 3, { why: 'redemption-open' }],
  ] as const)('counts as stuck or not, retried %s: %i', async (_, stuck, days, reason) => {
    const { world, telemetry } = open();
    await delayMessages([item('1', 9, days)], reason, world);
    expect(telemetry.total('stuck', { why: reason.why })).toBe(stuck);
  });

  it('stays on its queue when neither the delay nor the wait can be written', async () => {
    const { world } = open();
    const away = () => Promise.reject(new Error('away'));
    const broken = {
      ...world,
      source: { delay: away, isCrowded: async () => false },
      ledger: { write: away },
    };
    expect(await delayMessages([item('1', 1, 0)], retry, broken)).toEqual(['1']);
  });

  it('is counted where a person must act, and where the service asked for fewer calls', async () => {
    for (const why of ['misconfigured', 'throttled'] as const) {
      const { world, telemetry } = open();
      await delayMessages([item('1', 1, 0), item('2', 1, 0)], { why, [why]: true }, world);
      expect(telemetry.total(why, { why })).toBe(1);
      expect(telemetry.total(why === 'throttled' ? 'misconfigured' : 'throttled')).toBe(0);
      expect(telemetry.total('retried', { why, kind: 'order' })).toBe(2);
    }
  });
});

/** The operator's clock may be wrong by so many milliseconds. */
const wake = ({ ledger, queues, clock }: WebhookConnector, aheadMs = 0) =>
  retryNow({ shop: SHOP, ledger, queues, now: new Date(clock.ms + aheadMs) }, ledger);

const waits = () =>
  [...connector.ledger.entries].flatMap(([text, { remembered }]) =>
    text.startsWith(ledgerKeyText({ shop: SHOP, kind: 'waiting', id: '' }))
      ? (waitingIn(remembered) ?? [])
      : [],
  );

describe('after an outage', () => {
  it('what became of each woken message is recorded where the command reads it', async () => {
    connector.loyalty.world.interfere = () => UNREACHABLE;
    await connector.deliverOrders(1, 2);
    await connector.work('orders');
    connector.loyalty.world.interfere = undefined;
    await wake(connector);
    await connector.work('orders');
    const newest = new Map(waits().map((one) => [one.messageId, one.ended]));
    expect([...newest.values()]).toEqual(['applied', 'applied']);
    expect((await wake(connector)).woken).toEqual([]);
  });

  // A person read for nine minutes that settled messages wait.
  it('a woken message waits for nobody once it is settled, also if a receive between left no record', async () => {
    connector.loyalty.world.interfere = () => UNREACHABLE;
    await connector.deliverOrders(1);
    for (let turn = 0; turn < 6; turn += 1) {
      await connector.work('orders');
      connector.clock.ms =
        Math.max(...waits().map(({ until }) => until)) - (turn === 5 ? 60_000 : 0);
    }
    connector.loyalty.world.interfere = undefined;
    expect((await wake(connector)).woken).toHaveLength(1);
    connector.queues.orders.receive({ visibilitySeconds: 0 });
    await connector.work('orders');
    expect(connector.orderIds()).toEqual(['1']);
    expect(await wake(connector)).toEqual({ woken: [], gone: 0 });
  });
});

describe('a call without an answer', () => {
  /** Sends 115, gets no answer, and the service executes the call only when `land` is called. */
  async function timeOut() {
    let land = () => {};
    connector.loyalty.world.interfere = (_, pass) => {
      land = pass;
      connector.loyalty.world.interfere = undefined;
      return TIME_OUT;
    };
    await connector.deliver({ topic: 'orders/create', payload: orderWithId(1) });
    await connector.work('orders');
    return () => land();
  }

  const changed = (second: number) =>
    orderWithId(1, second, { current_subtotal_price: '130.00', subtotal_price: '130.00' });

  it.each([
    ['right', 0],
    ['21 seconds ahead', 21_000],
    ['five minutes behind', -300_000],
  ])('holds the message back for 30 seconds, with a clock that is %s', async (_, aheadMs) => {
    const land = await timeOut();
    await connector.deliver({ topic: 'orders/updated', payload: changed(2) });
    connector.clock.ms += 10_000;
    const { woken } = await wake(connector, aheadMs);
    expect(woken.map(({ isHeldBack }) => isHeldBack)).toEqual([aheadMs <= 0]);
    await connector.work('orders');
    expect(connector.orderIds()).toEqual([]);
    connector.clock.ms += 1_000;
    await wake(connector, aheadMs);
    await connector.work('orders');
    expect(connector.orderIds()).toEqual([]);
    connector.clock.ms += 18_000;
    await connector.work('orders');
    expect(connector.orderIds()).toEqual([]);
    land();
    connector.clock.ms += 12_000;
    await connector.work('orders');
    expect(connector.queues.orders.size).toBe(0);
    expect(connector.loyalty.rows.orders.get('1')?.OrderTotal).toBe(130);
  });

  it('counts as one try, and being held back as none', async () => {
    await timeOut();
    await wake(connector, 31_000);
    await connector.work('orders');
    expect(waits().map(({ why, tries }) => [why, tries])).toEqual([
      ['time-out', 1],
      ['call-under-way', 1],
    ]);
  });
});
