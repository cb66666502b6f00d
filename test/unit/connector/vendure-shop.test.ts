import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Finding, ShopDeps } from '../../../scripts/connector/ground/checks/check.ts';
import { serverCheck } from '../../../scripts/connector/ground/checks/check.ts';
import { findAny, findEntity, ordersOf } from '../../../scripts/connector/ground/compare/find.ts';
import {
  awsSettings,
  type Deployment,
} from '../../../scripts/connector/ground/session/deployment.ts';
import { postDelivery } from '../../../scripts/connector/ground/session/post-delivery.ts';
import { openShopServices, readNames } from '../../../scripts/connector/ground/session/services.ts';
import { BadArguments } from '../../../scripts/connector/ground/terminal/exit.ts';
import { checksByPlatform } from '../../../scripts/connector/platform-checks.ts';
import {
  askFields,
  faultIn,
  fieldsOf,
  missingIn,
  setSecret,
  tryCredentials,
} from '../../../scripts/connector/set-up/set-secret.ts';
import { shopSteps } from '../../../scripts/connector/set-up/setup.ts';
import { requireShopify } from '../../../scripts/connector/set-up/shopify/store-checks.ts';
import { subscriptionsCheck } from '../../../scripts/connector/set-up/shopify/webhooks.ts';
import { defineConnector, type Shop } from '../../../shared/config/connector-config.ts';
import type { Delivery } from '../../../shared/core/events/receive-delivery.ts';
import { judgeServer, vendureCommands } from '../../../shared/vendure/commands.ts';
import { vendureDeliveries } from '../../../shared/vendure/deliveries.ts';

/** What the server answers, and what it was asked. */
let answer: (query: string, filter: unknown, key: string | undefined) => object;
let asked: Delivery[];
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts);
    const headers = request.headers as Delivery['headers'];
    asked.push({ method: 'POST', path: '/', headers, body });
    const { query = '', variables } = JSON.parse(body.toString());
    const said = answer(query, variables?.options?.filter, headers['vendure-api-key']);
    response.end(JSON.stringify(said));
  });
});

let deployment: Deployment;
let shop: Shop;
let other: Shop;
beforeEach(async () => {
  asked = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const connector = defineConnector({
    shops: [
      {
        platform: 'vendure',
        domain: 'shop.example.com',
        vendure: { adminApi: `${place()}/admin-api`, currency: 'EUR' },
      },
      { domain: 'example-store.myshopify.com' },
    ],
    loyalty: { address: 'https://loyalty.example.com' },
    rules: { currency: 'EUR' },
  });
  const aws = awsSettings({ region: 'eu-west-1' });
  deployment = { connector, aws, where: 'aws', output: (name: string) => name } as never;
  [shop, other] = connector.shops as [Shop, Shop];
});
afterEach(() => new Promise((resolve) => server.close(resolve)));
const place = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const channel = (currency = 'EUR') => ({
  activeChannel: { code: '__default_channel__', token: 'the-token', defaultCurrencyCode: currency },
});

describe('the secrets of a Vendure shop', () => {
  it('are an API key, or a user name with a password that a person chose', () => {
    const fault = (fields: object) => faultIn('store', fields as never, shop);
    expect(fault({ apiKey: 'key' })).toBeUndefined();
    expect(fault({ username: 'connector', password: 'as I like it' })).toBeUndefined();
    expect(fault({ username: 'connector' })).toMatch(/^password/);
    expect(fault({})).toMatch(/^apiKey/);
    expect(fault({ clientId: 'x', clientSecret: 'y' })).toMatch(/not a field.*apiKey, username/);
    expect(faultIn('store', { apiKey: 'key' }, other)).toMatch(/not a field/);
  });

  it('are asked for until nothing more is needed', async () => {
    const ask = (given: Readonly<Record<string, string>>) =>
      askFields(fieldsOf('store', shop), async ({ field }) => given[field] ?? '');
    expect(await ask({ apiKey: 'key' })).toEqual({ apiKey: 'key' });
    const login = { username: 'connector', password: 'secret' };
    expect(await ask(login)).toEqual(login);
  });

  it('are named all at once where nobody can be asked, with what may be given instead', () => {
    const missing = (...names: readonly string[]) => {
      const given = Object.fromEntries(names.map((name) => [`CONNECTOR_${name}`, 'x']));
      const fields = missingIn(fieldsOf('store', shop), given);
      return fields.map(({ variable }) => variable.replace('CONNECTOR_VENDURE_', ''));
    };
    expect(missing()).toEqual(['API_KEY', 'USERNAME', 'PASSWORD']);
    expect(missing('VENDURE_USERNAME')).toEqual(['API_KEY', 'PASSWORD']);
    expect(missing('VENDURE_API_KEY')).toEqual([]);
    expect(missing('VENDURE_USERNAME', 'VENDURE_PASSWORD')).toEqual([]);
    const [signing] = missingIn(fieldsOf('webhook', shop), {});
    expect(signing?.variable).toBe('CONNECTOR_PLUGIN_SECRET');
  });

  it('are tried at the server before they are stored, and repeated in no message', async () => {
    answer = (_query, _filter, key) =>
      key === 'right'
        ? { data: channel() }
        : { errors: [{ extensions: { code: 'FORBIDDEN' } }], data: null };
    const tried = (apiKey: string) => tryCredentials(deployment, shop, 'store', { apiKey });
    expect(await tried('right')).toBeUndefined();
    const refused = await tried('wrong-key');
    expect(refused).toMatch(/admin-api refuses the connector \(forbidden\).*ReadOrder/);
    expect(refused).not.toContain('wrong-key');
    answer = () => ({ data: { login: { __typename: 'InvalidCredentialsError' } } });
    const login = { username: 'nobody', password: 'a-password' };
    const unknown = await tryCredentials(deployment, shop, 'store', login);
    expect(unknown).toMatch(/\(unauthorized\)\. The user name or the password is wrong/);
    expect(unknown).not.toMatch(/ReadOrder|a-password/);
  });
});

describe('the server of a Vendure shop', () => {
  /** Of a shop with these settings, as `doctor` shows it. */
  async function look(changes: Partial<Shop['vendure']> = {}): Promise<readonly Finding[]> {
    const vendure = shop.vendure && { ...shop.vendure, ...changes };
    const open = openShopServices(deployment);
    const asked = (one: Shop) => open.asked(one, { apiKey: 'key' });
    const services = () => ({ ...open, asked });
    return serverCheck({ services, shops: [{ ...shop, vendure }] }).look();
  }

  it('passes where its channel can be read and counts as the settings say', async () => {
    answer = () => ({ data: channel() });
    expect(await look()).toMatchObject([{ verdict: 'pass' }, { verdict: 'pass' }]);
    expect(await look({ channel: 'the-token' })).toMatchObject([{ verdict: 'pass' }, {}]);
    const other = { verdict: 'fail', fix: expect.stringContaining('its code') };
    expect(await look({ channel: 'another' })).toMatchObject([other]);
    answer = () => ({ data: channel('USD') });
    const wrong = { verdict: 'fail', fix: expect.stringContaining("to 'USD'") };
    expect(await look()).toMatchObject([wrong]);
  });

  it('is asked by "resume" whether it takes the credentials', async () => {
    const asked = (one: Shop) => openShopServices(deployment).asked(one, { apiKey: 'key' });
    const deps = { shops: [shop], services: () => ({ asked }) } as unknown as ShopDeps;
    const verdict = async () => (await serverCheck(deps).look()).map((one) => one.verdict);
    answer = () => ({ data: channel() });
    expect(await verdict()).toEqual(['pass', 'pass']);
    answer = () => ({ errors: [{ extensions: { code: 'FORBIDDEN' } }], data: null });
    expect(await verdict()).toEqual(['fail']);
    answer = () => ({});
    expect(await verdict()).toEqual(['unknown']);
  });

  it('fails with the fix where a person must act', async () => {
    const refuse = (code: string) => {
      answer = () => ({ errors: [{ extensions: { code } }], data: null });
    };
    refuse('FORBIDDEN');
    const permissions = 'ReadOrder, ReadCustomer, ReadCatalog and ReadPromotion';
    const fix = expect.stringMatching(`key is wrong.*${permissions}`);
    const refused = { verdict: 'fail', fix, next: [{}] };
    expect(await look()).toMatchObject([refused]);
    const denied = { errors: [{ extensions: { code: 'FORBIDDEN' } }], data: null };
    for (const list of ['orders(', 'customers(', 'products(', 'promotions(']) {
      answer = (query) => (query.includes(list) ? denied : { data: channel() });
      expect(await look()).toMatchObject([refused]);
    }
    refuse('CHANNEL_NOT_FOUND');
    const [found] = await look();
    expect(found).toMatchObject({ fix: expect.stringContaining('vendure.channel') });
    expect(found).not.toHaveProperty('next');
  });

  it('is not known where it did not answer, and fails where another program did', () => {
    const settings = { adminApi: 'x', channel: undefined, currency: 'EUR' };
    const judge = (why: string) => judgeServer({ kind: 'unavailable', why }, settings);
    const refused = judgeServer(
      { kind: 'unavailable', why: 'unauthorized', misconfigured: true },
      settings,
    );
    expect(refused).toMatchObject([{ fix: expect.stringContaining('password'), isRefused: true }]);
    expect(judge('not-the-api')).toMatchObject([{ verdict: 'fail' }]);
    const older = { kind: 'unavailable', why: 'query-refused', queryRefused: true } as const;
    expect(judgeServer(older, settings)).toMatchObject([
      { verdict: 'fail', fix: expect.stringContaining('Vendure 3') },
    ]);
    expect(judge('time-out')).toMatchObject([{ verdict: 'unknown' }]);
    expect(judge('connection')).toMatchObject([
      { verdict: 'unknown', what: 'there is no connection to x' },
    ]);
  });
});

describe('what only a Shopify shop has', () => {
  it('is refused for a Vendure shop in plain words, whichever command asks', () => {
    const said = /shop\.example\.com runs on Vendure, and this command is for Shopify shops/;
    const ask = () => requireShopify(shop);
    expect(ask).toThrow(BadArguments);
    expect(ask).toThrow(said);
    expect(requireShopify(other)).toBe(other);
  });

  it('is no step of its set-up, and no passed check', async () => {
    const setup = { deps: { where: 'aws', session: {} }, deployment, shop, isOnly: true };
    const titles = [...shopSteps(setup as never, checksByPlatform.checksOf(shop))].map(
      ({ title }) => title,
    );
    expect(titles).toEqual([
      ...['Secrets', 'Vendure server', 'Loyalty service', 'Address for events'],
    ]);
    const services = () => openShopServices(deployment);
    const deps: ShopDeps = { deployment, services, shops: [shop] };
    const terminal = { progress: () => ({ report: () => {}, end: () => {} }) };
    const session = { terminal, beginChange: async () => ({ count: () => {} }) };
    const check = subscriptionsCheck(deps, {}, session as never);
    expect(await check.look()).toMatchObject([
      { verdict: 'info', what: expect.stringMatching(/nothing to subscribe to.*loyalty_outbox/) },
    ]);
    expect(await check.fix?.([])).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('is no secret of an older app', async () => {
    const session = { findDeployment: async () => deployment } as never;
    const options = { shop: shop.domain, olderApp: true };
    const refused = '--older-app is for an app, and shop.example.com has none.';
    await expect(setSecret(session, options, 'store')).rejects.toThrow(refused);
  });
});

it('is looked at by the checks of its own platform, beside shops of another', async () => {
  const looked: string[] = [];
  const look = async (one: Shop) => {
    looked.push(one.domain);
    return [{ verdict: 'pass', what: 'it can be read' }];
  };
  const services = () => ({ asked: (one: Shop) => ({ look: () => look(one) }) });
  const shops = [other, shop];
  const server = checksByPlatform.storeChecks({ deployment, services, shops } as never).at(-1);
  expect(await server?.look()).toMatchObject([{ verdict: 'pass', shop: shop.domain }]);
  expect(looked).toEqual([shop.domain]);
});

it('is probed as its plugin signs, with an event that is not queued', async () => {
  answer = () => ({});
  await postDelivery(place(), vendureCommands.probe(shop.domain, 'the-secret', new Date()));
  const [sent] = asked;
  if (!sent) throw new Error('nothing was sent');
  const check = (secret: string) =>
    vendureDeliveries.check(sent, { current: secret, previous: undefined });
  expect([check('the-secret'), check('another')]).toEqual(['current', 'invalid']);
  expect(vendureDeliveries.identify(sent, shop.domain)).toMatchObject({
    kind: 'not-ours',
    isProbe: true,
  });
});

describe('what a text may mean in a Vendure shop', () => {
  const items: Readonly<Record<string, readonly object[]>> = {
    orders: [{ id: '12', code: 'ABC' }],
    products: [{ id: '12', name: 'Hat' }],
    customers: [{ id: '12' }],
  };
  /** A server that has one of each, and finds it by the filters of `hits`. */
  function world(...hits: readonly string[]) {
    answer = (query, filter) => {
      const [name = ''] = Object.keys(items).filter((one) => query.includes(`${one}(`));
      const isHit = hits.includes(`${name} ${JSON.stringify(filter)}`);
      return { data: { [name]: { items: isHit ? items[name] : [] } } };
    };
    const services = openShopServices(deployment);
    const asked = (one: Shop) => services.asked(one, { apiKey: 'key' });
    const store = { readCoupon: async () => ({ kind: 'gone' }) as const };
    const ledger = { readMany: async () => new Map() };
    return { ledger, services: { ...services, asked, store } };
  }
  const find = async (text: string, ...hits: readonly string[]) =>
    (await findAny(text, world(...hits), [shop])).hits.map(({ kind, id, name }) => [
      kind,
      id,
      name,
    ]);

  it('is the code of an order, the name of a product, or the address of a customer', async () => {
    expect(await find('ABC', 'orders {"code":{"eq":"ABC"}}')).toEqual([['order', '12', 'ABC']]);
    const named = 'products {"name":{"contains":"Hat"}}';
    expect(await find('Hat', named)).toEqual([['product', '12', 'Hat']]);
    const address = 'customers {"emailAddress":{"eq":"robin@example.com"}}';
    expect(await find('Robin@example.com', address)).toEqual([['customer', '12', null]]);
  });

  it('is an id, which may be as short as any number', async () => {
    const ids = Object.keys(items).map((name) => `${name} {"id":{"eq":"12"}}`);
    expect(await find('12', ...ids)).toEqual([
      ['order', '12', 'ABC'],
      ['product', '12', 'Hat'],
      ['customer', '12', null],
    ]);
    const searched = { ...world(), shop };
    expect(await findEntity('order', '12', searched)).toMatchObject([{ kind: 'order', id: '12' }]);
  });

  it('is a problem in words where the server cannot be asked', async () => {
    const deps = world();
    answer = () => ({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    await expect(findAny('ABC', deps, [shop])).rejects.toThrow('could not be read (forbidden)');
    // Also where only one kind may not be read.
    answer = (query) =>
      query.includes('customers(')
        ? { errors: [{ extensions: { code: 'FORBIDDEN' } }] }
        : { data: { orders: { items: [] } } };
    await expect(findAny('12', deps, [shop])).rejects.toThrow('could not be read (forbidden)');
  });

  it('is a customer, whose newest orders are shown', async () => {
    const searched = { ...world(), shop };
    const orders = { items: [{ id: '12', code: 'ABC' }] };
    answer = () => ({ data: { customer: { orders } } });
    expect(await ordersOf('7', searched)).toMatchObject([{ kind: 'order', id: '12', name: 'ABC' }]);
    expect(JSON.parse(String(asked.at(-1)?.body)).variables).toEqual({
      id: '7',
      options: { take: 10, sort: { id: 'DESC' } },
    });
  });
});

it('counts what a backfill would send, and never takes a refusal for nothing', async () => {
  const services = openShopServices(deployment);
  const { count } = services.asked(shop, { apiKey: 'key' });
  const filters: unknown[] = [];
  answer = (_query, filter) => {
    filters.push(filter);
    return { data: { list: { totalItems: 7 } } };
  };
  const [from, until] = ['2026-11-01T00:00:00.000Z', '2026-11-17T00:00:00.000Z'];
  const span = { from: Date.parse(from), until: Date.parse(until) };
  for (const kind of ['order', 'product', 'discount'] as const) {
    expect(await count(kind, span)).toEqual({ kind: 'found', value: 7 });
  }
  expect(filters).toEqual([
    { active: { eq: false }, orderPlacedAt: { between: { start: from, end: until } } },
    {},
    { couponCode: { isNull: false } },
  ]);
  answer = () => ({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  expect(await count('order', span)).toMatchObject({ kind: 'unavailable', why: 'forbidden' });
});

it('names orders by their codes and products by their names', async () => {
  answer = (query) =>
    query.includes('orders(')
      ? { data: { orders: { items: [{ id: '7', code: 'ABC' }] } } }
      : { data: { products: { items: [{ id: '7', name: 'Hat' }] } } };
  const services = openShopServices(deployment);
  const ask = (one: Shop) => services.asked(one, { apiKey: 'key' });
  const named = [
    { kind: 'order', id: '7' },
    { kind: 'product', id: '7' },
    { kind: 'member', id: '7' },
  ];
  const names = await readNames({ asked: ask }, shop, named);
  expect([...names]).toEqual([
    ['order 7', 'ABC'],
    ['product 7', 'Hat'],
  ]);
  // All of them, however many are listed for a person.
  for (const { body } of asked) {
    expect(JSON.parse(String(body)).variables).toEqual({
      options: { filter: { id: { in: ['7'] } } },
    });
  }
});
