import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { issueSessionToken } from '../../../../local/store-sandbox/session-tokens.ts';
import type { CustomerOfToken } from '../../../../shared/shopify/storefront-requests/customer-tokens.ts';
import { routes } from '../../../../shared/shopify/storefront-requests/serve-storefront.ts';
import { serveInProcess } from '../../../support/served-storefront.ts';

const MINE = '7000001';
const TOKEN = 'shcat_token-of-this-customer';
const as = (token: string, own: Readonly<Record<string, string>> = {}) => ({
  query: new URLSearchParams(own).toString(),
  headers: { authorization: `Bearer ${token}` },
});

/** A shop whose settings allow storefronts of the merchant's own. */
function serve(customerOfToken: CustomerOfToken = async (token) => known(token)) {
  const shop = serveInProcess();
  shop.parts.customerOfToken = customerOfToken;
  return shop;
}

const known = (token: string) =>
  token === TOKEN ? ({ kind: 'customer', id: MINE } as const) : ({ kind: 'nobody' } as const);

describe("a storefront of the merchant's own", () => {
  it('gets the answers that a page of the store gets, for the customer of the token, and no browser does', async () => {
    const shop = serve();
    await shop.enroll(MINE, 100);
    await shop.remember(MINE, '120', '3.5');
    const own = { items: '11:19.90:1', currency: 'EUR' };
    for (const name of ['me', 'view', 'rewards', 'redemptions', 'points']) {
      const query = name === 'points' ? own : {};
      const byToken = await shop.ask(`headless/${name}`, as(TOKEN, query));
      const byProxy = await shop.ask(name, { customerId: MINE, own: query });
      expect([name, byToken.status, byToken.json]).toEqual([name, 200, byProxy.json]);
      expect(byToken.headers).toEqual(byProxy.headers);
    }
    const body = { rewardId: 1, clientKey: 'click-0001' };
    await shop.ask('headless/redeem', { ...as(TOKEN), body });
    expect(shop.redeemed.map(({ customerId }) => customerId)).toEqual([MINE]);
    const preflight = await shop.ask('headless/me', { method: 'OPTIONS', query: '' });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
      401,
      undefined,
    ]);
  });

  it('is refused with one answer, whatever is wrong with its token', async () => {
    const asked: string[] = [];
    const shop = serve(async (token) => {
      asked.push(token);
      return known(token);
    });
    const sessionToken = issueSessionToken({ kind: 'customer', id: MINE }, shop.issue());
    const wrong = [
      as('shcat_another-token'),
      as(sessionToken),
      as('short'),
      as(`${TOKEN} ${TOKEN}`),
      as('x'.repeat(5_000)),
      { query: '' },
      { query: '', headers: { authorization: `Basic ${TOKEN}` } },
      { customerId: MINE },
    ];
    for (const asking of wrong) {
      const { status, json } = await shop.ask('headless/me', asking);
      expect([status, json.error.code]).toEqual([401, 'bad-token']);
    }
    // Shopify is not asked about what cannot be a token.
    expect(asked).toEqual(['shcat_another-token', sessionToken]);
    const named = await shop.ask('headless/me', as(TOKEN, { customerId: '7000002' }));
    expect([named.status, named.json.error.code]).toEqual([400, 'unknown-field']);
  });

  it('is refused where the settings do not allow it, and its token is no proof elsewhere', async () => {
    const closed = serveInProcess();
    expect((await closed.ask('headless/me', as(TOKEN))).status).toBe(401);
    const open = serve();
    for (const path of ['account/me', `till/${MINE}/me`, 'me']) {
      expect([path, (await open.ask(path, as(TOKEN))).status]).toEqual([path, 401]);
    }
    for (const path of ['headless', 'headless/widget.js', 'headless/challenge', 'headless/me/x']) {
      expect([path, (await open.ask(path, as(TOKEN))).status]).toEqual([path, 404]);
    }
  });

  it('waits where too many unknown tokens come, and while Shopify does not answer', async () => {
    const busy = serve(async () => ({ kind: 'too-many', afterSeconds: 3 }));
    const { status, headers } = await busy.ask('headless/me', as(TOKEN));
    expect([status, headers['retry-after']]).toEqual([429, '3']);
    const cut = serve(async () => {
      throw new Error('Shopify did not answer: time-out');
    });
    expect((await cut.ask('headless/me', as(TOKEN))).status).toBe(503);
  });
});

it('the description of the requests names every route, its method and its parameters', () => {
  const { paths } = parse(readFileSync('docs/storefront-api.yaml', 'utf8'));
  const described = Object.entries<Record<string, { parameters?: { name: string }[] }>>(paths);
  const found = described.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => [
      path.slice(1),
      method.toUpperCase(),
      parameters.map(({ name }) => name),
    ]),
  );
  const served = [...routes].map(([name, { method, parameters }]) => [name, method, parameters]);
  expect(found.toSorted()).toEqual(served.toSorted());
});
