import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../../shared/shopify/storefront-requests/serve-storefront.ts';
import type { RedemptionView } from '../../../../shared/store/storefront-answers.gen.ts';
import { SECRET, SHOP, serveInProcess } from '../../../support/served-storefront.ts';
import { proxyValues, signedQuery } from '../../../support/signed-query.ts';

const redeemBody = { rewardId: 1, clientKey: 'click-0001' };

describe('a storefront request', () => {
  it('gets one and the same answer for every reason if it did not come through the store', async () => {
    const shop = serveInProcess();
    const now = new Date(shop.clock.ms);
    const good = signedQuery(proxyValues(SHOP, now, '7'), SECRET);
    const answers = [
      await shop.ask('me', { query: '' }),
      await shop.ask('me', { query: good.replace(/signature=./, 'signature=0x') }),
      await shop.ask('me', { query: `${good}&extra=1` }),
      await shop.ask('me', {
        query: good.replace('logged_in_customer_id=7', 'logged_in_customer_id=8'),
      }),
      await shop.ask('me', { query: signedQuery(proxyValues(SHOP, now, '7'), 'other-secret') }),
      await shop.ask('me', {
        query: signedQuery(proxyValues('second-store.myshopify.com', now, '7'), SECRET),
      }),
      await shop.ask('me', {
        query: signedQuery(proxyValues(SHOP, new Date(now.getTime() - 92_000), '7'), SECRET),
      }),
      await shop.ask('me', {
        query: signedQuery(proxyValues(SHOP, new Date(now.getTime() + 92_000), '7'), SECRET),
      }),
      await shop.ask('/nobody/me', { query: good }),
      await shop.ask('/', { query: good }),
      await shop.ask('//example-store/me', { query: good }),
      await shop.ask('/__proto__/me', { query: good }),
      await shop.ask('/constructor/me', { query: good }),
    ];
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.json.error.code).toBe('bad-signature');
    expect(shop.loyalty.journal).toEqual([]);
    for (const why of ['signature', 'stale', 'other-shop']) {
      expect([why, shop.telemetry.total('storefront-refused', { why })]).not.toEqual([why, 0]);
    }
  });

  it('shows an observed shop to its observers only, and changes nothing for anyone', async () => {
    const shop = serveInProcess({ observers: ['7'] });
    const answers = [
      await shop.ask('view', { customerId: '7' }),
      await shop.ask('view', { customerId: '8' }),
      await shop.ask('view'),
      await shop.ask('redeem', { customerId: '7', body: redeemBody }),
      await shop.ask('account/view', { as: { kind: 'customer', id: '8' } }),
      await shop.ask('till/8/view', { as: { kind: 'staff', id: '1' } }),
      await shop.ask('till/8/redeem', { as: { kind: 'staff', id: '1' }, body: redeemBody }),
    ];
    expect(answers.map(({ status, json }) => [status, json.error?.code])).toEqual([
      [200, undefined],
      ...Array.from({ length: 2 }, () => [403, 'not-live']),
      ...[
        [409, 'not-live'],
        [403, 'not-live'],
      ],
      ...[
        [200, undefined],
        [409, 'not-live'],
      ],
    ]);
    expect(shop.redeemed).toEqual([]);
    const scripts = [await shop.ask('widget.js'), await shop.ask('widget.js', { customerId: '7' })];
    expect(scripts.map(({ body }) => body)).toEqual(['', shop.script]);
    expect(scripts.map(({ headers }) => headers['cache-control'])).toEqual(
      Array.from({ length: 2 }, () => 'private, no-store'),
    );
  });

  it('is accepted with the previous secret during a rotation, and counted', async () => {
    const shop = serveInProcess();
    Object.assign(shop.secrets, { current: 'newer-secret', previous: SECRET });
    expect((await shop.ask('me', { customerId: '7' })).status).toBe(200);
    expect(shop.telemetry.total('older-secret-used')).toBe(1);
    shop.secrets.previous = undefined;
    expect((await shop.ask('me', { customerId: '7' })).status).toBe(401);
  });

  it('may be kept by others only where it names nobody', async () => {
    const shop = serveInProcess();
    const own = { items: '8:49:1', currency: 'EUR' };
    const kept: Record<string, string | undefined> = {};
    for (const [name, { method }] of routes) {
      if (method !== 'GET' || name.endsWith('.js')) continue;
      const { headers } = await shop.ask(name, { customerId: '7', own });
      kept[name] = headers['cache-control']?.split(',')[0];
    }
    const names = Object.keys(kept).filter((name) => kept[name] !== 'private');
    expect([names, kept.points]).toEqual([['points'], 'public']);
  });

  it('gets 404 for an unknown endpoint and 405 for a wrong method', async () => {
    const shop = serveInProcess();
    for (const path of [
      '',
      'nothing',
      'me/',
      'me/7',
      'ME',
      'me%2F',
      '__proto__',
      'constructor',
      'toString',
    ]) {
      const { status, json } = await shop.ask(path, { customerId: '7' });
      expect([path, status, json.error.code]).toEqual([path, 404, 'not-found']);
    }
    for (const [name, { method: right }] of routes) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
        if (method === right) continue;
        const { status } = await shop.ask(name, { customerId: '7', method });
        expect([name, method, status]).toEqual([name, method, 405]);
      }
    }
  });

  it('needs a login where the answer belongs to a customer', async () => {
    const shop = serveInProcess();
    for (const [name, route] of routes) {
      const body = route.method === 'POST' ? redeemBody : undefined;
      const { status } = await shop.ask(name, body === undefined ? {} : { body });
      expect([name, status === 401]).toEqual([name, route.for === 'customer']);
    }
    expect(shop.redeemed).toEqual([]);
  });

  it('is refused if it is a form, which a page of another site could send', async () => {
    const shop = serveInProcess();
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    ];
    for (const type of types) {
      const headers = { 'content-type': type };
      const { status } = await shop.ask('redeem', { customerId: '7', body: redeemBody, headers });
      expect([type, status]).toEqual([type, 400]);
    }
    expect(shop.redeemed).toEqual([]);
  });

  it('is limited for the customer who sends too many, and for no one else', async () => {
    const shop = serveInProcess({ readsPerMinute: 10 });
    for (let n = 0; n < 10; n += 1)
      expect((await shop.ask('me', { customerId: '7' })).status).toBe(200);
    const { status, json, headers } = await shop.ask('me', { customerId: '7' });
    expect([status, json.error.code, headers['retry-after']]).toEqual([
      429,
      'too-many-requests',
      '6',
    ]);
    expect((await shop.ask('redeem', { customerId: '7', body: redeemBody })).status).toBe(429);
    expect((await shop.ask('me', { customerId: '8' })).status).toBe(200);
    expect((await shop.ask('rewards')).status).toBe(200);
    shop.clock.ms += 6_000;
    expect((await shop.ask('me', { customerId: '7' })).status).toBe(200);
  });

  it('gets the widget, or 304 if the browser already has it', async () => {
    const shop = serveInProcess();
    const own = { v: ['2', '3'], from: 'a=1' };
    const { status, headers, body } = await shop.ask('widget.js', { own });
    expect([status, body]).toEqual([200, shop.script]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    });
    const etag = headers.etag ?? '';
    for (const known of [etag, etag.slice(2), `"x", ${etag}`]) {
      const again = await shop.ask('widget.js', { headers: { 'if-none-match': known } });
      expect([known, again.status, again.body]).toEqual([known, 304, '']);
    }
    expect((await shop.ask('widget.js', { query: 'v=2' })).status).toBe(401);
  });

  it.each([
    ['es', 'en español'],
    ['en', 'in English'],
    // Not translated; and no name of anything that every object has.
    ['fr', 'in English'],
    ['constructor', 'in English'],
  ])('gets the widget in the language that the page names: %s', async (language, said) => {
    const { body, headers } = await serveInProcess().ask('widget.js', { own: { language } });
    expect(body).toContain(said);
    expect(headers['cache-control']).toBe('public, max-age=3600');
  });

  it('gets the widget compressed where it takes that, under the same ETag', async () => {
    const shop = serveInProcess();
    const ask = (accepted: string) =>
      shop.ask('widget.js', { headers: { 'accept-encoding': accepted } });
    const { headers: plain } = await shop.ask('widget.js');
    for (const accepted of ['gzip, deflate, br', 'br;q=1.0, gzip; q=0.5', 'GZIP']) {
      const { headers, body, isBase64Encoded } = await ask(accepted);
      expect(headers).toEqual({ ...plain, 'content-encoding': 'gzip' });
      expect(isBase64Encoded).toBe(true);
      expect(gunzipSync(Buffer.from(body, 'base64')).toString()).toBe(shop.script);
    }
    for (const refused of ['', 'identity', 'br', 'gzip;q=0', 'deflate, gzip; q=0.000']) {
      const { headers, body, isBase64Encoded = false } = await ask(refused);
      expect({ headers, body, isBase64Encoded }).toEqual({
        ...{ headers: plain, body: shop.script, isBase64Encoded: false },
      });
    }
    expect(plain).toMatchObject({ vary: 'accept-encoding', etag: expect.stringMatching(/^W\//) });
  });
});

const view: RedemptionView = {
  id: 'AB12',
  rewardId: 1,
  title: '5 off',
  points: 100,
  state: 'ready',
  code: 'FIVE-1',
  kind: 'fixed',
  value: 5,
  validUntil: null,
  takeBackUntil: null,
  takeBackRefused: false,
  at: '2026-10-09T12:00:00.000Z',
};

describe('a request to take a reward back', () => {
  const redemptionId = 'AAAABBBBCCCC';
  const staff = { kind: 'staff', id: '1' } as const;
  const customer = { kind: 'customer', id: '7' } as const;

  it('is for the customer who asks, or for whom a till asks', async () => {
    const shop = serveInProcess();
    shop.parts.takenBack = { kind: 'redemption', redemption: { ...view, state: 'returning' } };
    const body = { redemptionId };
    const answers = [
      await shop.ask('take-back', { customerId: '7', body }),
      await shop.ask('account/take-back', { as: customer, body }),
      await shop.ask('till/7/take-back', { as: staff, body }),
    ];
    for (const { status, json } of answers) {
      expect([status, json.redemption.state]).toEqual([200, 'returning']);
    }
    const by = (staffId?: string) => ({ customerId: '7', id: redemptionId, staffId });
    expect(shop.takenBack).toEqual([by(), by(), by('1')]);
  });

  it.each([
    [{ kind: 'refused', why: 'take-back-not-allowed' }, 409, 'take-back-not-allowed'],
    [{ kind: 'refused', why: 'take-back-too-late' }, 409, 'take-back-too-late'],
    [{ kind: 'refused', why: 'already-used' }, 409, 'already-used'],
    [{ kind: 'refused', why: 'not-ready' }, 409, 'not-ready'],
    [{ kind: 'not-found' }, 404, 'not-found'],
    [{ kind: 'unavailable' }, 503, 'unavailable'],
  ] as const)('answers %j with its status and code', async (answer, status, code) => {
    const shop = serveInProcess();
    shop.parts.takenBack = answer;
    const { status: had, json } = await shop.ask('take-back', {
      ...{ customerId: '7', body: { redemptionId } },
    });
    expect([had, json.error.code]).toEqual([status, code]);
  });

  it.each([
    '{}',
    '{"redemptionId":1}',
    '{"redemptionId":"aaaabbbbcccc"}',
    '{"redemptionId":"AAAABBBBCCCC/7"}',
    '{"redemptionId":"AAAABBBBCCCC","customerId":"8"}',
  ])('is refused with the body %s', async (body) => {
    const shop = serveInProcess();
    expect((await shop.ask('take-back', { customerId: '7', body })).status).toBe(400);
    expect(shop.takenBack).toEqual([]);
  });

  it('changes nothing in a shop that is only observed', async () => {
    const shop = serveInProcess({ observers: ['7'] });
    const body = { redemptionId };
    expect((await shop.ask('take-back', { customerId: '7', body })).status).toBe(409);
    expect((await shop.ask('till/7/take-back', { as: staff, body })).status).toBe(409);
    expect(shop.takenBack).toEqual([]);
  });
});

describe('a redemption request', () => {
  it('redeems the reward of the body for the customer who is logged in', async () => {
    const shop = serveInProcess();
    shop.parts.answer = { kind: 'redemption', redemption: view };
    const { status, json } = await shop.ask('redeem', { customerId: '7', body: redeemBody });
    expect([status, json]).toEqual([200, { redemption: view }]);
    expect(shop.redeemed).toEqual([{ shop: SHOP, customerId: '7', cart: [], ...redeemBody }]);
  });

  it('passes on the chosen amount and the cart, and refuses what is neither', async () => {
    const shop = serveInProcess();
    const ask = (more: object) =>
      shop.ask('redeem', { customerId: '7', body: { ...redeemBody, ...more } });
    await ask({ value: 2.5, items: '11:19.90:2' });
    const cart = [{ id: '11', price: '19.9', quantity: 2 }];
    expect(shop.redeemed).toMatchObject([{ value: 2.5, cart }]);
    const wrong = [{ value: '2' }, { value: 0 }, { value: null }, { items: '11' }, { items: {} }];
    for (const one of wrong) expect((await ask(one)).json.error.code).toBe('bad-request');
    expect(shop.redeemed).toHaveLength(1);
  });

  it('rings no alarm by a cart that cannot be made into a text', async () => {
    const shop = serveInProcess();
    const body = { ...redeemBody, items: { toString: 1 } };
    const answer = await shop.ask('redeem', { customerId: '7', body });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'bad-request']);
    const worse = shop.telemetry.logged.filter(({ level }) => level !== 'info');
    expect(worse).toEqual([]);
  });

  it.each([
    [{ kind: 'refused', why: 'too-few-points' }, 409, 'too-few-points', undefined],
    [{ kind: 'refused', why: 'limit-reached' }, 409, 'limit-reached', undefined],
    [{ kind: 'too-many', afterSeconds: 90 }, 429, 'too-many-requests', '90'],
    [{ kind: 'unavailable' }, 503, 'unavailable', undefined],
  ] as const)('answers %j with its status and code', async (answer, status, code, after) => {
    const shop = serveInProcess();
    shop.parts.answer = answer;
    const response = await shop.ask('redeem', { customerId: '7', body: redeemBody });
    expect([response.status, response.json.error.code, response.headers['retry-after']]).toEqual([
      status,
      code,
      after,
    ]);
  });

  it.each([
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '{}',
    '{"rewardId":1}',
    '{"rewardId":"1","clientKey":"click-0001"}',
    '{"rewardId":1.5,"clientKey":"click-0001"}',
    '{"rewardId":-1,"clientKey":"click-0001"}',
    '{"rewardId":1e20,"clientKey":"click-0001"}',
    '{"rewardId":1,"clientKey":"short"}',
    '{"rewardId":1,"clientKey":"with spaces in it"}',
    '{"rewardId":1,"clientKey":["click-0001"]}',
    `{"rewardId":1,"clientKey":"${'x'.repeat(65)}"}`,
    `{"rewardId":1,"clientKey":"click-0001"${' '.repeat(40_000)}}`,
  ])('is refused with the body %.60s', async (body) => {
    const shop = serveInProcess();
    expect((await shop.ask('redeem', { customerId: '7', body })).status).toBe(400);
    expect(shop.redeemed).toEqual([]);
  });
});
