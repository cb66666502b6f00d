import { afterAll, beforeAll, expect, it } from 'vitest';
import { createVendureStore } from '../../../shared/vendure/vendure-store.ts';
import {
  answering,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server.ts';

const SHOP = 'vendure.example.com';
const SPAN = { from: undefined, until: Date.parse('2026-11-17T12:00:00.000Z') };

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer();
});
afterAll(() => server.stop());

const credentials = { kind: 'api-key', apiKey: 'key-of-this-test' } as const;
const open = (pageSize = 4) =>
  createVendureStore({
    shop: () => ({
      ...{ address: server.url, channel: undefined, currency: 'EUR', precision: 2, changeDays: 60 },
      secret: { get: async () => credentials, refresh: async () => credentials },
    }),
    pageSize,
  });

const TOO_LONG = '{"errors":[{"extensions":{"code":"USER_INPUT_ERROR"}}],"data":null}';

/** Lists by their names in a query, and things by theirs. The server lists no more than `most` at once. */
function serve(
  lists: Record<string, unknown[]>,
  things: Record<string, unknown> = {},
  most = 1_000,
): void {
  server.script = (response, socket) => {
    const { query, variables } = JSON.parse(server.received.at(-1)?.body ?? '');
    const { skip = 0, take = most, filter } = variables.options ?? {};
    if (take > most) return answering(200, TOO_LONG)(response, socket);
    const name = /\{ (\w+)\(/.exec(query)?.[1] ?? '';
    const ids: { in?: string[]; notIn?: string[] } = filter?.id ?? {};
    const isAsked = (id: string) => (ids.in?.includes(id) ?? true) && !ids.notIn?.includes(id);
    const all = lists[name]?.filter((one) => isAsked((one as { id: string }).id));
    const list = all && { totalItems: all.length, items: all.slice(skip, skip + take) };
    answering(200, JSON.stringify({ data: { [name]: list ?? things[name] } }))(response, socket);
  };
}

const products = (...ids: readonly number[]) =>
  ids.map((id) => ({
    ...{ id: String(id), name: 'Mug', slug: 'mug', enabled: true, featuredAsset: null },
    ...{ facetValues: [], collections: [], variantList: { items: [] } },
  }));

async function scan(between: (page: number) => void, pageSize = 4) {
  const store = open(pageSize);
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const answer = await store.changedProducts(SHOP, SPAN, after);
    if (answer.kind !== 'found') throw new Error(answer.why);
    pages.push(answer.value.changed.map(({ id }) => id));
    after = answer.value.next;
    between(pages.length);
  } while (after !== undefined && pages.length < 9);
  return pages.map((ids) => ids.join(' '));
}

it('reads all once while nothing is deleted', async () => {
  serve({ products: products(1, 2, 3, 4, 5, 6, 7, 8) });
  expect(await scan(() => {})).toEqual(['1 2 3 4', '5 6 7', '8']);
  serve({ products: products(1, 2, 3, 4) });
  expect(await scan(() => {})).toEqual(['1 2 3 4']);
  serve({ products: [] });
  expect(await scan(() => {})).toEqual(['']);
});

it.each([
  ['one', [2, 3, 4, 5, 6, 7], ['1 2 3 4', '5', '6 7']],
  ['all but the last', [4, 5, 6, 7], ['1 2 3 4', '5 6 7']],
  // No place is left to go on from.
  ['the last', [1, 2, 3, 5, 6, 7], ['1 2 3 4', '1 2 3 5', '6 7']],
])('skips nothing after %s of a page was deleted', async (_, left, expected) => {
  serve({ products: products(1, 2, 3, 4, 5, 6, 7) });
  const pages = await scan((page) => {
    if (page === 1) serve({ products: products(...left) });
  });
  expect(pages).toEqual(expected);
});

it('reads all of a server that lists fewer at once, with and without deletions', async () => {
  const serveFew = (...ids: number[]) => serve({ products: products(...ids) }, {}, 3);
  serveFew(1, 2, 3, 4, 5);
  expect(await scan(() => {})).toEqual(['1 2', '3', '4', '5']);
  serve({ products: products(1, 2, 3) }, {}, 2);
  expect(await scan(() => {}, 6)).toEqual(['1 2', '3']);
  const pages = await scan((page) => serveFew(...(page === 2 ? [3, 4, 5] : [1, 2, 3, 4, 5])));
  expect(pages.join(' ')).toMatch(/1 2 3.* 4 5$/);
  const asked = ['1', '2', '3', '4', '5', '6', '7', '8'];
  serveFew(1, 2, 4, 5, 6, 7, 8);
  const value = new Set(['3']);
  expect(await open().findAbsent(SHOP, 'product', asked)).toEqual({ kind: 'found', value });
  serve({ products: products(1) }, {}, 1);
  expect(await open().changedProducts(SHOP, SPAN)).toMatchObject({ kind: 'unavailable' });
});

const order = {
  ...{ id: '12', code: 'GUEJZ5ESJ2RN7WN9', state: 'PaymentSettled', active: false },
  ...{ orderPlacedAt: '2026-11-15T10:00:00.000Z', updatedAt: '2026-11-15T10:00:00.000Z' },
  ...{ currencyCode: 'EUR', couponCodes: [], surcharges: [], lines: [], payments: [] },
  ...{ subTotal: 0, subTotalWithTax: 0, shippingWithTax: 0, totalWithTax: 0 },
  ...{ modifications: [], fulfillments: [] },
  customer: {
    ...{ id: '7', firstName: 'Robin', lastName: 'W', emailAddress: 'robin@example.com' },
    ...{ phoneNumber: '', createdAt: '2026-11-01T00:00:00.000Z' },
  },
};

it('reads an order without its customer once they were deleted', async () => {
  const read = async () => {
    const store = open();
    const page = await store.changedOrders(SHOP, SPAN);
    const one = await store.readOrder(SHOP, '12');
    if (page.kind !== 'found' || one.kind !== 'found') throw new Error('not found');
    return [one.value, page.value.changed[0]?.value].map((value) => value?.customer?.email);
  };
  serve({ orders: [order], customers: [{ id: '7' }] }, { order });
  expect(await read()).toEqual(['robin@example.com', 'robin@example.com']);
  serve({ orders: [order], customers: [] }, { order });
  expect(await read()).toEqual([undefined, undefined]);
});

it('lists a promotion that has lost its code, so that the code is ended', async () => {
  const promotion = {
    ...{ id: '5', name: 'Ten', enabled: true, couponCode: '', startsAt: null, endsAt: null },
    ...{ createdAt: '2026-11-01T00:00:00.000Z', usageLimit: null, perCustomerUsageLimit: null },
    ...{ conditions: [], actions: [] },
  };
  serve({ promotions: [promotion] });
  const page = await open().changedDiscounts(SHOP, SPAN);
  if (page.kind !== 'found') throw new Error(page.why);
  const value = { automatic: true, coupons: [] };
  expect(page.value.changed).toEqual([expect.objectContaining({ id: '5', value })]);
  expect(server.received.at(-1)?.body).not.toContain('"filter"');
});

it('a code that several promotions have is what the one in force says', async () => {
  const promotion = (id: string, couponCode: string, enabled: boolean) => ({
    ...{ id, name: 'Ten', enabled, couponCode, startsAt: null, endsAt: null },
    ...{ createdAt: '2026-11-01T00:00:00.000Z', usageLimit: null, perCustomerUsageLimit: null },
    ...{ conditions: [], actions: [] },
  });
  // Duplicated on the admin page: the copy keeps the code and is switched off.
  const [live, copy] = [promotion('1', 'SUMMER', true), promotion('2', 'SUMMER', false)];
  for (const [all, force, status] of [
    [[live, copy], '1', 'active'],
    [[promotion('1', 'SUMMER', false), promotion('2', 'SUMMER', true)], '2', 'active'],
    [[promotion('1', 'SUMMER', false), copy], '2', 'expired'],
  ] as const) {
    serve({ promotions: [...all] }, { promotion: all[1] });
    const coupon = expect.objectContaining({ code: 'SUMMER', discountId: force, status });
    const value = { automatic: false, coupons: [coupon] };
    expect(await open().readCoupon(SHOP, 'SUMMER')).toEqual({ kind: 'found', value: coupon });
    expect(await open().readDiscount(SHOP, '2')).toEqual({ kind: 'found', value });
    const page = await open().changedDiscounts(SHOP, SPAN);
    if (page.kind !== 'found') throw new Error(page.why);
    expect(page.value.changed.map(({ id, value: read }) => [id, read])).toEqual([
      ['1', value],
      ['2', value],
    ]);
  }
});

it('reads an order of another channel, which is in another currency, as such', async () => {
  const other = { ...order, currencyCode: 'USD' };
  serve({ orders: [order, { ...other, id: '13' }], customers: [{ id: '7' }] }, { order: other });
  const store = open();
  const one = await store.readOrder(SHOP, '12');
  expect(one).toMatchObject({ kind: 'found', value: { ofOtherCurrency: true, currency: 'USD' } });
  const page = await store.changedOrders(SHOP, SPAN);
  if (page.kind !== 'found') throw new Error(page.why);
  const read = page.value.changed.map(({ value }) => value?.ofOtherCurrency);
  expect(read).toEqual([undefined, true]);
});

const openWithLogin = (...passwords: readonly string[]) => {
  const secrets = passwords.map(
    (password) => ({ kind: 'login', username: 'connector', password }) as const,
  );
  const secret = (index: number) => secrets[index] ?? 'unusable';
  return createVendureStore({
    shop: () => ({
      ...{ address: server.url, channel: undefined, currency: 'EUR', precision: 2, changeDays: 60 },
      secret: { get: async () => secret(0), refresh: async () => secret(passwords.length - 1) },
    }),
  });
};

it('logs in once for calls at the same time, and again after a login that failed', async () => {
  const store = openWithLogin('long');
  const logins = () => server.received.filter(({ body }) => body.includes('login(')).length;
  const before = logins();
  server.script = answering(200, '{}');
  const refused = await Promise.all(['1', '2'].map((id) => store.readProduct(SHOP, id)));
  expect(refused.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
  expect(logins()).toBe(before + 1);
  server.script = answering(200, '{"data":{"product":null}}', { 'vendure-auth-token': 'token' });
  const read = await Promise.all(['1', '2', '3'].map((id) => store.readProduct(SHOP, id)));
  expect(read.map(({ kind }) => kind)).toEqual(['gone', 'gone', 'gone']);
  expect(logins()).toBe(before + 2);
});

it.each([
  [503, '', 'server-error'],
  [429, '', 'throttled'],
  [404, '<html>', 'not-the-api'],
  [200, '<html>', 'not-the-api'],
])(
  'a login that is answered %i %s is trouble of the server, not a refusal',
  async (status, text, why) => {
    server.script = answering(status, text);
    const read = await openWithLogin('long').readProduct(SHOP, '1');
    expect(read).toEqual({ kind: 'unavailable', why });
  },
);

it('a login that is refused takes the password that was stored since', async () => {
  const NO = '{"data":{"login":{"__typename":"InvalidCredentialsError"}}}';
  server.script = (response, socket) => {
    const body = server.received.at(-1)?.body ?? '';
    const isRefused = body.includes('login(') && !body.includes('"new"');
    const token = { 'vendure-auth-token': 'token' };
    answering(
      200,
      isRefused ? NO : '{"data":{"product":null}}',
      isRefused ? {} : token,
    )(response, socket);
  };
  expect(await openWithLogin('old', 'new').readProduct(SHOP, '1')).toEqual({ kind: 'gone' });
  expect(await openWithLogin('old').readProduct(SHOP, '1')).toEqual({
    ...{ kind: 'unavailable', why: 'unauthorized', misconfigured: true },
  });
});

it('a login that may not read is told apart from one that is refused', async () => {
  const DENIED = '{"errors":[{"extensions":{"code":"FORBIDDEN"}}],"data":null}';
  server.script = (response, socket) => {
    const isLogin = server.received.at(-1)?.body.includes('login(');
    const token = { 'vendure-auth-token': 'token' };
    answering(200, isLogin ? '{"data":{}}' : DENIED, isLogin ? token : {})(response, socket);
  };
  expect(await openWithLogin('long').readProduct(SHOP, '1')).toEqual({
    ...{ kind: 'unavailable', why: 'forbidden', misconfigured: true },
  });
});
