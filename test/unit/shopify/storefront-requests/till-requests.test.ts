import { describe, expect, it } from 'vitest';
import { issueSessionToken } from '../../../../local/store-sandbox/session-tokens.ts';
import { tillRoutes } from '../../../../shared/shopify/storefront-requests/serve-storefront.ts';
import { SECRET, SHOP, serveInProcess } from '../../../support/served-storefront.ts';
import { proxyValues, signedQuery } from '../../../support/signed-query.ts';

const staff = { kind: 'staff', id: '42' } as const;
const customer = { kind: 'customer', id: '7001' } as const;
const redeemBody = { rewardId: 1, clientKey: 'click-0001' };

describe('a till', () => {
  it('gets for any customer what their own page gets', async () => {
    const shop = serveInProcess();
    for (const [id, points] of [
      ['7001', 100],
      ['7002', 200],
    ] as const) {
      await shop.enroll(id, points);
      const till = await shop.ask(`till/${id}/view`, { as: staff });
      expect(till).toMatchObject({ status: 200, json: { points, needsChallenge: false } });
      expect(till.json).toEqual((await shop.ask('view', { customerId: id })).json);
      expect(till.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'retry-after',
        'cache-control': 'private, no-store',
      });
    }
  });

  it('gets nothing of a customer whom this shop does not have, or while the store does not say so', async () => {
    const shop = serveInProcess();
    await shop.enroll('7001', 100);
    const ask = async () => {
      const requests = [...tillRoutes].map(([name, { method }]) =>
        shop.ask(`till/7001/${name}`, {
          as: staff,
          ...(method === 'POST' && { body: redeemBody }),
        }),
      );
      const answers = await Promise.all(requests);
      return new Set(answers.map(({ status }) => status));
    };
    shop.parts.hasCustomer = async () => false;
    const before = shop.loyalty.journal.length;
    expect(await ask()).toEqual(new Set([404]));
    shop.parts.hasCustomer = () => Promise.reject(new Error('the store is away'));
    expect(await ask()).toEqual(new Set([503]));
    expect([shop.redeemed, shop.challenged]).toEqual([[], []]);
    expect(shop.loyalty.journal).toHaveLength(before);
  });

  it('redeems and starts a challenge for the customer of the address, in the name of its user', async () => {
    const shop = serveInProcess();
    await shop.ask('till/7001/redeem', { as: staff, body: { ...redeemBody, answer: '1234' } });
    await shop.ask('till/7002/redeem', { as: staff, body: redeemBody });
    expect(shop.redeemed).toMatchObject([
      { customerId: '7001', till: { staffId: '42', answer: '1234' } },
      { customerId: '7002', till: { staffId: '42', answer: undefined } },
    ]);
    const started = await shop.ask('till/7001/challenge', { as: staff, body: {} });
    expect([started.status, started.json]).toEqual([200, { started: true }]);
    expect(shop.challenged).toEqual([{ customerId: '7001', staffId: '42', typed: {} }]);
  });

  it('is shown whether the customer must answer a challenge', async () => {
    const shop = serveInProcess({ challenge: 'asked' });
    await shop.enroll('7001', 100);
    const till = await shop.ask('till/7001/view', { as: staff });
    expect(till.json.needsChallenge).toBe(true);
  });

  it('answers each end of a challenge with a code of its own', async () => {
    const shop = serveInProcess();
    const redeem = () => shop.ask('till/7001/redeem', { as: staff, body: redeemBody });
    for (const why of ['challenge-needed', 'challenge-wrong'] as const) {
      shop.parts.answer = { kind: 'refused', why };
      const { status, json } = await redeem();
      expect([status, json.error.code]).toEqual([409, why]);
    }
    const start = () => shop.ask('till/7001/challenge', { as: staff, body: {} });
    const ends = [
      [{ kind: 'refused', why: 'not-a-member' }, 409, 'not-a-member'],
      [{ kind: 'refused', why: 'refused' }, 409, 'refused'],
      [{ kind: 'too-many', afterSeconds: 60 }, 429, 'too-many-requests'],
      [{ kind: 'unavailable' }, 503, 'unavailable'],
    ] as const;
    for (const [end, status, code] of ends) {
      shop.parts.challenge = end;
      const answer = await start();
      expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    }
  });

  it('asks for what the service lacks, in its own words, and passes on what the customer told', async () => {
    const shop = serveInProcess();
    const start = (body: object) => shop.ask('till/7001/challenge', { as: staff, body });
    shop.parts.challenge = { kind: 'contact-needed', asks: ['phone', 'email'], said: 'Diga onde.' };
    expect(await start({})).toMatchObject({
      status: 409,
      json: {
        error: { code: 'contact-needed', asks: ['phone', 'email'], programMessage: 'Diga onde.' },
      },
    });
    const told = [
      { phone: '+55 (11) 5550-0100' },
      { email: 'robin@example.com' },
      { phone: '1155500100', email: 'robin@example.com' },
    ];
    for (const typed of told) await start(typed);
    expect(shop.challenged.slice(1).map(({ typed }) => typed)).toEqual(told);
    shop.parts.challenge = { kind: 'refused', why: 'refused', said: 'Não agora.' };
    expect((await start({})).json.error).toMatchObject({ programMessage: 'Não agora.' });
    shop.parts.answer = { kind: 'refused', why: 'challenge-wrong', said: 'Código errado.' };
    const wrong = await shop.ask('till/7001/redeem', { as: staff, body: redeemBody });
    expect(wrong.json.error).toMatchObject({ programMessage: 'Código errado.' });
  });

  it('passes on nothing that is no phone number and no e-mail address', async () => {
    const shop = serveInProcess();
    const texts = [
      '',
      ' ',
      'x',
      1,
      null,
      ['+55 11 5550 0100'],
      {},
      '@',
      'a@',
      '@b',
      'a b@example.com',
    ];
    const phones = [
      ...texts,
      '1234',
      `+${'1'.repeat(40)}`,
      '+55 11 5550\n0100',
      'robin@example.com',
    ];
    const emails = [...texts, '+55 11 5550 0100', `${'a'.repeat(300)}@example.com`, 'a@b@c'];
    const bodies = [...phones.map((phone) => ({ phone })), ...emails.map((email) => ({ email }))];
    for (const body of bodies) {
      const { status, json } = await shop.ask('till/7001/challenge', { as: staff, body });
      expect([body, status, json.error?.code]).toEqual([body, 400, 'bad-request']);
    }
    const chosen = { TransactionId: 'of-the-caller' };
    const { json } = await shop.ask('till/7001/challenge', { as: staff, body: chosen });
    expect(json.error.code).toBe('unknown-field');
    expect(shop.challenged).toEqual([]);
  });

  it('refuses an answer that is no PIN, and fields that it does not know', async () => {
    const shop = serveInProcess();
    for (const answer of ['', ' ', '12 34', 'x'.repeat(33), 1234, null, ['1234'], {}]) {
      const body = { ...redeemBody, answer };
      const { status } = await shop.ask('till/7001/redeem', { as: staff, body });
      expect([answer, status]).toEqual([answer, 400]);
    }
    for (const body of [{ customerId: '7002' }, { staffId: '1' }, { Code: '1' }]) {
      for (const name of ['redeem', 'challenge']) {
        const whole = name === 'redeem' ? { ...redeemBody, ...body } : body;
        const { json } = await shop.ask(`till/7001/${name}`, { as: staff, body: whole });
        expect(json.error.code).toBe('unknown-field');
      }
    }
    // Only a till has a challenge: a page of the store cannot send an answer.
    for (const path of ['redeem', 'account/redeem']) {
      const as = path === 'redeem' ? {} : { as: customer };
      const asking = { ...as, customerId: '7001', body: { ...redeemBody, answer: '1' } };
      expect((await shop.ask(path, asking)).json.error.code).toBe('unknown-field');
    }
    expect([shop.redeemed, shop.challenged]).toEqual([[], []]);
  });

  it('is not opened by a customer, a visitor or a signed query, whatever they ask', async () => {
    const shop = serveInProcess();
    const signed = signedQuery(proxyValues(SHOP, new Date(shop.clock.ms), '7001'), SECRET);
    for (const [name, { method }] of tillRoutes) {
      const body = method === 'POST' ? { body: redeemBody } : {};
      for (const asking of [
        { as: customer },
        { as: { ...customer, id: undefined } },
        { query: signed },
        { query: '' },
      ]) {
        const { status, json } = await shop.ask(`till/7001/${name}`, { ...asking, ...body });
        expect([name, status, json.error.code]).toEqual([name, 401, 'bad-token']);
      }
    }
    expect([shop.redeemed, shop.challenged, shop.loyalty.journal]).toEqual([[], [], []]);
  });

  it('opens nothing but the addresses of tills with its token', async () => {
    const shop = serveInProcess();
    const authorization = `Bearer ${issueSessionToken(staff, shop.issue())}`;
    for (const path of ['account/me', 'account/redeem', 'me', 'redeem']) {
      const body = path.endsWith('redeem') ? { body: redeemBody } : {};
      const asking = { query: '', headers: { authorization }, ...body };
      expect([path, (await shop.ask(path, asking)).status]).toEqual([path, 401]);
    }
    expect(shop.redeemed).toEqual([]);
  });

  it('finds nothing at an address without one customer', async () => {
    const shop = serveInProcess();
    const ids = [
      '',
      '0',
      '07',
      '-7',
      '7.0',
      '7e3',
      ' 7',
      '7%20',
      '９',
      'gid:',
      `${'9'.repeat(20)}`,
    ];
    for (const path of [
      ...ids.map((id) => `till/${id}/me`),
      ...['till', 'till/', 'till/7001', 'till/7001/', 'till/7001/me/', 'till/7001/7002/me'],
      ...['till/7001/widget.js', 'till/7001/__proto__'],
    ]) {
      const { status } = await shop.ask(path, { as: staff });
      expect([path, status]).toEqual([path, 404]);
    }
  });

  it('is limited for each user and for the shop, and takes nothing from customers', async () => {
    const shop = serveInProcess({ readsPerMinute: 10 });
    const ask = (id: string, customerId = '7001') =>
      shop.ask(`till/${customerId}/redemptions`, { as: { ...staff, id } });
    for (let n = 0; n < 10; n += 1) expect((await ask('1', `70${n + 10}`)).status).toBe(200);
    expect(await ask('1')).toMatchObject({ status: 429, headers: { 'retry-after': '6' } });
    for (let n = 0; n < 20; n += 1) expect((await ask(`${100 + n}`)).status).toBe(200);
    expect((await ask('200')).status).toBe(429);
    expect((await shop.ask('me', { customerId: '7001' })).status).toBe(200);
    expect((await shop.ask('account/me', { as: customer })).status).toBe(200);
  });
});
