import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Asked,
  CART,
  customerClaims,
  customerToken,
  type ExtensionWorld,
  nowSeconds,
  openExtensions,
  SECOND_CLIENT,
  staffClaims,
  staffToken,
  tokenOf,
} from '../../support/extension-world.ts';
import { runConnectors, SECOND_SHOP, SHOP } from '../../support/running-connector.ts';
import { proxyValues, signedQuery } from '../../support/running-storefront.ts';
import { CLIENT_ID, STORE_SECRET } from '../../support/store-and-connector.ts';
import { arabic, attacksOf, unsigned } from './token-attacks.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: ExtensionWorld;
let robin: string;
let sasha: string;
beforeAll(async () => {
  world = await openExtensions(connectors, { readsPerMinute: 1_000 });
  robin = await world.shopper('Robin', 250);
  sasha = await world.shopper('Sasha', 7_777);
});
afterAll(() => world.stop());

const json = (value: unknown) => JSON.stringify(value);
const account = (changes: Readonly<Record<string, unknown>>) => customerToken(robin, changes);
const withHeader = (header: unknown) =>
  tokenOf(json(customerClaims(robin)), STORE_SECRET, json(header));

/** The answer to a request without any proof. */
const refusal = () => world.one.send('example-store/account/view');

async function expectRefused(path: string, asked: Asked) {
  const expected = await refusal();
  expect(expected).toMatchObject({ status: 401, json: { error: { code: 'bad-token' } } });
  expect(expected.headers['access-control-allow-origin']).toBe('*');
  expect(await world.one.send(path, asked)).toEqual(expected);
}

/** Nothing was asked of the service, and nothing moved. */
async function expectUntouched(work: () => Promise<unknown>) {
  world.connector.newCalls();
  const ledger = await world.connector.ledgerText();
  await work();
  expect(world.connector.newOperations()).toEqual([]);
  expect(await world.connector.ledgerText()).toBe(ledger);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a token for the account page', () => {
  it('that is right shows this customer', async () => {
    const variants = [
      customerToken(robin),
      // A token of a newer form, and what may be added.
      account({ dest: `https://${SHOP}`, iss: `https://${SHOP}/admin`, sid: '1', more: [{}] }),
      account({ exp: nowSeconds() - 5, nbf: nowSeconds() - 300 }),
      account({ nbf: nowSeconds() + 5 }),
      withHeader({ alg: 'HS256' }),
      withHeader({ kid: '1', typ: 'JWT', alg: 'HS256' }),
    ];
    for (const token of variants) {
      const { status, json: view } = await world.one.withToken('account/view', token);
      expect([status, view?.points]).toEqual([200, 250]);
    }
  });

  it.each(Object.keys(attacksOf('1', '2')))('%s is refused, like all others', (name) =>
    expectUntouched(async () => {
      const headers = bearer(attacksOf(robin, sasha)[name]?.() ?? '');
      await expectRefused('example-store/account/view', { headers });
      const body = world.click();
      await expectRefused('example-store/account/redeem', { headers, body });
    }),
  );

  it('of any form shows its own customer or nothing', async () => {
    const token = customerToken(robin);
    const signature = token.slice(token.lastIndexOf('.') + 1);
    const forms = [
      `${token}=`,
      `${token}==`,
      token.replace(signature, Buffer.from(signature, 'base64url').toString('base64')),
      account({ dest: SHOP.toUpperCase() }),
      account({ dest: `https://${SHOP}/` }),
      account({ dest: `https://${SHOP}:443` }),
      account({ aud: [CLIENT_ID] }),
      account({ sub: `gid://shopify/Customer/000${robin}` }),
      account({ sub: null }),
      account({ sub: '' }),
      tokenOf(`\u{feff}${json(customerClaims(robin))}`),
      tokenOf(`{"sub":"${customerClaims(sasha).sub}",${json(customerClaims(robin)).slice(1)}`),
      tokenOf(` ${json(customerClaims(robin))} `),
    ];
    for (const form of forms) {
      const { answerText, status } = await world.one.withToken('account/view', form);
      expect(answerText).not.toContain('7777');
      expect([200, 401], form).toContain(status);
    }
  });

  it('is taken from one Authorization header only', async () => {
    const token = customerToken(robin);
    await expectUntouched(async () => {
      const path = 'example-store/account/view';
      for (const query of [
        `id_token=${token}`,
        `token=${token}`,
        `authorization=Bearer%20${token}`,
      ]) {
        await expectRefused(path, { query });
      }
      const names = ['x-authorization', 'cookie', 'x-shopify-access-token', 'proxy-authorization'];
      for (const name of names)
        await expectRefused(path, { headers: { [name]: `Bearer ${token}` } });
      const schemes = [
        token,
        `Basic ${token}`,
        `Bearer: ${token}`,
        `Bearer ${token} x`,
        `Bearer\t${token}x`,
      ];
      for (const authorization of schemes)
        await expectRefused(path, { headers: { authorization } });
      await expectRefused(path, { body: { token } });
    });
  });

  it('of a visitor shows rewards and no customer, and redeems nothing', async () => {
    const token = account({ sub: undefined });
    const { status, json: view } = await world.one.withToken('account/view', token);
    expect([status, view.loggedIn, view.points, view.redemptions]).toEqual([200, false, null, []]);
    for (const [route, asked] of [
      ['redeem', { body: world.click() }],
      ['history', {}],
      ['order', { query: 'id=1' }],
      ['quizzes', {}],
    ] as const) {
      const answer = await world.one.withToken(`account/${route}`, token, asked);
      expect([route, answer.status, answer.json.error.code]).toEqual([route, 401, 'not-logged-in']);
    }
    expect(world.loyalty.state().redemptions).toEqual([]);
  });
});

describe('a token for the till', () => {
  const till: Readonly<Record<string, () => string>> = {
    'of the customer': () => customerToken(robin),
    'of another customer': () => customerToken(sasha),
    'of a visitor': () => customerToken(robin, { sub: undefined }),
    'of another shop': () => staffToken('1', { dest: `https://${SECOND_SHOP}` }),
    'of another issuer': () => staffToken('1', { iss: `https://${SECOND_SHOP}/admin` }),
    'of another app': () => staffToken('1', { aud: SECOND_CLIENT }),
    expired: () => staffToken('1', { exp: nowSeconds() - 11 }),
    'with a space': () => staffToken(' 5001'),
    'with a new line': () => staffToken('5001\n'),
    'with digits of another script': () => staffToken(arabic('5001')),
    'with a sign': () => staffToken('-5001'),
    'with an exponent': () => staffToken('5e3'),
    'of an empty user': () => staffToken(''),
    'without a user': () => tokenOf(json(staffClaims('1', { sub: undefined }))),
    'of a gid': () => staffToken('gid://shopify/StaffMember/5001'),
    'of a list': () => tokenOf(json(staffClaims('1', { sub: ['5001'] }))),
  };

  it.each(Object.keys(till))('%s is refused', (name) =>
    expectUntouched(async () => {
      const headers = bearer(till[name]?.() ?? '');
      await expectRefused(`example-store/till/${robin}/view`, { headers });
      const body = world.click();
      await expectRefused(`example-store/till/${robin}/redeem`, { headers, body });
      await expectRefused(`example-store/till/${robin}/challenge`, { headers, body: {} });
    }),
  );

  it('shows no customer for another form of an id', async () => {
    const ids = [
      ` ${robin}`,
      `0${robin}`,
      `${robin},${sasha}`,
      arabic(robin),
      encodeURIComponent(arabic(robin)),
      `gid:%2F%2Fshopify%2FCustomer%2F${robin}`,
      `${robin}%2F..%2F${sasha}`,
      `..%2Ftill%2F${robin}`,
      '-1',
      '0',
      'robin.sampleson@example.com',
      'robin.sampleson%40example.com',
    ];
    for (const id of ids) {
      const { status, answerText } = await world.one.withToken(`till/${id}/view`, staffToken());
      expect([id, answerText.includes('7777'), answerText.includes('"points":250')]).toEqual([
        id,
        false,
        false,
      ]);
      expect(status, id).toBeLessThan(500);
    }
  });
});

describe('a token of one customer', () => {
  const routes = ['view', 'me', 'rewards', 'redemptions', 'history', 'quizzes', 'order', 'points'];

  it('never shows another, wherever the other’s id stands', async () => {
    const gid = String(customerClaims(sasha).sub);
    const names = [
      'customer',
      'customerId',
      'customer_id',
      'logged_in_customer_id',
      'sub',
      'CustomerId',
    ];
    const token = customerToken(robin);
    for (const route of routes) {
      const own = route === 'order' ? `id=${sasha}&` : '';
      const tries: Asked[] = names.flatMap((name) => [
        { query: `${own}${name}=${sasha}` },
        { headers: { [name.toLowerCase()]: sasha, cookie: `${name}=${sasha}` } },
      ]);
      tries.push({ headers: { 'x-shopify-customer-id': gid, 'x-logged-in-customer-id': sasha } });
      for (const asked of tries) {
        const { answerText } = await world.one.withToken(`account/${route}`, token, asked);
        expect(answerText).not.toMatch(/7777|7727|388\.85/);
      }
      for (const path of [
        `account/${sasha}/${route}`,
        `account/${route}/${sasha}`,
        `till/${sasha}/${route}`,
      ]) {
        const { status } = await world.one.withToken(path, token);
        expect([path, status >= 400]).toEqual([path, true]);
      }
    }
  });

  it('is of the exact number, however large', async () => {
    const ids = ['9007199254740992', '9007199254740993', '9223372036854775807'];
    for (const [index, OriginalId] of ids.entries()) {
      const Email = `large.numberson${index}@example.com`;
      await world.callLoyalty('POST', '/Customer/upsert', { OriginalId, Name: 'Large', Email });
      await world.give(OriginalId, 1_001 + index);
      const { rows } = world.store;
      const [customer] = rows.customers.values();
      if (customer) rows.customers.put(OriginalId, { ...customer, id: OriginalId, email: Email });
    }
    for (const [index, id] of ids.entries()) {
      expect((await world.one.view(id)).points).toBe(1_001 + index);
      expect((await world.one.till(id, 'view')).json.points).toBe(1_001 + index);
    }
    expect((await world.one.view('9007199254740994')).points).toBeNull();
  });

  it('spends nothing of another', async () => {
    for (const field of [
      'customer',
      'customerId',
      'customer_id',
      'sub',
      'shop',
      'answer',
      '__proto__',
    ]) {
      const body = `{${JSON.stringify(world.click()).slice(1, -1)},"${field}":"${sasha}"}`;
      const { status } = await world.one.account(robin, 'redeem', { body });
      expect([field, status]).toEqual([field, 400]);
    }
    const before = world.pointsOf(sasha);
    const own = await world.one.account(robin, 'redeem', { body: world.click(3) });
    expect([own.status, own.json.redemption.state]).toEqual([200, 'ready']);
    expect([world.pointsOf(robin), world.pointsOf(sasha)]).toEqual([200, before]);
    const { redemptions } = await world.one.view(sasha);
    expect(redemptions).toEqual([]);
    const again = { ...world.click(3), clientKey: own.json.redemption.id };
    const other = await world.one.account(sasha, 'redeem', { body: again });
    expect(other.answerText).not.toContain(own.json.redemption.code);
    await world.rest();
    expect(world.pointsOf(robin)).toBe(200);
  });

  it('has no challenge, which is the till’s alone', async () => {
    const { status } = await world.one.account(robin, 'challenge', { body: {} });
    expect(status).toBe(404);
    expect(world.loyalty.state().challenges).toEqual([]);
  });
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
      for (const query of [
        '',
        unsignedQuery,
        `${unsignedQuery}&signature=${hex}`,
        `id_token=${customerToken(robin)}`,
      ]) {
        for (const token of [customerToken(robin), staffToken()]) {
          expect(
            await world.one.send('example-store/view', { query, headers: bearer(token) }),
          ).toEqual(unproved);
        }
      }
    }));

  it('a token is good at the address of its own shop only', () =>
    expectUntouched(async () => {
      for (const shop of [
        'second-store',
        'third-store',
        'EXAMPLE-STORE',
        'example-store.myshopify.com',
        '',
      ]) {
        await expectRefused(`${shop}/account/view`, { headers: bearer(customerToken(robin)) });
        await expectRefused(`${shop}/till/${robin}/view`, { headers: bearer(staffToken()) });
      }
    }));

  it('what the proxy proves does not become another customer by a token beside it', async () => {
    const { json: view } = await world.one.proxy(
      robin,
      'view',
      {},
      { headers: bearer(customerToken(sasha)) },
    );
    expect(view.points).toBe(200);
  });
});

describe('answers across origins', () => {
  const cors = (answer: { readonly headers: Readonly<Record<string, string>> }) =>
    Object.keys(answer.headers).filter((name) => name.toLowerCase().startsWith('access-control'));

  it('are allowed for extensions, without cookies, whatever the answer is', async () => {
    const answers = [
      await world.one.account(robin, 'view'),
      await world.one.account(robin, 'no-such-route'),
      await world.one.account(robin, 'redeem'),
      await world.one.account(robin, 'redeem', { body: '{' }),
      await world.one.account(robin, 'redeem', {
        body: { rewardId: 999, clientKey: 'click-of-nothing', items: CART },
      }),
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
    const paths = [
      'example-store/account/view',
      'unknown/account/view',
      `example-store/till/${sasha}/redeem`,
    ];
    const answers = await Promise.all(
      paths.map((path) => world.one.send(path, { method: 'OPTIONS', headers })),
    );
    const [first] = answers;
    expect(first).toMatchObject({
      status: 204,
      answerText: '',
      headers: { 'access-control-allow-origin': '*' },
    });
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
    expect(await asked()).toEqual([200, 401]);
    await world.connector.keepSecret('example-store/webhook', { current, previous: STORE_SECRET });
    world.connector.pass(301);
    expect(await asked()).toEqual([200, 200]);
    await world.connector.keepSecret('example-store/webhook', { current });
    world.connector.pass(301);
    expect(await asked()).toEqual([401, 200]);
    await world.connector.keepSecret('example-store/webhook', { current: STORE_SECRET });
    world.connector.pass(301);
    expect(await asked()).toEqual([200, 401]);
  });

  it('without a client id no token is taken, with the same answer', async () => {
    const accessToken = 'shpat_of_this_test_71c2';
    await world.connector.keepSecret('example-store/store', { accessToken });
    const fresh = world.start();
    const answer = await fresh.account(robin, 'view');
    expect(answer).toEqual(await refusal());
    for (const aud of [undefined, null, '', 'undefined']) {
      const token = account({ aud });
      expect(await fresh.withToken('account/view', token)).toEqual(await refusal());
    }
  });
});
