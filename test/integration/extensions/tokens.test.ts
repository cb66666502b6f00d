import { beforeAll, describe, expect, it } from 'vitest';
import {
  customerClaims,
  customerToken,
  nowSeconds,
  SECOND_CLIENT,
  staffClaims,
  staffToken,
  tokenOf,
} from '../../support/extension-world.ts';
import { SECOND_SHOP, SHOP } from '../../support/running-connector.ts';
import type { Asked } from '../../support/running-storefront.ts';
import { CLIENT_ID, STORE_SECRET } from '../../support/store-and-connector.ts';
import { bearer, openTokenTests } from './refused-token.ts';
import { arabic, attacksOf } from './token-attacks.ts';

const { opened, expectRefused, expectUntouched } = openTokenTests();
let { world, robin, sasha } = opened;
beforeAll(() => {
  ({ world, robin, sasha } = opened);
});

const json = (value: unknown) => JSON.stringify(value);
const account = (changes: Readonly<Record<string, unknown>>) => customerToken(robin, changes);
const withHeader = (header: unknown) =>
  tokenOf(json(customerClaims(robin)), STORE_SECRET, json(header));

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
      for (const name of ['id_token=', 'token=', 'authorization=Bearer%20']) {
        await expectRefused(path, { query: `${name}${token}` });
      }
      const names = ['x-authorization', 'cookie', 'x-shopify-access-token', 'proxy-authorization'];
      for (const name of names) {
        await expectRefused(path, { headers: { [name]: `Bearer ${token}` } });
      }
      const odd = [`Bearer: ${token}`, `Bearer ${token} x`, `Bearer\t${token}x`];
      for (const authorization of [token, `Basic ${token}`, ...odd]) {
        await expectRefused(path, { headers: { authorization } });
      }
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
      expect(answerText, id).not.toMatch(/7777|"points":250/);
      expect(status, id).toBeLessThan(500);
    }
  });
});

describe('a token of one customer', () => {
  const FIELDS = ['customer', 'customerId', 'customer_id', 'sub'];
  const routes = ['view', 'me', 'rewards', 'redemptions', 'history', 'quizzes', 'order', 'points'];

  it('never shows another, wherever the other’s id stands', async () => {
    const gid = String(customerClaims(sasha).sub);
    const names = [...FIELDS, 'logged_in_customer_id', 'CustomerId'];
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
      const places = [`account/${sasha}/${route}`, `account/${route}/${sasha}`];
      for (const path of [...places, `till/${sasha}/${route}`]) {
        const { status } = await world.one.withToken(path, token);
        expect(status, path).toBeGreaterThanOrEqual(400);
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
      // A till asks the store, which a busy machine may answer too late: then it is asked again.
      const atTill = async () => (await world.one.till(id, 'view')).json.points;
      await expect.poll(atTill).toBe(1_001 + index);
    }
    expect((await world.one.view('9007199254740994')).points).toBeNull();
  });

  it('spends nothing of another', async () => {
    for (const field of [...FIELDS, 'shop', 'answer', '__proto__']) {
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
