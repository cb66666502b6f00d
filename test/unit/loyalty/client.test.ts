import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import {
  afterEach,
  beforeEach,
  describe,
  expect,
  expectTypeOf,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { parse } from 'yaml';
import {
  createLoyaltyClient,
  type LoyaltyClient,
  type Turn,
} from '../../../shared/loyalty/client.ts';
import type { components } from '../../../shared/loyalty/contract.gen.ts';
import { operationTable, type Page, type Value } from '../../../shared/loyalty/operations.ts';
import {
  answering,
  hanging,
  resetting,
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server.ts';

type Schemas = components['schemas'];

const credentials = { token: 'token-of-example', key: 'clé:ключ-秘密' };
let server: ScriptedServer;
let client: LoyaltyClient;
beforeEach(async () => {
  server = await startScriptedServer();
  client = createLoyaltyClient({ baseUrl: server.url, credentials });
});
afterEach(() => server.stop());

const cancellation = { OrderCancelledDate: '2026-10-08T11:00:00Z', OrderStatus: null };
const calls: Record<keyof LoyaltyClient, { call: () => Promise<unknown>; wire: string }> = {
  updateProduct: {
    call: () => client.updateProduct('a/b', { Title: 'Shirt' }),
    wire: 'PUT /v1/pvt/Product/a%2Fb {"Title":"Shirt"}',
  },
  calculateProductPoints: {
    call: () => client.calculateProductPoints([{ Id: '1', Price: 2.5 }]),
    wire: 'POST /v1/pvt/Product/points [{"Id":"1","Price":2.5}]',
  },
  redeemReward: {
    call: () => client.redeemReward(7, { CustomerId: 'c 1' }),
    wire: 'POST /v1/pvt/RewardConfigurations/7/redeem {"CustomerId":"c 1"}',
  },
  sendOrder: {
    call: () => client.sendOrder({ OriginalId: '1' }),
    wire: 'POST /v1/pvt/POS/orders {"OriginalId":"1"}',
  },
  createCoupon: {
    call: () => client.createCoupon({ CouponCode: 'X' }),
    wire: 'POST /v1/pvt/Coupons {"CouponCode":"X"}',
  },
  changeCashback: {
    call: () => client.changeCashback('50%', { Value: 1, OperationType: 1, Reason: 'r' }),
    wire: 'POST /v1/pvt/Customer/50%25/cashback {"Value":1,"OperationType":1,"Reason":"r"}',
  },
  listTiers: {
    call: () => client.listTiers({ CustomerId: null }),
    wire: 'POST /v1/pvt/Tiers/available {"CustomerId":null}',
  },
  updateRewardMetadata: {
    call: () => client.updateRewardMetadata({ OriginalKey: 'k' }),
    wire: 'POST /v1/pvt/Rewards/updatemetadata {"OriginalKey":"k"}',
  },
  getRewardConfiguration: {
    call: () => client.getRewardConfiguration(7),
    wire: 'GET /v1/pvt/RewardConfigurations/7 ',
  },
  listQuizzes: {
    call: () => client.listQuizzes({ customerId: 'a&b=c 🎁' }),
    wire: 'GET /v1/pvt/Quiz/list?customerId=a%26b%3Dc%20%F0%9F%8E%81 ',
  },
  getCustomer: {
    call: () => client.getCustomer('..'),
    wire: 'GET /v1/pvt/Customer/%2E%2E ',
  },
  deactivateCoupon: {
    call: () => client.deactivateCoupon('10% OFF'),
    wire: 'POST /v1/pvt/Coupons/10%25%20OFF/inactive ',
  },
  cancelPosOrder: {
    call: () => client.cancelPosOrder('#1', cancellation),
    wire: `POST /v1/pvt/POS/orders/%231/cancel ${JSON.stringify(cancellation)}`,
  },
  listRewardConfigurations: {
    call: () => client.listRewardConfigurations({ IsActive: true, PageNumber: 2, PageSize: 50 }),
    wire: 'GET /v1/pvt/RewardConfigurations?IsActive=true&PageNumber=2&PageSize=50 ',
  },
  answerQuiz: {
    call: () => client.answerQuiz({ customerId: 'c' }, [{ QuizQuestionId: 1, OptionIds: [2] }]),
    wire: 'POST /v1/pvt/Quiz/answer?customerId=c [{"QuizQuestionId":1,"OptionIds":[2]}]',
  },
  cancelOrder: {
    call: () => client.cancelOrder('1?2', cancellation),
    wire: `POST /v1/pvt/Order/1%3F2/cancel ${JSON.stringify(cancellation)}`,
  },
  getOrder: { call: () => client.getOrder('1/2'), wire: 'GET /v1/pvt/Order/1%2F2 ' },
  completeOrder: {
    call: () => client.completeOrder('1', { OrderStatus: 'paid' }),
    wire: 'POST /v1/pvt/Order/1/complete {"OrderStatus":"paid"}',
  },
  partiallyCancelOrder: {
    call: () => client.partiallyCancelOrder('1', { ValueToRefund: 5, CancelKey: 'k' }),
    wire: 'POST /v1/pvt/Order/1/partialcancel {"ValueToRefund":5,"CancelKey":"k"}',
  },
  partiallyCancelPosOrder: {
    call: () => client.partiallyCancelPosOrder('1', { ValueToRefund: 5, CancelKey: 'k' }),
    wire: 'POST /v1/pvt/POS/1/partialcancel {"ValueToRefund":5,"CancelKey":"k"}',
  },
  listAvailableRewards: {
    call: () => client.listAvailableRewards({ CustomerId: 'a@example.com', PurchaseValue: 9 }),
    wire: 'POST /v1/pvt/POS/rewards/available {"CustomerId":"a@example.com","PurchaseValue":9}',
  },
  redeemRewardByKey: {
    call: () => client.redeemRewardByKey(3, { CustomerId: 'a@example.com', OriginalKey: 'k' }),
    wire: 'POST /v1/pvt/POS/rewards/3/redeem {"CustomerId":"a@example.com","OriginalKey":"k"}',
  },
  cancelRedemption: {
    call: () => client.cancelRedemption(12),
    wire: 'DELETE /v1/pvt/POS/rewards/12 ',
  },
  cancelRedemptionByKey: {
    call: () => client.cancelRedemptionByKey('a&b'),
    wire: 'DELETE /v1/pvt/POS/rewards?OriginalKey=a%26b ',
  },
  startChallenge: {
    call: () => client.startChallenge('a@example.com'),
    wire: 'POST /v1/pvt/POS/customers/a%40example.com/challenge ',
  },
  validateChallenge: {
    call: () => client.validateChallenge('a@example.com', { Code: '1234' }),
    wire: 'POST /v1/pvt/POS/customers/a%40example.com/challengevalidate {"Code":"1234"}',
  },
  getRedeemedReward: {
    call: () => client.getRedeemedReward(12),
    wire: 'GET /v1/pvt/Rewards/12 ',
  },
  getCustomerPoints: {
    call: () => client.getCustomerPoints('7'),
    wire: 'GET /v1/pvt/Customer/7/points ',
  },
  listPointsHistory: {
    call: () => client.listPointsHistory('7', { PageNumber: 2, PageSize: 50 }),
    wire: 'POST /v1/pvt/Customer/7/history?PageNumber=2&PageSize=50 ',
  },
  upsertCustomer: {
    call: () => client.upsertCustomer({ OriginalId: '7' }),
    wire: 'POST /v1/pvt/Customer/upsert {"OriginalId":"7"}',
  },
  changeCustomerStatus: {
    call: () => client.changeCustomerStatus('7', { IsEnabled: false, Reason: 'Asked' }),
    wire: 'POST /v1/pvt/Customer/7/changestatus {"IsEnabled":false,"Reason":"Asked"}',
  },
  getCoupon: { call: () => client.getCoupon('A B'), wire: 'GET /v1/pvt/Coupons/A%20B ' },
  listCustomersReport: {
    call: () => client.listCustomersReport({ isEnrolled: false, pageSize: 500 }),
    wire: 'GET /v1/pvt/Reports/ListCustomersReport?isEnrolled=false&pageSize=500 ',
  },
};

describe('the client', () => {
  it.each(Object.entries(calls))('sends %s as the contract says', async (_, { call, wire }) => {
    await call();
    const sent = server.received.map(({ method, url, body }) => `${method} ${url} ${body}`);
    expect(sent).toEqual([wire]);
  });

  it('knows every operation of the contract by its method and path', () => {
    const { paths } = parse(readFileSync('shared/loyalty/openapi.yaml', 'utf8')) as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    const inContract = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        operationId,
        { method: method.toUpperCase(), path },
      ]),
    );
    const inTable = Object.entries(operationTable).map(([id, { method, path }]) => [
      id,
      { method, path },
    ]);
    expect(inTable).toHaveLength(33);
    expect(Object.fromEntries(inTable)).toEqual(Object.fromEntries(inContract));
  });

  it('gives each operation the types of the contract', () => {
    expectTypeOf<Parameters<LoyaltyClient['sendOrder']>[0]>().toEqualTypeOf<Schemas['Order']>();
    expectTypeOf<Value<'sendOrder'>>().toEqualTypeOf<Schemas['OrderResult']>();
    expectTypeOf<Value<'updateProduct'>>().toEqualTypeOf<Schemas['ProductResult']>();
    expectTypeOf<Value<'createCoupon'>>().toEqualTypeOf<Page<Schemas['CouponItem']>>();
    expectTypeOf<Value<'redeemReward'>>().toEqualTypeOf<Page<Schemas['RewardConfiguration']>>();
    expectTypeOf<Value<'listQuizzes'>>().toEqualTypeOf<Schemas['Quiz'][]>();
    expectTypeOf<Value<'calculateProductPoints'>>().toEqualTypeOf<Schemas['ProductPoints'][]>();
    expectTypeOf<Value<'listTiers'>>().toEqualTypeOf<Schemas['TierAvailability']>();
    expectTypeOf<Schemas['CashbackChange']['OperationType']>().toEqualTypeOf<0 | 1 | undefined>();
  });

  it('leaves out query parameters that are null or undefined', async () => {
    await client.listQuizzes({ customerId: null });
    await client.listQuizzes();
    await client.listRewardConfigurations({ IsActive: null, PageNumber: 0 });
    await client.answerQuiz(undefined, []);
    expect(server.received.map(({ url }) => url)).toEqual([
      '/v1/pvt/Quiz/list',
      '/v1/pvt/Quiz/list',
      '/v1/pvt/RewardConfigurations?PageNumber=0',
      '/v1/pvt/Quiz/answer',
    ]);
  });

  it('sends the credentials as UTF-8, and a key with a colon whole', async () => {
    await client.getCustomer('1');
    const header = server.received[0]?.headers.authorization ?? '';
    const decoded = Buffer.from(header.replace('Basic ', ''), 'base64').toString('utf8');
    expect(decoded).toBe('token-of-example:clé:ключ-秘密');
  });

  it('asks a function for the credentials before every call', async () => {
    const keys = ['old', 'new'];
    const rotating = createLoyaltyClient({
      baseUrl: server.url,
      credentials: async () => ({ token: 't', key: keys.shift() ?? '' }),
    });
    await rotating.getCustomer('1');
    await rotating.getCustomer('1');
    const sent = server.received.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Basic ${btoa('t:old')}`, `Basic ${btoa('t:new')}`]);
    // The third key is missing: an answer like any other, and nothing leaves.
    expect(await rotating.getCustomer('1')).toEqual({
      kind: 'transport-failure',
      reason: 'no-credentials',
      class: 'misconfigured',
      mayHaveHappened: false,
      message: 'The credentials could not be had, or are not usable.',
    });
    expect(server.received).toHaveLength(2);
  });

  it('tries other credentials at once when the service refuses the first, and the same ones never twice', async () => {
    server.script = answering(401, '{}');
    let stored = 'old';
    const asked: string[] = [];
    const rotated = createLoyaltyClient({
      baseUrl: server.url,
      credentials: async (given) => {
        asked.push(given);
        return { token: 't', key: given === 'were-refused' ? stored : 'old' };
      },
    });
    expect(await rotated.getCustomer('1')).toMatchObject({ class: 'misconfigured' });
    expect(server.received).toHaveLength(1);
    stored = 'new';
    await rotated.getCustomer('1');
    expect(asked).toEqual(['for-a-call', 'were-refused', 'for-a-call', 'were-refused']);
    expect(server.received.map(({ headers }) => headers.authorization).slice(1)).toEqual([
      `Basic ${btoa('t:old')}`,
      `Basic ${btoa('t:new')}`,
    ]);
  });

  it('takes credentials whose keeper does not answer for a fault that passes', async () => {
    const unread = createLoyaltyClient({
      baseUrl: server.url,
      credentials: async () => 'unreachable',
    });
    expect(await unread.getCustomer('1')).toMatchObject({
      reason: 'credentials-unreachable',
      class: 'retry',
      mayHaveHappened: false,
    });
    expect(server.received).toEqual([]);
  });

  it('ends in time while it waits for the credentials, and sends nothing when they come late', async () => {
    let give = (_: typeof credentials) => {};
    const waiting = createLoyaltyClient({
      baseUrl: server.url,
      credentials: () =>
        new Promise((resolve) => {
          give = resolve;
        }),
      timeoutMs: 20,
    });
    const notSent = { kind: 'transport-failure', mayHaveHappened: false };
    expect(await waiting.getCustomer('1')).toMatchObject({ ...notSent, reason: 'time-out' });
    const signal = AbortSignal.timeout(5);
    const aborted = await waiting.getCustomer('1', { signal, timeoutMs: 5_000 });
    expect(aborted).toMatchObject({ ...notSent, reason: 'aborted' });
    give(credentials);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.received).toEqual([]);
  });

  it('does not ask for credentials after an abort', async () => {
    const read = vi.fn(async () => credentials);
    const asked = createLoyaltyClient({ baseUrl: server.url, credentials: read });
    const failure = await asked.getCustomer('1', { signal: AbortSignal.abort() });
    expect(failure).toMatchObject({ reason: 'aborted', mayHaveHappened: false });
    expect(read).not.toHaveBeenCalled();
  });

  it('waits for its turn outside its time-out, and is not sent without one', async () => {
    const turns: Turn[] = [
      { kind: 'go' },
      { kind: 'wait', why: 'out-of-tokens', afterSeconds: 10 },
      { kind: 'wait', why: 'tokens-unreachable', afterSeconds: 10 },
    ];
    const took: number[] = [];
    server.script = answering(200, '{"HasError":false,"Result":{}}');
    const patient = createLoyaltyClient({
      baseUrl: server.url,
      credentials,
      timeoutMs: 5_000,
      takeTurn: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return turns.shift() ?? { kind: 'aborted' };
      },
      onEnd: (tookMs) => took.push(tookMs),
    });
    expect(await patient.getCustomer('1')).toMatchObject({ kind: 'success' });
    for (const reason of ['out-of-tokens', 'tokens-unreachable']) {
      expect(await patient.getCustomer('1')).toMatchObject({
        kind: 'transport-failure',
        reason,
        class: 'retry',
        mayHaveHappened: false,
        retryAfterSeconds: 10,
      });
    }
    const aborted = await patient.getCustomer('1', { signal: AbortSignal.abort() });
    expect(aborted).toMatchObject({ reason: 'aborted', mayHaveHappened: false });
    expect(server.received).toHaveLength(1);
    expect(took).toHaveLength(2);
  });

  it('repeats a read, and nothing else, over a new connection when a used one is reset', async () => {
    await client.getCustomer('1');
    const resetOnce: Script = (_, socket) => {
      server.script = answering(200, '{"HasError":false,"Result":{}}');
      socket.resetAndDestroy();
    };
    server.script = resetOnce;
    expect(await client.getCustomer('1')).toMatchObject({ kind: 'success' });
    server.script = resetOnce;
    expect(await client.sendOrder({ OriginalId: '1' })).toMatchObject({
      reason: 'connection',
      mayHaveHappened: true,
    });
    expect(server.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST']);
  });

  it('does not send an order over a connection that was idle while the function was frozen', async () => {
    await client.getCustomer('1');
    server.script = (response, socket) =>
      server.received.at(-1)?.connection === 0
        ? resetting(response, socket)
        : answering(200, '{"HasError":false,"Result":{}}')(response, socket);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    const result = await client.sendOrder({ OriginalId: '1' });
    vi.useRealTimers();
    expect(result).toMatchObject({ kind: 'success' });
  });

  it.each(['', ' ', '\n\t', '\u00a0'])('never sends the blank id %j', async (id) => {
    const failure = { reason: 'blank-id', class: 'rejected', mayHaveHappened: false };
    expect(await client.updateProduct(id, {})).toMatchObject(failure);
    expect(await client.getCustomer(id)).toMatchObject(failure);
    expect(await client.cancelPosOrder(id, {})).toMatchObject(failure);
    expect(server.received).toEqual([]);
  });

  it.each([
    ['its own time-out', { timeoutMs: 30 }, {}],
    ['the time-out of a call', {}, { timeoutMs: 30 }],
  ])('waits for an answer until %s has passed', async (_, ofClient, ofCall) => {
    server.script = hanging;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const patient = createLoyaltyClient({ baseUrl: server.url, credentials, ...ofClient });
    const settled = vi.fn();
    const result = patient.getCustomer('1', ofCall).finally(settled);
    while (server.received.length === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(29);
    expect(settled).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(await result).toMatchObject({
      reason: 'time-out',
      class: 'retry',
      mayHaveHappened: true,
      message: 'No complete answer within 30 ms.',
    });
  });

  it('is aborted by the signal of a call', async () => {
    server.script = hanging;
    const controller = new AbortController();
    const results = Array.from({ length: 20 }, () =>
      client.getCustomer('1', { signal: controller.signal }),
    );
    await vi.waitFor(() => expect(server.received).toHaveLength(20));
    controller.abort();
    for (const result of await Promise.all(results)) {
      expect(result).toMatchObject({ reason: 'aborted', class: 'retry', mayHaveHappened: true });
    }
  });
});

describe('programming errors', () => {
  it.each([
    'http://loyalty.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
    'ftp://localhost',
    'loyalty.example.com',
    'https://user:secret-word@loyalty.example.com',
    'https://loyalty.example.com/?key=secret-word',
    'https://loyalty.example.com/#secret-word',
  ])('throws on the base address %s and does not quote it', (baseUrl) => {
    expect(() => createLoyaltyClient({ baseUrl, credentials })).toThrow(/^Loyalty base address/);
    expect(() => createLoyaltyClient({ baseUrl, credentials })).not.toThrow(/secret|example/);
  });

  it.each([
    'http://localhost:1',
    'http://127.0.0.1:1',
    'http://127.8.9.1:1',
    'http://[::1]:1/x/',
    'https://loyalty.example.com/tenant',
  ])('takes the base address %s', (baseUrl) => {
    expect(() => createLoyaltyClient({ baseUrl, credentials })).not.toThrow();
  });

  it.each([
    { token: 'left:right', key: 'secret-word' },
    { token: '', key: 'secret-word' },
    { token: 'secret-word', key: '' },
  ])('throws on unusable credentials and does not quote them', (unusable) => {
    const create = () => createLoyaltyClient({ baseUrl: server.url, credentials: unusable });
    expect(create).toThrow(/^Loyalty API (token|key)/);
    expect(create).not.toThrow(/left|right|secret/);
  });

  it.each([0, -1, Number.NaN, 2 ** 31])('throws on a time-out of %d ms', async (timeoutMs) => {
    const create = () => createLoyaltyClient({ baseUrl: server.url, credentials, timeoutMs });
    expect(create).toThrow(RangeError);
    await expect(client.getCustomer('1', { timeoutMs })).rejects.toThrow(RangeError);
  });

  it('throws on an id that is not there, before anything is sent', async () => {
    const missing = undefined as unknown as string;
    await expect(client.getCustomer(missing)).rejects.toThrow(
      '/v1/pvt/Customer/{id}: id is missing',
    );
    expect(server.received).toEqual([]);
  });
});

describe('the credentials', () => {
  it('never show when the client is inspected, logged or serialized', async () => {
    server.script = answering(401, '');
    const result = await client.getCustomer('1');
    expect(result).toMatchObject({ reason: 'misconfigured', class: 'misconfigured', status: 401 });
    for (const thing of [client, result]) {
      const shown = `${inspect(thing, { depth: 20, showHidden: true })} ${JSON.stringify(thing)}`;
      expect(shown).not.toContain(credentials.token);
      expect(shown).not.toContain(credentials.key);
      expect(shown).not.toContain(btoa('token-of-example').slice(0, 20));
    }
  });

  it('never show in a message, even when the service repeats them', async () => {
    const encoded = Buffer.from(`${credentials.token}:${credentials.key}`).toString('base64');
    const ErrorMessage = `${credentials.token} / ${credentials.key} / Basic ${encoded} is wrong`;
    server.script = answering(200, JSON.stringify({ HasError: true, ErrorMessage }));
    expect(await client.getCustomer('1')).toMatchObject({
      message: '*** / *** / Basic *** is wrong',
    });
  });
});
