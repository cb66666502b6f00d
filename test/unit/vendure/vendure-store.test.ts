import { afterAll, beforeAll, expect, it } from 'vitest';
import { vendureHealing } from '../../../shared/vendure/healing.ts';
import {
  createVendureStore,
  type VendureStoreSettings,
} from '../../../shared/vendure/vendure-store.ts';
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
const SETTINGS = { channel: undefined, currency: 'EUR', precision: 2, changeDays: 60 };
type Secret = ReturnType<VendureStoreSettings['shop']>['secret'];
const secretOf = (value: Awaited<ReturnType<Secret['get']>>): Secret => ({
  get: async () => value,
  refresh: async () => value,
});
const shopOf = () => ({ ...SETTINGS, address: server.url, secret: secretOf(credentials) });
const open = (pageSize = 4) => createVendureStore({ shop: shopOf, pageSize });

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
    const isAsked = (one: Record<string, unknown>) =>
      ['id', 'aggregateOrderId'].every((field) => {
        const { in: some, notIn } = filter?.[field] ?? {};
        return (some?.includes(one[field]) ?? true) && !notIn?.includes(one[field]);
      });
    const all = lists[name]?.filter((one) => isAsked(one as Record<string, unknown>));
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

it('looks for what is absent among its own kind', async () => {
  serve({ orders: [{ id: '1' }], products: [{ id: '2' }], promotions: [{ id: '3' }] });
  const absent = async (kind: 'order' | 'product' | 'discount') => {
    const answer = await open().findAbsent(SHOP, kind, ['1', '2', '3']);
    return answer.kind === 'found' ? [...answer.value] : answer;
  };
  expect(await absent('order')).toEqual(['2', '3']);
  expect(await absent('product')).toEqual(['1', '3']);
  expect(await absent('discount')).toEqual(['1', '2']);
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

/** A part of the order 12, of one seller. */
const part = (id: string, state: string) => ({
  ...{ ...order, id, type: 'Seller', aggregateOrderId: '12' },
  lines: [{ id: `line-${id}`, quantity: 1 }],
  fulfillments: [{ state, updatedAt: order.updatedAt, lines: [parcelLine(id)] }],
});
const parcelLine = (id: string) => ({ orderLineId: `line-${id}`, quantity: 1 });

it('reads an order of several sellers with what each of them has sent, alone and in a list', async () => {
  const whole = { ...order, type: 'Aggregate' };
  for (const [state, expected] of [
    ['Shipped', 'fulfilled'],
    ['Pending', 'partial'],
  ] as const) {
    const orders = [whole, part('13', 'Shipped'), part('14', state)];
    serve({ orders, customers: [{ id: '7' }] }, { order: whole });
    const page = await open().changedOrders(SHOP, SPAN);
    if (page.kind !== 'found') throw new Error(page.why);
    const listed = page.value.changed.map(({ value }) => value?.fulfillmentStatus);
    expect(listed).toEqual([expected]);
    const value = expect.objectContaining({ fulfillmentStatus: expected });
    expect(await open().readOrder(SHOP, '12')).toEqual({ kind: 'found', value });
  }
});

it('knows nothing of an order or a code while a part of it cannot be read', async () => {
  const whole = { ...order, type: 'Aggregate' };
  const failing = (name: string) => {
    serve({ orders: [whole], customers: [{ id: '7' }], promotions: [] }, { order: whole });
    const { script } = server;
    server.script = (response, socket) => {
      const isAsked = server.received.at(-1)?.body.includes(name);
      (isAsked ? answering(503, '') : script)(response, socket);
    };
  };
  const unavailable = { kind: 'unavailable', why: 'server-error' };
  for (const question of ['customers(', '"aggregateOrderId":']) {
    failing(question);
    expect(await open().readOrder(SHOP, '12')).toEqual(unavailable);
    expect(await open().changedOrders(SHOP, SPAN)).toEqual(unavailable);
  }
  failing('promotions(');
  expect(await open().readCoupon(SHOP, 'SUMMER')).toEqual(unavailable);
  failing('products(');
  expect(await open().findAbsent(SHOP, 'product', ['1'])).toEqual(unavailable);
});

it('dates everything before it is read, so that what changes meanwhile counts as later', async () => {
  const promotion = {
    ...{ id: '5', name: 'Ten', enabled: true, couponCode: 'TEN', startsAt: null, endsAt: null },
    ...{ createdAt: '2026-11-01T00:00:00.000Z', usageLimit: null, perCustomerUsageLimit: null },
    ...{ conditions: [], actions: [] },
  };
  const [product] = products(12);
  const { customer } = order;
  serve(
    { orders: [order], products: [product], promotions: [promotion], customers: [customer] },
    { order, product, customer },
  );
  const { script } = server;
  let seconds = 0;
  server.script = (response, socket) => {
    seconds += 1;
    script(response, socket);
  };
  const store = createVendureStore({ shop: shopOf, now: () => new Date(seconds * 1_000) });
  const reads = {
    order: () => store.readOrder(SHOP, '12'),
    product: () => store.readProduct(SHOP, '12'),
    coupon: () => store.readCoupon(SHOP, 'TEN'),
    member: () => store.readMember(SHOP, '7'),
  };
  for (const read of Object.values(reads)) {
    const updatedAt = new Date(seconds * 1_000).toISOString();
    expect(await read()).toMatchObject({ kind: 'found', value: { updatedAt } });
  }
  expect(vendureHealing.versionsAreReadings).toEqual(Object.keys(reads));
  for (const scan of ['changedOrders', 'changedProducts', 'changedMembers'] as const) {
    const updatedAt = new Date(seconds * 1_000).toISOString();
    const page = await store[scan](SHOP, SPAN);
    if (page.kind !== 'found') throw new Error(page.why);
    expect(page.value.changed).toMatchObject([{ updatedAt, value: { updatedAt } }]);
  }
});

it('lists all orders that may still change, or those of a span, and customers by their change', async () => {
  const asked = () => JSON.parse(server.received.at(-1)?.body ?? '').variables.options;
  const [from, until] = ['2026-11-10T00:00:00.000Z', '2026-11-17T00:00:00.000Z'];
  const span = { from: Date.parse(from), until: Date.parse(until) };
  const sort = { orderPlacedAt: 'ASC', id: 'ASC' };
  const placed = (start: string) => ({
    filter: { active: { eq: false }, orderPlacedAt: { between: { start, end: until } } },
    sort,
  });
  serve({ orders: [], customers: [] });
  await open().changedOrders(SHOP, span);
  // 60 days before the end of the span.
  expect(asked()).toMatchObject(placed('2026-09-18T00:00:00.000Z'));
  const long = { ...span, from: Date.parse('2026-01-01T00:00:00.000Z') };
  await open().changedOrders(SHOP, long);
  expect(asked()).toMatchObject(placed('2026-01-01T00:00:00.000Z'));
  await open().changedOrders(SHOP, { ...span, by: 'creation' });
  expect(asked()).toMatchObject(placed(from));
  await open().changedMembers(SHOP, span);
  expect(asked()).toMatchObject({
    filter: { updatedAt: { between: { start: from, end: until } } },
    sort: { updatedAt: 'ASC', id: 'ASC' },
  });
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
    [[{ ...live, startsAt: '2999-01-01T00:00:00.000Z' }, copy], '1', 'scheduled'],
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

it('asks each shop in its own channel, with its own key', async () => {
  const store = createVendureStore({
    shop: (domain) => {
      const secret = secretOf({ kind: 'api-key', apiKey: `key of ${domain}` });
      return { ...shopOf(), secret, channel: domain === 'all' ? undefined : `token of ${domain}` };
    },
  });
  serve({}, { product: null });
  const asked = async (domain: string) => {
    expect(await store.readProduct(domain, '1')).toEqual({ kind: 'gone' });
    const { headers } = server.received.at(-1) ?? {};
    return [headers?.['vendure-token'], headers?.['vendure-api-key']];
  };
  expect(await asked('b2b')).toEqual(['token of b2b', 'key of b2b']);
  expect(await asked('all')).toEqual([undefined, 'key of all']);
  expect(await asked('b2b')).toEqual(['token of b2b', 'key of b2b']);
});

const failed = (code: string, data = 'null') =>
  `{"errors":[{"extensions":{"code":"${code}"}}],"data":${data}}`;

it.each([
  // With what could be read besides: null is not an answer then.
  [200, failed('INTERNAL_SERVER_ERROR', '{"product":null}'), { why: 'server-error' }],
  [200, '{"errors":[{"message":"no"}],"data":{"product":null}}', { why: 'server-error' }],
  [200, '{"data":null}', { why: 'server-error' }],
  [200, failed('CHANNEL_NOT_FOUND'), { why: 'unknown-channel', misconfigured: true }],
  [400, failed('GRAPHQL_VALIDATION_FAILED'), { why: 'query-refused', queryRefused: true }],
  [400, failed('BAD_USER_INPUT'), { why: 'query-refused', queryRefused: true }],
  [200, failed('UNAUTHORIZED'), { why: 'forbidden', misconfigured: true }],
  [401, '', { why: 'forbidden', misconfigured: true }],
  [403, '', { why: 'forbidden', misconfigured: true }],
  [429, '', { why: 'throttled', afterSeconds: 7 }],
  [503, '', { why: 'server-error', afterSeconds: 7 }],
])('an answer %i %s is not taken for a product that is gone', async (status, text, expected) => {
  server.script = answering(status, text, { 'retry-after': '7' });
  expect(await open().readProduct(SHOP, '1')).toEqual({ kind: 'unavailable', ...expected });
});

it.each([
  ['unreachable', { why: 'credentials-unreachable' }],
  ['unusable', { why: 'no-credentials', misconfigured: true }],
] as const)('a secret that is %s is no answer of the store', async (secret, expected) => {
  const store = createVendureStore({
    shop: () => ({ ...shopOf(), secret: secretOf(secret) }),
  });
  expect(await store.readProduct(SHOP, '1')).toEqual({ kind: 'unavailable', ...expected });
});

it('asks once more where the server ended a kept connection, and not at all when its time is over', async () => {
  serve({}, { product: null });
  const { script } = server;
  const store = open();
  expect(await store.readProduct(SHOP, '1')).toEqual({ kind: 'gone' });
  server.script = (_, socket) => {
    server.script = script;
    socket.destroy();
  };
  expect(await store.readProduct(SHOP, '1')).toEqual({ kind: 'gone' });
  const over = store.until(AbortSignal.abort());
  expect(await over.readProduct(SHOP, '1')).toMatchObject({ kind: 'unavailable' });
});

const openWithLogin = (...passwords: readonly string[]) => {
  const secrets = passwords.map(
    (password) => ({ kind: 'login', username: 'connector', password }) as const,
  );
  const secret = (index: number) => secrets[index] ?? 'unusable';
  return createVendureStore({
    shop: () => ({
      ...shopOf(),
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

it('logs in again when the server has forgotten the session', async () => {
  let token = 'first';
  server.script = (response, socket) => {
    const { body = '', headers } = server.received.at(-1) ?? {};
    const isKnown = headers?.authorization === `Bearer ${token}`;
    if (body.includes('login(')) {
      answering(200, '{"data":{}}', { 'vendure-auth-token': token })(response, socket);
    } else
      answering(200, isKnown ? '{"data":{"product":null}}' : failed('FORBIDDEN'))(response, socket);
  };
  const store = openWithLogin('long');
  expect(await store.readProduct(SHOP, '1')).toEqual({ kind: 'gone' });
  token = 'second';
  expect(await store.readProduct(SHOP, '1')).toEqual({ kind: 'gone' });
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
