import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../local/loyalty-sandbox/fault-rule.ts';
import { awsSettings, outputsOf } from '../../../scripts/connector/deployment/deployment.ts';
import { VERSION } from '../../../shared/config/release.ts';
import settings from '../../fixtures/project/connector.config.ts';
import { type ConsoleOnTheWire, openConsoleOnTheWire } from '../../support/console-on-the-wire.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

const DAY_MS = 86_400_000;
const goLive = new Date(Date.now() - 10 * DAY_MS).toISOString();

const operated = useOperatedConnector({ rules: { goLive } });
let console_: ConsoleOnTheWire;

beforeAll(async () => {
  const region = 'us-east-1';
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'operator-secret' };
  const endpoint = operated.gateway.endpoint;
  console_ = await openConsoleOnTheWire({
    deployment: {
      ...{ where: 'local', stage: 'prod', stack: 'loyalty-connector-prod', region },
      version: VERSION,
      aws: awsSettings({ region, endpoint, credentials }),
      output: outputsOf({ ...operated.outputs }, 'The stack of this test', 'It must have it.'),
      connector: {
        ...settings,
        shops: settings.shops.map((shop) => ({ ...shop, rules: { ...shop.rules, goLive } })),
      },
      sandbox: {
        storeAddress: operated.store.address,
        loyaltyAddress: operated.loyalty.address,
        metricsAddress: 'http://127.0.0.1:9',
      },
    },
  });
});
afterAll(() => console_.stop());

let bought = 0;

/** Goods of 84, of which 70 are without tax, paid and shipped. One customer for each. */
function buy(changes: { createdAt?: string } = {}) {
  const { actions } = operated.store;
  bought += 1;
  const customer = actions.createCustomer({
    ...{ firstName: 'Ada', lastName: 'Veracruz', email: `ada-${bought}@example.org` },
  });
  const lines = [
    { title: 'Linen shirt', price: 60 },
    { title: 'Scarf', price: 24 },
  ];
  const order = actions.placeOrder({ lines, customerId: customer.id, payment: 'paid', ...changes });
  actions.fulfilOrder({ orderId: order.id });
  return order;
}
type Order = ReturnType<typeof buy>;

/** The scarf: 50 of 70 points are left. */
const refund = ({ id, lines }: Order) =>
  operated.store.actions.refundOrder({
    ...{ orderId: id, lines: [{ lineId: lines[1]?.id ?? '', quantity: 1 }] },
  });

/** As a webhook or healing brings it. */
const bring = ({ id }: Pick<Order, 'id'>, delivery = 'first') =>
  operated.send({
    ...{ shop: SHOP, kind: 'order', id, topic: 'orders/updated', claim: 'changed' },
    ...{ origin: 'reconcile', deliveryId: `${delivery}-${id}`, body: undefined },
    receivedAt: new Date().toISOString(),
  });

/** In the service: what the order gives, and all that its customer has. */
function points({ id, customerId }: Pick<Order, 'id' | 'customerId'>) {
  const { orders, customers } = operated.loyalty.state();
  const ofOrder = orders.find(({ OriginalId }) => OriginalId === id)?.points ?? 0;
  const balance = customers.find(({ OriginalId }) => OriginalId === customerId)?.points ?? 0;
  return { ofOrder, balance };
}
const exactly = (many: number) => ({ ofOrder: many, balance: many });

async function run(command: string, operands: string[], options: object) {
  const { lines, code, text } = await console_.run({
    ...{ command, operands, options: { json: true, ...options } },
  });
  const found = lines.find(({ kind }) => kind === 'document')?.document;
  return { code, text, document: found as Record<string, unknown> | undefined };
}
const resend = ({ id }: Pick<Order, 'id'>, options: object = {}) =>
  run('resend', ['order', id], { yes: true, ...options });

/** What waits for its next try is tried now, until nothing waits. */
async function recover(): Promise<void> {
  operated.loyalty.faults.clear();
  await expect
    .poll(
      async () => {
        await operated.atWork(run('retry-now', [], {}));
        return operated.queues.waiting();
      },
      { timeout: 90_000, interval: 500 },
    )
    .toBe(0);
}

describe('an order that is sent again has exactly its points', () => {
  it('three times before any worker comes, and three times after', async () => {
    const order = buy();
    for (let time = 0; time < 3; time++) expect((await resend(order)).code).toBe(0);
    await operated.work();
    expect(points(order)).toEqual(exactly(70));
    for (const options of [{}, { force: true }, { force: true }]) {
      expect((await operated.atWork(resend(order, options))).code).toBe(0);
      expect(points(order)).toEqual(exactly(70));
    }
  });

  it('eight times at once, with the workers at work', async () => {
    const order = buy();
    const all = Array.from({ length: 8 }, (_, index) => resend(order, { force: index % 2 === 0 }));
    const ended = await operated.atWork(Promise.all(all));
    expect(ended.map(({ code }) => code)).toEqual(Array(8).fill(0));
    await recover();
    expect(points(order)).toEqual(exactly(70));
  });

  it('while a worker is sending it', async () => {
    const order = buy();
    operated.loyalty.faults.add({ operation: 'sendOrder', kind: 'latency', ms: 1_500, count: 1 });
    await bring(order);
    const working = operated.work();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await operated.atWork(Promise.all([resend(order, { force: true }), resend(order)]));
    await working;
    await recover();
    expect(points(order)).toEqual(exactly(70));
  });

  it('after a refund that no webhook reported, and after the cancellation of the rest', async () => {
    const order = buy();
    await operated.atWork(resend(order));
    refund(order);
    for (const options of [{}, { force: true }, {}]) {
      expect((await operated.atWork(resend(order, options))).code).toBe(0);
      expect(points(order)).toEqual(exactly(50));
    }
    operated.store.actions.cancelOrder({ orderId: order.id });
    for (const options of [{}, { force: true }, {}]) {
      await operated.atWork(resend(order, options));
      expect(points(order)).toEqual(exactly(0));
    }
  });

  it('with a refund between what was shown and what is sent', async () => {
    const order = buy();
    await resend(order, { force: true });
    refund(order);
    await resend(order);
    await bring(order);
    await operated.work();
    expect(points(order)).toEqual(exactly(50));
  });

  it('from before go-live only if it was sent before', async () => {
    const createdAt = new Date(Date.now() - 30 * DAY_MS).toISOString();
    const order = buy({ createdAt });
    const { text } = await operated.atWork(resend(order));
    expect(text).toMatch(/go-live/);
    await operated.atWork(resend(order, { force: true }));
    expect(points(order)).toEqual(exactly(0));

    // A backfill alone sends it.
    const period = { since: '40d', until: '20d', yes: true };
    expect((await operated.atWork(run('backfill orders', [], period))).code).toBe(0);
    expect(points(order)).toEqual(exactly(70));
    refund(order);
    for (const options of [{}, { force: true }]) {
      await operated.atWork(resend(order, options));
      expect(points(order)).toEqual(exactly(50));
    }
  });

  const faults: readonly FaultRule[] = [
    { kind: 'reset-after' },
    { kind: 'reset-before' },
    { kind: 'truncated' },
    { kind: 'empty' },
    { kind: 'http-500' },
    { kind: 'http-503', retryAfterSeconds: 1 },
    { kind: 'not-json', status: 502 },
  ];
  it('where the service fails in the middle, in any way', async () => {
    const broken = faults.map((fault) => ({ fault, order: buy() }));
    for (const [operation, left] of [
      ['sendOrder', 70],
      ['partiallyCancelPosOrder', 50],
    ] as const) {
      for (const { fault, order } of broken) {
        if (operation === 'partiallyCancelPosOrder') refund(order);
        operated.loyalty.faults.add({ ...fault, operation, count: 1 });
        await operated.atWork(Promise.all([resend(order, { force: true }), resend(order)]));
        operated.loyalty.faults.clear();
        // A call that succeeds: the circuit breaker must not open.
        await bring(buy());
        await operated.work();
      }
      // Together: after a call without an answer each waits for 30 seconds.
      expect(await operated.queues.waiting()).toBeGreaterThanOrEqual(faults.length);
      await recover();
      for (const { order } of broken) expect(points(order)).toEqual(exactly(left));
    }
  });
});

describe('a replay of 24 letters that is stopped in the middle', () => {
  const onTheQueue = async () => operated.queues.waiting();
  const listed = async () => {
    const { document } = await run('dead-letters list', [], {});
    return document?.matching;
  };
  const interrupted = async () => {
    const { document } = await run('history', [], { command: 'dead-letters replay' });
    return JSON.stringify(document).split('interrupted').length - 1;
  };

  it.each(['stop', 'leave'] as const)('loses and doubles nothing: %s', async (how) => {
    const orders = Array.from({ length: 24 }, () => buy());
    operated.loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 34 });
    for (const order of orders) await bring(order);
    await operated.work();
    operated.loyalty.faults.clear();
    const before = await operated.queues.deadLetters();
    expect(before).toHaveLength(24);
    const interruptedBefore = await interrupted();

    const replay = await console_.begin({
      ...{ command: 'dead-letters replay', operands: [] },
      // The last one is twenty seconds away when it is stopped.
      options: { json: true, yes: true, rate: '1/s', reason: 'rejected' },
    });
    await expect.poll(onTheQueue).toBeGreaterThan(3);
    await replay[how]();
    await replay.ended;
    if (how === 'stop') expect(replay.text()).toContain('{"kind":"end","code":130}');
    // It ends in order, even if its page is gone.
    await expect.poll(interrupted, { timeout: 60_000 }).toBe(interruptedBefore + 1);

    const sent = await onTheQueue();
    expect(sent).toBeLessThan(24);
    const summaries = await listed();
    const left = await operated.queues.deadLetters();
    expect(sent + left.length).toBe(24);
    const isLeft = (id: string) => left.some(({ body }) => body.includes(id));
    expect(summaries).toBe(left.length);

    await operated.work();
    for (const order of orders) {
      expect(points(order)).toEqual(exactly(isLeft(order.id) ? 0 : 70));
    }
    const rest = await run('dead-letters replay', [], { yes: true, reason: 'rejected' });
    expect(rest.code).toBe(0);
    await operated.work();
    for (const order of orders) expect(points(order)).toEqual(exactly(70));
    expect(await operated.queues.deadLetters()).toEqual([]);
    expect(await listed()).toBe(0);
  });
});
