import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
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

  it('never shows the header of a call anywhere', async () => {
    await callApi(sandbox, 'GET', '/v1/pvt/Customer/1');
    const journal = await control(sandbox, 'GET', '/sandbox/journal');
    const encoded = basicAuthorization(sandbox.credentials).slice('Basic '.length);
    expect(journal.text).not.toContain(encoded);
    expect(journal.text.toLowerCase()).not.toContain('authorization');
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

describe('a page of another origin', () => {
  // The types a browser sends across origins without asking first.
  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'text/plain; application/json',
  ])('cannot change anything with a body of type %s', async (type) => {
    await callApi(sandbox, 'POST', orders, completedOrder('1'));
    const headers = type === undefined ? {} : { 'content-type': type };
    const attacks = [
      send(sandbox.address, 'POST', '/sandbox/reset', { headers, body: '{}' }),
      send(sandbox.address, 'POST', '/sandbox/faults', { headers, body: '{"kind":"outage"}' }),
      send(sandbox.address, 'DELETE', '/sandbox/journal', { headers }),
    ];
    for (const attack of attacks) expect(await attack).toMatchObject({ status: 415 });
    expect(sandbox.state()).toMatchObject({ orders: [{}], faults: [], journal: { entries: 1 } });
  });

  it('is not given leave when the browser asks first', async () => {
    const { headers, status } = await send(sandbox.address, 'OPTIONS', '/sandbox/faults', {
      headers: { origin: 'https://attacker.example.com', 'access-control-request-method': 'POST' },
    });
    expect(status).toBe(405);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a name that was made to resolve to this machine', () => {
  it.each([
    'attacker.example.com',
    '127.0.0.1.example.com',
    'localhost.example.com:80',
    '127.0.0.1@x',
  ])('reaches nothing as %j', async (host) => {
    for (const path of ['/', '/state', '/openapi.json', '/sandbox/state', '/v1/pvt/Quiz/list']) {
      expect(await send(sandbox.address, 'GET', path, { headers: { host } })).toMatchObject({
        status: 403,
      });
    }
  });
});

describe('an error on demand', () => {
  it.each(contract.operations)('comes in the envelope of $operationId', async (operation) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, '1');
    for (const kind of ['code-103', 'business-error'] as const) {
      sandbox.faults.clear();
      sandbox.faults.add(kind === 'code-103' ? { kind } : { kind, code: 77 });
      const { status, json, text } = await callApi(sandbox, operation.method, path);
      expect(status).toBe(200);
      expect(json).toMatchObject({ HasError: true });
      expect(text).toMatch(kind === 'code-103' ? /103|Too_Many_Requests/ : /77|GenericError/);
      expect(contract.validateAnswer(operation.operationId, json)).toEqual([]);
    }
  });
});

const get = (path: string) => send(sandbox.address, 'GET', path);

describe('the API page', () => {
  it('loads everything it needs from the sandbox', async () => {
    const { status, headers, text } = await get('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const references = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(references).toContain('/docs-assets/swagger-ui-bundle.js');
    for (const path of references) {
      expect(path).toMatch(/^\//);
      expect(await get(path)).toMatchObject({ status: 200 });
    }
  });

  it('describes the contract with the sandbox as its server, under the name it was asked by', async () => {
    const { json } = await send(sandbox.address, 'GET', '/openapi.json', {
      headers: { host: 'localhost:4010' },
    });
    expect(json).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'http://localhost:4010' }],
      components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
    });
    expect((await get('/openapi.yaml')).text).toMatch(/^openapi: 3\.1\.0/);
  });
});

describe('the state page', () => {
  it('never runs what came in with the data', async () => {
    const attack = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`;
    await callApi(sandbox, 'PUT', `/v1/pvt/Product/${encodeURIComponent(attack)}`, {
      OriginalId: attack,
      Title: attack,
      IsActive: true,
      ProductBrand: { OriginalId: attack, Name: attack },
    });
    await callApi(sandbox, 'POST', orders, {
      ...completedOrder(attack, attack),
      OrderStatus: attack,
      Coupon: attack,
    });
    await callApi(sandbox, 'POST', '/v1/pvt/Coupons', { OriginalId: attack, CouponCode: attack });
    await callApi(sandbox, 'POST', orders, attack);
    await callApi(sandbox, 'GET', "/v1/<script>alert('path')</script>");
    for (const path of ['/state', '/state/fragment']) {
      const { text } = await get(path);
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(text).not.toContain('<script>');
      expect(text).not.toContain('<img');
      expect(text).not.toMatch(/"'>/);
    }
  });
});

describe('every page', () => {
  it.each(['/', '/state', '/state/fragment'])(
    '%s runs no script but files of the sandbox',
    async (path) => {
      const { headers, text } = await get(path);
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
      expect(text).not.toMatch(/<script(?![^>]* src=)/);
    },
  );

  it.each([
    '/docs-assets/../package.json',
    '/docs-assets/%2e%2e/package.json',
    '/docs-assets/package.json',
    '/assets/../state-page.ts',
    '/assets/',
    '//etc/passwd',
    '/__proto__',
    '/nothing',
    '*',
    'http://127.0.0.1/state',
  ])('gives no file for %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
