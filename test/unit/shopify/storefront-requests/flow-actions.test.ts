import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ActionRun, actionRequest } from '../../../support/flow-action.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { SECRET, SHOP, serveInProcess } from '../../../support/served-storefront.ts';

const LIMITS = { mostPointsPerRun: 500, mostPointsPerDay: 1_000 };
const ROBIN = '7001';

async function open(given: Parameters<typeof serveInProcess>[0] = {}) {
  const shop = serveInProcess({ flow: LIMITS, ...given });
  await shop.enroll(ROBIN, 1);
  const request = (
    properties: object = {},
    { runId = randomUUID(), handle = 'loyalty-give-points' }: Partial<ActionRun> = {},
    signed = { shop: SHOP, secret: SECRET },
  ) =>
    actionRequest(
      { handle, runId, properties: { customer_id: ROBIN, points: '50.00', ...properties } },
      signed,
    );
  const send = (signed: ReturnType<typeof request>, path = 'flow/give-points', query = '') =>
    shop.ask(path, { ...signed, method: 'POST', query });
  const run = async (properties?: object, more?: Partial<ActionRun>) => {
    const { status, json } = await send(request(properties, more));
    return [status, json.error?.code ?? json.given];
  };
  const points = async () => {
    const read = await shop.loyalty.client.getCustomerPoints(ROBIN);
    return read.kind === 'success' ? read.value.PointsBalance : read;
  };
  return { shop, request, send, run, points };
}

describe('a run of the action of Shopify Flow', () => {
  it('gives points once, however often it is repeated, and the next one gives again', async () => {
    const { run, points } = await open();
    for (let time = 0; time < 3; time += 1) {
      expect(await run({ reason: 'Birthday' }, { runId: 'same' })).toEqual([200, 50]);
    }
    expect(await points()).toBe(51);
    expect(await run({ points: 20, customer_id: `gid://shopify/Customer/${ROBIN}` })).toEqual([
      200, 20,
    ]);
    expect(await points()).toBe(71);
  });

  it('whose answer is lost is repeated by Flow, and gives once', async () => {
    const { shop, run, points } = await open();
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      const answer = pass();
      if (operation !== 'changePoints') return answer;
      shop.loyalty.world.interfere = undefined;
      return { kind: 'failure', reason: 'time-out', mayHaveHappened: true };
    };
    expect(await run({}, { runId: 'lost' })).toEqual([503, 'unavailable']);
    // The next day: the run keeps its place among those of the day before.
    shop.clock.ms += 86_400_000 - 60_000;
    expect(await run({}, { runId: 'lost' })).toEqual([200, 50]);
    expect(await points()).toBe(51);
  });

  it.each([
    ['a second later', 1_000],
    ['after midnight', 60_000],
    ['a day later', 86_400_000 - 1_000],
  ])(
    'that Flow repeats %s counts against one day alone, and is recorded once',
    async (_, later) => {
      const { shop, run } = await open();
      shop.clock.ms = Date.parse('2026-10-09T23:59:30Z');
      const ledger = createMemoryLedger();
      shop.parts.ledger = ledger;
      const records = () => [...ledger.entries.keys()].filter((key) => key.includes('operators-'));
      expect(await run({ points: 500 }, { runId: 'same' })).toEqual([200, 500]);
      const recorded = records();
      expect(recorded).toHaveLength(2);
      shop.clock.ms += later;
      expect(await run({ points: 500 }, { runId: 'same' })).toEqual([200, 500]);
      expect(records()).toEqual(recorded);
      // What is left of the day is what the first time has left of it.
      const isNextDay = later >= 30_000;
      expect(await run({ points: 500 })).toEqual([200, 500]);
      expect(await run({ points: 500 })).toEqual(isNextDay ? [200, 500] : [422, 'daily-limit']);
    },
  );

  it('is refused above the limits of a run and of a day, and a refused one uses up nothing', async () => {
    const { shop, run, points } = await open();
    expect(await run({ points: 501 })).toEqual([422, 'too-many-points']);
    expect(await run({ points: 500, customer_id: '7002' })).toEqual([422, 'refused']);
    expect(await run({ points: 500 }, { runId: 'first' })).toEqual([200, 500]);
    expect(await run({ points: 400 })).toEqual([200, 400]);
    expect(await run({ points: 101 })).toEqual([422, 'daily-limit']);
    expect(await run({ points: 500 }, { runId: 'first' })).toEqual([200, 500]);
    expect(await points()).toBe(901);
    shop.clock.ms += 86_400_000;
    expect(await run({ points: 101 })).toEqual([200, 101]);
  });

  it('gives no more than a day allows where many come at once', async () => {
    const { run, points } = await open();
    const answers = await Promise.all(Array.from({ length: 12 }, () => run({ points: 100 })));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(10);
    expect(await points()).toBe(1_001);
  });

  it('is refused for a customer whom this shop does not have, and repeated while the store does not say so', async () => {
    const { shop, run, points } = await open();
    shop.parts.hasCustomer = async () => false;
    expect(await run()).toEqual([404, 'not-found']);
    shop.parts.hasCustomer = () => Promise.reject(new Error('the store is away'));
    expect(await run()).toEqual([503, 'unavailable']);
    expect(await points()).toBe(1);
  });

  it.each([
    [{ points: '0' }, 'bad-request'],
    [{ points: '-5' }, 'bad-request'],
    [{ points: '1.5' }, 'bad-request'],
    [{ points: '' }, 'bad-request'],
    [{ points: null }, 'bad-request'],
    [{ points: [5] }, 'bad-request'],
    [{ points: '1e2000' }, 'bad-request'],
    [{ customer_id: 'robin@example.com' }, 'bad-request'],
    [{ customer_id: null }, 'bad-request'],
    [{ reason: 'x'.repeat(256) }, 'bad-request'],
    [{ reason: { text: 'x' } }, 'bad-request'],
    [{ cashback: 5 }, 'unknown-field'],
  ])('with %j is refused', async (properties, code) => {
    const { run, points } = await open();
    expect(await run(properties)).toEqual([400, code]);
    expect(await points()).toBe(1);
  });

  it('is refused for another action, without its id, with a query, and at another address', async () => {
    const { shop, request, send, run } = await open();
    expect(await run({}, { handle: 'loyalty-take-points' })).toEqual([400, 'bad-request']);
    expect(await run({}, { runId: '' })).toEqual([400, 'bad-request']);
    expect((await send(request(), 'flow/give-points', 'points=9')).status).toBe(400);
    expect((await send(request(), 'flow/redeem')).status).toBe(404);
    expect((await send(request(), 'flow/give-points/more')).status).toBe(404);
    expect((await shop.ask('flow/give-points', { method: 'OPTIONS', query: '' })).status).toBe(401);
  });

  it('is not believed without the signature of the shop’s own app over these bytes', async () => {
    const { shop, request, send, points } = await open();
    const good = request();
    const forged = [
      { ...good, headers: { 'content-type': 'application/json' } },
      { ...good, body: good.body.replace('50.00', '90.00') },
      request({}, {}, { shop: SHOP, secret: 'of another app' }),
      // Signed by the app of this shop, but for another one.
      request({}, {}, { shop: 'second-store.myshopify.com', secret: SECRET }),
    ];
    for (const one of forged) expect((await send(one)).json.error.code).toBe('bad-signature');
    // A proof of one kind is worth nothing at the address of another.
    expect((await send(good, 'redeem')).status).toBe(401);
    expect((await send(good, `till/${ROBIN}/redeem`)).status).toBe(401);
    expect((await shop.ask('flow/give-points', { customerId: ROBIN, body: {} })).status).toBe(401);
    expect(await points()).toBe(1);
    expect((await send(good)).status).toBe(200);
  });

  it('is refused by name where the settings do not allow it, and while the shop is observed', async () => {
    const off = serveInProcess();
    await off.enroll(ROBIN, 1);
    const { request } = await open();
    const asked = await off.ask('flow/give-points', { ...request(), method: 'POST', query: '' });
    expect([asked.status, asked.json.error.code]).toEqual([404, 'not-found']);
    const observed = await open({ observers: [ROBIN] });
    expect(await observed.run()).toEqual([409, 'not-live']);
    expect(await observed.points()).toBe(1);
  });
});
