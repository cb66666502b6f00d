import { beforeAll, describe, expect, it } from 'vitest';
import {
  CART,
  customerToken,
  type ExtensionWorld,
  staffToken,
} from '../../support/extension-world.ts';
import { SHOP } from '../../support/running-connector.ts';
import { proxyValues, signedQuery } from '../../support/running-storefront.ts';
import { STORE_SECRET } from '../../support/store-and-connector.ts';
import { bearer, openTokenTests } from './refused-token.ts';
import { unsigned } from './token-attacks.ts';

const { opened, refusal, expectRefused, expectUntouched } = openTokenTests();
let { world, robin, sasha } = opened;
beforeAll(() => {
  ({ world, robin, sasha } = opened);
});

describe('the kinds of callers', () => {
  const proxyQuery = (own = {}) =>
    signedQuery(proxyValues(SHOP, new Date(), robin, own), STORE_SECRET);

  it('a proxy request is nothing at an address for tokens', () =>
    expectUntouched(async () => {
      for (const place of ['account', `till/${robin}`]) {
        await expectRefused(`example-store/${place}/view`, { query: proxyQuery() });
        const body = world.click();
        await expectRefused(`example-store/${place}/redeem`, { query: proxyQuery(), body });
        // The signature of a query in place of that of a token.
        const signature = /signature=(\w+)/.exec(proxyQuery())?.[1] ?? '';
        const hex = Buffer.from(signature, 'hex').toString('base64url');
        const headers = bearer(`${unsigned(robin)}.${hex}`);
        await expectRefused(`example-store/${place}/view`, { headers, query: proxyQuery() });
      }
    }));

  it('a token is nothing at the address of the proxy', () =>
    expectUntouched(async () => {
      const unproved = await world.one.send('example-store/view');
      expect(unproved).toMatchObject({ status: 401, json: { error: { code: 'bad-signature' } } });
      const [, , signature = ''] = customerToken(robin).split('.');
      const hex = Buffer.from(signature, 'base64url').toString('hex');
      const unsignedQuery = proxyQuery().replace(/&signature=.*/, '');
      const signed = `${unsignedQuery}&signature=${hex}`;
      for (const query of ['', unsignedQuery, signed, `id_token=${customerToken(robin)}`]) {
        for (const token of [customerToken(robin), staffToken()]) {
          const asked = { query, headers: bearer(token) };
          expect(await world.one.send('example-store/view', asked)).toEqual(unproved);
        }
      }
    }));

  it('a token is good at the address of its own shop only', () =>
    expectUntouched(async () => {
      const odd = ['EXAMPLE-STORE', 'example-store.myshopify.com', ''];
      for (const shop of ['second-store', 'third-store', ...odd]) {
        await expectRefused(`${shop}/account/view`, { headers: bearer(customerToken(robin)) });
        await expectRefused(`${shop}/till/${robin}/view`, { headers: bearer(staffToken()) });
      }
    }));

  it('what the proxy proves does not become another customer by a token beside it', async () => {
    const headers = bearer(customerToken(sasha));
    const { json: view } = await world.one.proxy(robin, 'view', {}, { headers });
    expect(view.points).toBe(250);
  });
});

describe('answers across origins', () => {
  const cors = (answer: { readonly headers: Readonly<Record<string, string>> }) =>
    Object.keys(answer.headers).filter((name) => name.toLowerCase().startsWith('access-control'));

  it('are allowed for extensions, without cookies, with any answer', async () => {
    const unknown = { rewardId: 999, clientKey: 'click-of-nothing', items: CART };
    const answers = [
      await world.one.account(robin, 'view'),
      await world.one.account(robin, 'no-such-route'),
      await world.one.account(robin, 'redeem'),
      await world.one.account(robin, 'redeem', { body: '{' }),
      await world.one.account(robin, 'redeem', { body: unknown }),
      await world.one.till(robin, 'view'),
      await world.one.till(robin, 'no-such-route'),
      await refusal(),
    ];
    expect(new Set(answers.map(({ status }) => status)).size).toBeGreaterThan(3);
    for (const { headers } of answers) {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers).not.toHaveProperty('set-cookie');
    }
  });

  it('of a preflight are the same for every address, and need no proof', async () => {
    const headers = {
      origin: 'https://extensions.shopifycdn.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };
    const views = ['example-store/account/view', 'unknown/account/view'];
    const paths = [...views, `example-store/till/${sasha}/redeem`];
    const asked = { method: 'OPTIONS', headers };
    const answers = await Promise.all(paths.map((path) => world.one.send(path, asked)));
    const [first] = answers;
    const allowed = { 'access-control-allow-origin': '*' };
    expect(first).toMatchObject({ status: 204, answerText: '', headers: allowed });
    expect(first?.headers['access-control-allow-headers']).toMatch(/authorization.*content-type/i);
    expect(first?.headers['access-control-allow-methods']).toMatch(/GET.*POST/);
    for (const answer of answers) expect(answer).toEqual(first);
  });

  it('are never allowed for the proxy', async () => {
    const headers = { origin: 'https://evil.example', ...bearer(customerToken(robin)) };
    const answers = [
      await world.one.proxy(robin, 'view', {}, { headers }),
      await world.one.proxy('', 'view', {}, { headers }),
      await world.one.proxy(robin, 'no-such-route', {}, { headers }),
      await world.one.proxy(robin, 'redeem', {}, { headers, body: '{' }),
      await world.one.proxy('', 'widget.js'),
      await world.one.send('example-store/view', { headers }),
      await world.one.send('example-store/view', { headers, method: 'OPTIONS' }),
      await world.one.send('example-store', { headers, method: 'OPTIONS' }),
      await world.one.proxy(robin, 'view', {}, { headers, method: 'OPTIONS' }),
    ];
    expect(answers.map(cors)).toEqual(answers.map(() => []));
  });
});

describe('secrets', () => {
  const pointsWith = async (storefront: ExtensionWorld['one'], secret: string) => {
    const answer = await storefront.withToken('account/view', customerToken(robin, {}, secret));
    return answer.status === 200 ? answer.json.points : answer.status;
  };

  it('both are taken during a rotation, and the older one no more after it', async () => {
    const current = 'the-next-secret-of-this-test';
    const asked = () =>
      Promise.all([STORE_SECRET, current].map((secret) => pointsWith(world.one, secret)));
    expect(await asked()).toEqual([250, 401]);
    await world.connector.keepSecret('example-store/webhook', { current, previous: STORE_SECRET });
    world.connector.pass(301);
    expect(await asked()).toEqual([250, 250]);
    await world.connector.keepSecret('example-store/webhook', { current });
    world.connector.pass(301);
    expect(await asked()).toEqual([401, 250]);
    await world.connector.keepSecret('example-store/webhook', { current: STORE_SECRET });
    world.connector.pass(301);
    expect(await asked()).toEqual([250, 401]);
  });

  it('without a client id no token is taken, with the same answer', async () => {
    const accessToken = 'shpat_of_this_test_71c2';
    await world.connector.keepSecret('example-store/store', { accessToken });
    const fresh = world.start();
    const answer = await fresh.account(robin, 'view');
    expect(answer).toEqual(await refusal());
    for (const aud of [undefined, null, '', 'undefined']) {
      const token = customerToken(robin, { aud });
      expect(await fresh.withToken('account/view', token)).toEqual(await refusal());
    }
  });
});
