import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { basicAuthorization } from '../../../shared/loyalty/client.ts';
import { callApi, completedOrder, control, orders, send } from './server-requests.ts';
import { startSandbox } from './start-sandbox.ts';

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

describe('the journal', () => {
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
