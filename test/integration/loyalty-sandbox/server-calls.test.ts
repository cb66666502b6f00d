import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { largestBodyBytes } from '../../../local/sandbox-kit/http/requests.ts';
import { basicAuthorization } from '../../../shared/loyalty/client.ts';
import { callApi, completedOrder, control, orders, send } from './server-requests.ts';
import { contract, startSandbox } from './start-sandbox.ts';

let sandbox: LoyaltySandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.stop());

const product = (OriginalId: string) => ({ OriginalId, Title: 'Linen shirt', IsActive: true });
const lastEntry = () => sandbox.journal.entries().at(-1);

describe('paths', () => {
  it.each([
    ['a slash', 'a/b'],
    ['two dots', '..'],
    ['one dot', '.'],
    ['an emoji', '🦊'],
    ['a percent sign', '100%25'],
    ['a question mark and a hash', 'a?b#c'],
    ['a space and a plus', 'a b+c'],
    ['the name of another path', 'points'],
    ['a name that objects inherit', '__proto__'],
  ])('keeps an id with %s as it is', async (_what, id) => {
    const answer = await callApi(
      sandbox,
      'PUT',
      `/v1/pvt/Product/${encodeURIComponent(id)}`,
      product(id),
    );
    expect(answer.json).toMatchObject({ HasError: false, Result: { OriginalId: id } });
    expect(sandbox.state().products.map((p) => p.OriginalId)).toEqual([id]);
  });

  it('keeps an id that a URL parser would resolve', async () => {
    await callApi(sandbox, 'PUT', '/v1/pvt/Product/%2e%2e', product('..'));
    expect(sandbox.state().products.map((p) => p.OriginalId)).toEqual(['..']);
    const unescaped = await callApi(sandbox, 'PUT', '/v1/pvt/Product/..', product('..'));
    expect(unescaped.json).toMatchObject({ HasError: false });
  });

  it.each(['/v1/pvt/Customer/%zz', '/v1/pvt/Customer/%', '/v1/pvt/Customer/%ff'])(
    'answers 400 to the broken escape in %s and journals it',
    async (path) => {
      expect(await callApi(sandbox, 'GET', path)).toMatchObject({
        status: 400,
        json: { HasError: true },
      });
      expect(lastEntry()).toMatchObject({ status: 400, path, method: 'GET' });
    },
  );

  it.each([
    '/v1',
    '/v1?x=1',
    '/v1/',
    '/v1/pvt/Customer',
    '/v1/pvt/Customer/',
    '/v1/pvt//Customer/1',
    '/v1/pvt/Customer/1/2/3',
    '/v1/pvt/customer/1',
  ])('answers 404 to %s and journals it without an operation', async (path) => {
    expect(await callApi(sandbox, 'GET', path)).toMatchObject({
      status: 404,
      json: { HasError: true },
    });
    expect(lastEntry()).toMatchObject({ status: 404, path });
    expect(lastEntry()).not.toHaveProperty('operation');
  });

  it('answers 405 to a wrong method and names every right one', async () => {
    const get = await callApi(sandbox, 'GET', '/v1/pvt/Product/points');
    expect(get).toMatchObject({ status: 405, headers: { allow: 'POST, PUT' } });
    expect(lastEntry()).toMatchObject({ status: 405 });
    expect(await callApi(sandbox, 'OPTIONS', orders)).toMatchObject({ status: 405 });
    expect(await callApi(sandbox, 'DELETE', '/v1/pvt/Customer/1')).toMatchObject({
      headers: { allow: 'GET' },
    });
  });

  it('hands on query parameters, whatever they are called', async () => {
    const path = '/v1/pvt/RewardConfigurations?PageSize=51&__proto__=x&constructor=y&%zz=%zz';
    expect((await callApi(sandbox, 'GET', path)).json).toMatchObject({ HasError: true });
  });
});

describe('credentials', () => {
  const wrong: [string, string | undefined][] = [
    ['none', undefined],
    ['an empty header', ''],
    ['another scheme', 'Bearer sandbox-token:sandbox-key'],
    ['no base64', 'Basic sandbox-token:sandbox-key'],
    ['a wrong key', basicAuthorization({ token: 'sandbox-token', key: 'sandbox-keY' })],
    ['a wrong token', basicAuthorization({ token: 'x', key: 'sandbox-key' })],
    ['a longer key', basicAuthorization({ token: 'sandbox-token', key: 'sandbox-key ' })],
    ['an empty pair', 'Basic Og=='],
  ];
  it.each(wrong)('refuses %s, changes nothing and journals it', async (_what, authorization) => {
    const answer = await send(sandbox.address, 'POST', orders, {
      headers: authorization === undefined ? {} : { authorization },
      body: completedOrder('1'),
    });
    expect(answer).toMatchObject({ status: 401, json: { HasError: true } });
    expect(answer.headers['www-authenticate']).toMatch(/^Basic /);
    expect(sandbox.state().orders).toEqual([]);
    expect(lastEntry()).toMatchObject({ operation: 'sendOrder', status: 401 });
  });

  it('answers with the status that the settings ask for', async () => {
    const other = await startSandbox({
      settings: { badCredentialStatus: 403, credentials: { token: 'tökén', key: 'a:b:ü' } },
    });
    expect(await send(other.address, 'GET', '/v1/pvt/Quiz/list')).toMatchObject({ status: 403 });
    expect(await callApi(other, 'GET', '/v1/pvt/Quiz/list')).toMatchObject({ status: 200 });
    await other.stop();
  });

  it('never shows the header of a call anywhere', async () => {
    await callApi(sandbox, 'GET', '/v1/pvt/Customer/1');
    const journal = await control(sandbox, 'GET', '/sandbox/journal');
    const encoded = basicAuthorization(sandbox.credentials).slice('Basic '.length);
    expect(journal.text).not.toContain(encoded);
    expect(journal.text.toLowerCase()).not.toContain('authorization');
  });
});

describe('bodies', () => {
  it.each([
    ['not JSON', '{broken', '{broken'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), '"\ufffd"'],
    ['nested too deeply', '['.repeat(100_000) + ']'.repeat(100_000), '['.repeat(2_000)],
  ])('lets the operation report a body that is %s', async (_what, body, shown) => {
    const answer = await callApi(sandbox, 'POST', orders, body);
    expect(answer).toMatchObject({
      status: 200,
      json: { HasError: true, ErrorCode: 36, Result: null },
    });
    expect(lastEntry()?.unreadableBody).toBe(shown);
    expect(lastEntry()).not.toHaveProperty('body');
  });

  it('takes the largest body and answers 413 to a larger one, then goes on', async () => {
    const largest = Buffer.alloc(largestBodyBytes, ' ');
    largest.write(JSON.stringify(completedOrder('1')));
    expect((await callApi(sandbox, 'POST', orders, largest)).json).toMatchObject({
      HasError: false,
    });
    const larger = Buffer.concat([largest, Buffer.from(' ')]);
    expect(await callApi(sandbox, 'POST', orders, larger)).toMatchObject({ status: 413 });
    expect(await callApi(sandbox, 'GET', '/v1/pvt/Customer/customer-1')).toMatchObject({
      status: 200,
    });
  });

  it.each(contract.operations.filter(({ takesBody }) => takesBody))(
    'lets $operationId say that it is no JSON, whatever else would be missing in it',
    async ({ operationId, method, path }) => {
      await callApi(sandbox, 'POST', orders, { ...completedOrder('1'), IsCompleted: false });
      const id = operationId.startsWith('redeemReward') ? '1' : 'customer-1';
      const target = path
        .replace('{id}', id)
        .replace('{originalId}', 'customer-1')
        .replace('{orderId}', '1');
      const answer = await callApi(sandbox, method, `${target}?customerId=customer-1`, '{broken');
      expect(answer).toMatchObject({ status: 200, json: { HasError: true } });
      expect(answer.text).toContain('is not JSON');
    },
  );

  it('answers a large list that is wrong in every place with a short text', async () => {
    const wrong = (item: string) => `[${Array(1_000_000).fill(item).join(',')}]`;
    for (const [path, body] of [
      ['/v1/pvt/Product/points', wrong('{}')],
      ['/v1/pvt/Product/points', wrong('1')],
      [orders, `{"OriginalId":"1","Products":${wrong('1')}}`],
    ] as const) {
      const { json, text } = await callApi(sandbox, 'POST', path, body);
      expect(json).toMatchObject({ HasError: true });
      expect(text.length).toBeLessThan(5_000);
    }
  });

  it('pays no attention to a body where the operation has none', async () => {
    const answer = await callApi(sandbox, 'GET', '/v1/pvt/Quiz/list', '{broken');
    expect(answer.json).toMatchObject({ HasError: false });
  });

  it('journals a client that leaves in the middle of its body, and carries nothing out', async () => {
    const { hostname, port } = new URL(sandbox.address);
    const head = [
      `POST ${orders} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: ${basicAuthorization(sandbox.credentials)}`,
      'Content-Length: 5000',
    ];
    const socket = connect(Number(port), hostname);
    // Not before the system has the bytes.
    socket.write(`${head.join('\r\n')}\r\n\r\n${JSON.stringify(completedOrder('1'))}`, () =>
      socket.destroy(),
    );
    await expect
      .poll(() => lastEntry())
      .toMatchObject({ operation: 'sendOrder', fault: 'broken-off' });
    expect(sandbox.state().orders).toEqual([]);
  });
});

describe('the rate limit', () => {
  it.each([
    ['http-429', { status: 429, headers: { 'retry-after': '1' } }],
    ['code-103', { status: 200, json: { HasError: true, ErrorCode: 103 } }],
  ] as const)(
    'answers %s once the second is used up, and lets calls pass later',
    async (answer, expected) => {
      let time = new Date('2026-10-10T10:00:00Z');
      const limited = await startSandbox({
        settings: { rateLimit: { perSecond: 2, answer } },
        now: () => time,
      });
      const statuses = async () => await callApi(limited, 'GET', '/v1/pvt/Quiz/list');
      expect((await statuses()).json).toMatchObject({ HasError: false });
      expect((await statuses()).json).toMatchObject({ HasError: false });
      expect(await statuses()).toMatchObject(expected);
      expect(limited.journal.entries().at(-1)).toMatchObject({ fault: 'rate-limit' });
      time = new Date('2026-10-10T10:00:00.500Z');
      expect((await statuses()).json).toMatchObject({ HasError: false });
      expect(await statuses()).toMatchObject(expected);
      await limited.stop();
    },
  );
});

describe('the journal', () => {
  it('lists every call in order, with body and answer', async () => {
    await callApi(sandbox, 'POST', orders, completedOrder('1'));
    await callApi(sandbox, 'GET', '/v1/pvt/Customer/customer-1?x=1');
    const [first, second] = sandbox.journal.entries();
    expect(first).toMatchObject({
      operation: 'sendOrder',
      method: 'POST',
      path: orders,
      body: completedOrder('1'),
      status: 200,
      answer: { HasError: false, Result: { OriginalId: '1' } },
    });
    expect(second).toMatchObject({
      operation: 'getCustomer',
      path: '/v1/pvt/Customer/customer-1?x=1',
    });
    expect(second?.n).toBe((first?.n ?? 0) + 1);
    expect(second).not.toHaveProperty('body');
    expect(Date.parse(first?.at ?? '')).toBeGreaterThan(0);
    expect(first?.durationMs).toBeGreaterThan(0);
  });

  it('keeps only the beginning of a long body or answer, and says how long it was', async () => {
    const long = { ...completedOrder('1'), OrderStatus: '🦊'.repeat(20_000) };
    const { text } = await callApi(sandbox, 'POST', orders, long);
    const entry = lastEntry();
    expect(entry).toMatchObject({
      bodyCut: { bytes: Buffer.byteLength(JSON.stringify(long)) },
      answerCut: { bytes: Buffer.byteLength(text) },
    });
    expect(JSON.stringify(long).startsWith(entry?.bodyCut?.beginning ?? 'x')).toBe(true);
    expect(text.startsWith(entry?.answerCut?.beginning ?? 'x')).toBe(true);
    expect(entry).not.toHaveProperty('body');
    expect(entry).not.toHaveProperty('answer');
    expect(JSON.stringify(entry).length).toBeLessThan(6_000);
    const { text: page } = await send(sandbox.address, 'GET', '/state/fragment');
    expect(page).toContain('&quot;beginning&quot;');
  });

  it('can be asked by operation, number and length, and cleared', async () => {
    for (const id of ['1', '2', '3']) await callApi(sandbox, 'POST', orders, completedOrder(id));
    await callApi(sandbox, 'GET', '/v1/pvt/Customer/customer-1');
    const { n = 0 } = sandbox.journal.entries()[0] ?? {};
    const ask = async (query: string) => {
      const { json } = await control(sandbox, 'GET', `/sandbox/journal?${query}`);
      return (json as { entries: { n: number }[] }).entries.map((entry) => entry.n - n);
    };
    expect(await ask('')).toEqual([0, 1, 2, 3]);
    expect(await ask('operation=sendOrder')).toEqual([0, 1, 2]);
    expect(await ask(`since=${n + 1}`)).toEqual([2, 3]);
    expect(await ask('limit=2')).toEqual([2, 3]);
    expect(await ask(`operation=sendOrder&since=${n}&limit=1`)).toEqual([2]);
    expect(await control(sandbox, 'GET', '/sandbox/journal?since=x&limit=-1')).toMatchObject({
      status: 400,
      json: { problems: [expect.stringContaining('since'), expect.stringContaining('limit')] },
    });
    await control(sandbox, 'DELETE', '/sandbox/journal');
    expect(sandbox.journal.entries()).toEqual([]);
    await callApi(sandbox, 'GET', '/v1/pvt/Quiz/list');
    expect(lastEntry()?.n).toBe(n + 4);
  });
});
