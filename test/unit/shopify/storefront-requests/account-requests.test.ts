import { describe, expect, it } from 'vitest';
import {
  claimsOf,
  issueSessionToken,
  signToken,
} from '../../../../local/store-sandbox/session-tokens.ts';
import { routes } from '../../../../shared/shopify/storefront-requests/serve-storefront.ts';
import { type Asking, SECRET, SHOP, serveInProcess } from '../../../support/served-storefront.ts';
import { proxyValues, signedQuery } from '../../../support/signed-query.ts';

const MINE = '7000001';
const THEIRS = '7000002';
const me = { kind: 'customer', id: MINE } as const;
const visitor = { kind: 'customer', id: undefined } as const;
const staff = { kind: 'staff', id: '42' } as const;
const redeemBody = { rewardId: 1, clientKey: 'click-0001' };

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after',
};

describe('an extension of the account', () => {
  it('gets the answers that a page of the store gets, for the customer of its token', async () => {
    const shop = serveInProcess();
    await shop.enroll(MINE, 100);
    await shop.remember(MINE, '120', '3.5');
    const query = { own: { items: '11:19.90:1', currency: 'EUR' } };
    for (const name of ['me', 'rewards', 'redemptions', 'points']) {
      const own = name === 'points' ? query : {};
      const byToken = await shop.ask(`account/${name}`, { as: me, ...own });
      const byProxy = await shop.ask(name, { customerId: MINE, ...own });
      expect([name, byToken.status, byToken.json]).toEqual([name, 200, byProxy.json]);
      expect(byToken.headers).toEqual({ ...byProxy.headers, ...CORS });
    }
    await shop.ask('account/redeem', { as: me, body: redeemBody });
    expect(shop.redeemed.map(({ customerId }) => customerId)).toEqual([MINE]);
  });

  it('gets for a visitor without a login only what every visitor gets', async () => {
    const shop = serveInProcess();
    for (const [name, route] of routes) {
      const body = route.method === 'POST' ? { body: redeemBody } : {};
      const { status, json } = await shop.ask(`account/${name}`, { as: visitor, ...body });
      const isRefused = status === 401 && json.error.code === 'not-logged-in';
      expect([name, isRefused]).toEqual([name, route.for === 'customer']);
    }
    expect(shop.redeemed).toEqual([]);
  });

  it('shares the rate limit of its customer with the pages of the store', async () => {
    const shop = serveInProcess({ readsPerMinute: 10 });
    for (let n = 0; n < 10; n += 1) await shop.ask('me', { customerId: MINE });
    const { status, headers } = await shop.ask('account/me', { as: me });
    expect([status, headers]).toMatchObject([429, { ...CORS, 'retry-after': '6' }]);
    expect((await shop.ask('account/me', { as: { ...me, id: THEIRS } })).status).toBe(200);
  });

  it('finds no script, no route of the till and nothing behind a route', async () => {
    const shop = serveInProcess();
    for (const path of ['', '/', '/widget.js', '/challenge', '/me/', '/me/x', `/${MINE}/me`]) {
      const { status, json, headers } = await shop.ask(`account${path}`, { as: me });
      expect([path, status, json.error.code]).toEqual([path, 404, 'not-found']);
      expect(headers).toMatchObject(CORS);
    }
  });
});

describe('a browser that asks whether an extension may ask', () => {
  it('gets the same permission everywhere, without a token, and never with cookies', async () => {
    const shop = serveInProcess();
    const paths = [
      'account/me',
      'till/7/me',
      'account',
      '/nobody/account/me',
      '/__proto__/till/7/x',
    ];
    for (const path of paths) {
      const { status, headers, body } = await shop.ask(path, { method: 'OPTIONS', query: '' });
      expect([path, status, body]).toEqual([path, 204, '']);
      expect(headers).toEqual({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-max-age': '7200',
      });
    }
    expect(shop.telemetry.total('storefront-refused')).toBe(0);
  });

  it('gets none at the addresses of the app proxy', async () => {
    const shop = serveInProcess();
    for (const asking of [{ customerId: '7' }, { query: '' }, { query: '', as: me }]) {
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await shop.ask('me', { ...asking, method });
        expect(Object.keys(headers).filter((name) => name.startsWith('access-'))).toEqual([]);
      }
    }
  });
});

describe('a request to an extension’s address with a wrong token', () => {
  it('gets one and the same answer for every reason, which its extension can read', async () => {
    const shop = serveInProcess();
    const issue = shop.issue();
    const claims = claimsOf(me, issue);
    const at = Math.floor(shop.clock.ms / 1000);
    const bearers: Readonly<Record<string, string>> = {
      'other-app': signToken({ ...claims, aud: 'another-app' }, SECRET),
      'other-shop': signToken({ ...claims, dest: 'second-store.myshopify.com' }, SECRET),
      expired: signToken({ ...claims, exp: at - 10 }, SECRET),
      'not-yet-valid': signToken({ ...claims, nbf: at + 11 }, SECRET),
      algorithm: signToken(claims, SECRET, { alg: 'none' }),
      signature: signToken(claims, 'secret-of-another-shop'),
      'other-holder': issueSessionToken(staff, issue),
      unreadable: `${issueSessionToken(me, issue)},Bearer x`,
    };
    const answers = new Set<string>();
    for (const [why, token] of Object.entries(bearers)) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await shop.ask('account/me', { query: '', headers });
      expect([why, shop.telemetry.total('storefront-refused', { why })]).toEqual([why, 1]);
      answers.add(`${answer.status} ${answer.body} ${JSON.stringify(answer.headers)}`);
    }
    const good = {
      query: '',
      headers: { authorization: `Bearer ${issueSessionToken(me, issue)}` },
    };
    for (const path of ['/nobody/account/me', '/__proto__/account/me', '//account/me']) {
      const answer = await shop.ask(path, path === '//account/me' ? { as: me } : good);
      answers.add(`${answer.status} ${answer.body} ${JSON.stringify(answer.headers)}`);
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toMatch(/^401 .*"bad-token".*"access-control-allow-origin":"\*"/);
    expect(shop.loyalty.journal).toEqual([]);
  });

  it('is refused with a named reason where the connector does not know its app', async () => {
    const shop = serveInProcess();
    shop.parts.clientId = undefined;
    const { status, json } = await shop.ask('account/me', { as: me });
    expect([status, json.error.code]).toEqual([401, 'bad-token']);
    expect(shop.telemetry.total('storefront-refused', { why: 'no-client-id' })).toBe(1);
    expect((await shop.ask('me', { customerId: MINE })).status).toBe(200);
  });

  it('is refused where the token is anywhere but in its header', async () => {
    const shop = serveInProcess();
    const token = issueSessionToken(me, shop.issue());
    const places: readonly Asking[] = [
      ...['token', 'id_token', 'access_token', 'session', 'authorization'].map((name) => ({
        query: `${name}=${token}`,
      })),
      { query: '', headers: { cookie: `token=${token}` } },
      { query: '', headers: { 'x-authorization': `Bearer ${token}` } },
      { query: '', headers: { 'proxy-authorization': `Bearer ${token}` } },
      { query: '', body: { ...redeemBody, token } },
    ];
    for (const place of places) {
      const path = place.body === undefined ? 'account/me' : 'account/redeem';
      expect((await shop.ask(path, place)).json.error.code).toBe('bad-token');
    }
  });

  it('is no request of the app proxy, and the reverse', async () => {
    const shop = serveInProcess();
    const now = new Date(shop.clock.ms);
    const signed = signedQuery(proxyValues(SHOP, now, MINE), SECRET);
    const replayed = await shop.ask('account/me', { query: signed });
    expect([replayed.status, replayed.json.error.code]).toEqual([401, 'bad-token']);
    const both = await shop.ask('account/me', { query: signed, as: { ...me, id: THEIRS } });
    expect([both.status, both.json.error.code]).toEqual([400, 'unknown-field']);
    const token = await shop.ask('me', { query: '', as: me });
    expect([token.status, token.json.error.code]).toEqual([401, 'bad-signature']);
    // The proxy's customer counts at the proxy's address, whatever the token says.
    await shop.ask('redeem', { query: signed, as: { ...me, id: THEIRS }, body: redeemBody });
    expect(shop.redeemed.map(({ customerId }) => customerId)).toEqual([MINE]);
  });

  it('cannot name another customer in its path, query, headers or body', async () => {
    const names = ['customerId', 'customer_id', 'logged_in_customer_id', 'sub', 'id', '__proto__'];
    const shop = serveInProcess();
    for (const name of names) {
      for (const [route, asking] of [
        ['me', { own: { [name]: THEIRS } }],
        ['redeem', { own: { [name]: THEIRS }, body: redeemBody }],
        ['redeem', { body: JSON.stringify({ ...redeemBody, [name]: THEIRS }) }],
        ['redeem', { query: `${name}=${MINE}&${name}=${THEIRS}`, body: redeemBody }],
      ] as const) {
        const { status } = await shop.ask(`account/${route}`, { as: me, ...asking });
        expect([name, route, status === 400 || status === 401]).toEqual([name, route, true]);
      }
      await shop.ask('account/redeem', { as: me, headers: { [name]: THEIRS }, body: redeemBody });
      await shop.ask(`account/${THEIRS}/redeem`, { as: me, body: redeemBody });
    }
    expect(new Set(shop.redeemed.map(({ customerId }) => customerId))).toEqual(new Set([MINE]));
  });
});
