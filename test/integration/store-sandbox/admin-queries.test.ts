import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { askAdmin } from './ask-admin.ts';

let sandbox: StoreSandbox;
let time = new Date('2026-10-05T09:00:00Z');
const ask = (query: string, variables = {}) => askAdmin(sandbox, query, variables);
const later = (seconds: number) => {
  time = new Date(time.getTime() + seconds * 1000);
};

beforeAll(async () => {
  sandbox = await startStoreSandbox({ now: () => time, settings: { bucketSize: 1_000_000 } });
});
afterAll(() => sandbox.stop());

describe('orders', () => {
  const page = `query Page($after: String, $first: Int, $query: String, $reverse: Boolean) {
    orders(first: $first, after: $after, query: $query, sortKey: UPDATED_AT, reverse: $reverse) {
      nodes { id name updatedAt } pageInfo { hasNextPage endCursor } } }`;
  let names: string[];

  beforeAll(() => {
    const orders = Array.from({ length: 23 }, () => {
      later(1);
      return sandbox.actions.placeRandomOrder();
    });
    names = orders.map(({ number }) => `#${number}`);
  });

  const namesOf = (nodes: { name: string }[]) => nodes.map(({ name }) => name);

  it.each([1, 5, 10, 23, 250])('come whole and once in pages of %i', async (first) => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { data }: Awaited<ReturnType<typeof ask>> = await ask(page, { first, after });
      seen.push(...namesOf(data.orders.nodes));
      after = data.orders.pageInfo.hasNextPage ? data.orders.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(names);
  });

  it('come backwards', async () => {
    const { data: reversed } = await ask(page, { first: 3, reverse: true });
    expect(namesOf(reversed.orders.nodes)).toEqual(names.slice(-3).reverse());
    const { data: next } = await ask(page, {
      first: 3,
      reverse: true,
      after: reversed.orders.pageInfo.endCursor,
    });
    expect(namesOf(next.orders.nodes)).toEqual(names.slice(-6, -3).reverse());
  });

  it('are not skipped or repeated when one of them is deleted or changed meanwhile', async () => {
    const { data: first } = await ask(page, { first: 6 });
    const last = first.orders.nodes.at(-1);
    later(1);
    sandbox.actions.closeOrder({ orderId: last.id.split('/').at(-1) });
    const { data: second } = await ask(page, {
      first: 250,
      after: first.orders.pageInfo.endCursor,
    });
    expect(namesOf(second.orders.nodes)).toEqual([...names.slice(6), last.name]);
    names = [...names.filter((name) => name !== last.name), last.name];
  });

  it('can be searched by when they changed, with any offset, and by state', async () => {
    const { data: all } = await ask(page, { first: 250 });
    const { updatedAt } = all.orders.nodes[10];
    const moved = new Date(Date.parse(updatedAt) + 7_200_000)
      .toISOString()
      .replace('.000Z', '+02:00');
    for (const moment of [updatedAt, moved]) {
      const { data } = await ask(page, { first: 250, query: `updated_at:>='${moment}'` });
      expect(namesOf(data.orders.nodes)).toEqual(names.slice(10));
    }
    const { data: closed } = await ask(page, { first: 5, query: 'status:closed' });
    expect(namesOf(closed.orders.nodes)).toEqual([names.at(-1)]);
    const { data: named } = await ask(page, {
      first: 5,
      query: `name:${names[0]} OR name:${names[2]}`,
    });
    expect(namesOf(named.orders.nodes)).toEqual([names[0], names[2]]);
  });

  it.each([
    [{}, 'one of first or last'],
    [{ first: 251 }, '250'],
    [{ first: -1 }, 'negative'],
    [{ first: 1, after: 'nonsense' }, 'cursor'],
  ])('are refused with the reason for %o', async (variables, reason) => {
    const { data, errors } = await ask(page, variables);
    expect(data).toBeNull();
    expect(errors?.[0]?.message).toContain(reason);
  });

  // What a webhook says too is compared by readers-agree.test.ts, for any order.
  it('show what no webhook has: names, card and metafields', async () => {
    const { products, customers, locations, staff } = sandbox.rows;
    const [product] = products.values();
    const [customer] = customers.values();
    const [location] = locations.values();
    const [person] = staff.values();
    const order = sandbox.actions.placeOrder({
      lines: [{ variantId: product?.variants[0]?.id ?? '', quantity: 3 }],
      customerId: customer?.id ?? null,
      discounts: [{ code: 'WELCOME10' }, { title: 'A kindness', amount: '1.00' }],
      shipping: [{ price: '4.90' }],
      tip: 2,
      pos: { locationId: location?.id ?? '', staffId: person?.id ?? '' },
      payment: 'paid',
      card: { company: 'Visa', methodName: 'Debit' },
      localizedFields: [{ key: 'TAX_CREDENTIAL_BR', value: '000.000.000-00' }],
    });
    sandbox.actions.setMetafield({
      ownerGid: `gid://shopify/Customer/${customer?.id}`,
      namespace: 'custom',
      key: 'birthday',
      value: '1990-01-01',
    });
    const lines = [{ lineId: order.lines[0]?.id ?? '', quantity: 1 }];
    sandbox.actions.refundOrder({ orderId: order.id, lines, shipping: 'all' });
    const { data, errors } = await ask(
      `query($id: ID!) { order(id: $id) {
        currentTotalPriceSet { shopMoney { amount } }
        localizedFields(first: 5) { nodes { key value } }
        retailLocation { name } staffMember { name }
        customer { firstName birthday: metafield(namespace: "custom", key: "birthday") { value } }
        transactions {
          kind amountSet { shopMoney { amount } }
          paymentDetails { ... on CardPaymentDetails { company paymentMethodName } }
        }
        agreements(first: 1) { nodes { sales(first: 5) { nodes { __typename } } } }
      } }`,
      { id: `gid://shopify/Order/${order.id}` },
    );
    expect(errors).toBeUndefined();
    const money = (amount: string) => ({ shopMoney: { amount } });
    const paymentDetails = { company: 'Visa', paymentMethodName: 'Debit' };
    const sales = { nodes: [{ __typename: 'ProductSale' }, { __typename: 'TipSale' }] };
    // 3 × 49 = 147; less 14.70 and 1.00 leaves 131.30; a piece of it is 43.77.
    expect(data.order).toMatchObject({
      currentTotalPriceSet: money('89.53'),
      localizedFields: { nodes: [{ key: 'TAX_CREDENTIAL_BR', value: '000.000.000-00' }] },
      retailLocation: { name: 'Harbour Street' },
      staffMember: { name: 'Kim Counter' },
      customer: { firstName: 'Robin', birthday: { value: '1990-01-01' } },
      transactions: [
        { kind: 'SALE', amountSet: money('138.2'), paymentDetails },
        { kind: 'REFUND', amountSet: money('48.67') },
      ],
      agreements: { nodes: [{ sales }] },
    });
  });
});

describe('products', () => {
  it('have prices, a category and pages', async () => {
    const { data } = await ask(
      `{ products(first: 1) { nodes { id title status vendor productType priceRangeV2 { minVariantPrice { amount } maxVariantPrice { amount } }
          category { id } featuredMedia { preview { image { url } } } } pageInfo { hasNextPage } } productsCount { count } }`,
    );
    expect(data.products.nodes[0]).toMatchObject({
      title: 'Linen Shirt',
      status: 'ACTIVE',
      priceRangeV2: { minVariantPrice: { amount: '49.0' }, maxVariantPrice: { amount: '52.0' } },
      category: { id: expect.stringMatching(/^gid:..shopify.TaxonomyCategory.aa-1-13-/) },
    });
    expect(data.products.pageInfo.hasNextPage).toBe(true);
  });

  it('that were deleted are null, and so is any id of another kind', async () => {
    const product = sandbox.actions.createProduct({ title: 'Gone soon', price: 1 });
    const id = `gid://shopify/Product/${product.id}`;
    const query =
      'query($id: ID!) { product(id: $id) { id } node(id: $id) { id } order(id: $id) { id } }';
    expect((await ask(query, { id })).data).toMatchObject({
      product: { id },
      node: { id },
      order: null,
    });
    sandbox.actions.deleteProduct({ productId: product.id });
    expect((await ask(query, { id })).data).toEqual({ product: null, node: null, order: null });
  });
});

describe('discounts', () => {
  const byCode = `query($code: String!) { codeDiscountNodeByCode(code: $code) { id codeDiscount { __typename
    ... on DiscountCodeBasic { status endsAt usageLimit context { __typename ... on DiscountCustomers { customers { id } } } customerGets { value { __typename ... on DiscountPercentage { percentage } ... on DiscountAmount { amount { amount } } } } codes(first: 5) { nodes { code asyncUsageCount } } } } } }`;

  it('are found by any of their codes, whatever its case, in all four kinds', async () => {
    sandbox.actions.createDiscount({ kind: 'app', codes: ['APPCODE'] });
    const kinds = await Promise.all(
      ['welcome10', 'ShipFree', 'BUY2GET1', 'APPCODE'].map(
        async (code) =>
          (await ask(byCode, { code })).data.codeDiscountNodeByCode.codeDiscount.__typename,
      ),
    );
    expect(kinds).toEqual([
      'DiscountCodeBasic',
      'DiscountCodeFreeShipping',
      'DiscountCodeBxgy',
      'DiscountCodeApp',
    ]);
    expect((await ask(byCode, { code: 'NOSUCH' })).data.codeDiscountNodeByCode).toBeNull();
  });

  it('say who may use them, what they are worth and how often they were used', async () => {
    const [customer] = sandbox.rows.customers.values();
    sandbox.actions.createDiscount({
      codes: ['MINE'],
      amount: '7.50',
      each: true,
      customerIds: [customer?.id ?? ''],
      usageLimit: 3,
    });
    sandbox.actions.placeOrder({
      customerId: customer?.id ?? '',
      lines: [{ title: 'Thing', price: 50 }],
      discounts: [{ code: 'mine' }],
    });
    expect(
      (await ask(byCode, { code: 'MINE' })).data.codeDiscountNodeByCode.codeDiscount,
    ).toMatchObject({
      status: 'ACTIVE',
      usageLimit: 3,
      context: {
        __typename: 'DiscountCustomers',
        customers: [{ id: `gid://shopify/Customer/${customer?.id}` }],
      },
      customerGets: {
        value: { __typename: 'DiscountAmount', amount: { amount: '7.5' } },
      },
      codes: { nodes: [{ code: 'MINE', asyncUsageCount: 1 }] },
    });
  });

  it('expire and start by the clock', async () => {
    const at = (seconds: number) => new Date(time.getTime() + seconds * 1000).toISOString();
    sandbox.actions.createDiscount({
      codes: ['SOON'],
      percentage: 5,
      startsAt: at(60),
      endsAt: at(120),
    });
    const status = async () =>
      (await ask(byCode, { code: 'SOON' })).data.codeDiscountNodeByCode.codeDiscount.status;
    expect(await status()).toBe('SCHEDULED');
    expect(() =>
      sandbox.actions.placeOrder({
        lines: [{ title: 'x', price: 1 }],
        discounts: [{ code: 'SOON' }],
      }),
    ).toThrow('The code SOON is not valid yet.');
    later(60);
    expect(await status()).toBe('ACTIVE');
    sandbox.advanceClock(60);
    expect(await status()).toBe('EXPIRED');
  });

  it('with 10 000 codes come in pages, each code once', async () => {
    const codes = Array.from({ length: 10_000 }, (_, i) => `MANY-${i}`);
    const { id } = sandbox.actions.createDiscount({ codes, percentage: 10 });
    const query = `query($id: ID!, $after: String) { node(id: $id) { ... on DiscountCodeNode { codeDiscount { ... on DiscountCodeBasic { codes(first: 250, after: $after) { nodes { id code } pageInfo { hasNextPage endCursor } } } } } } }`;
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { data }: Awaited<ReturnType<typeof ask>> = await ask(query, {
        id: `gid://shopify/DiscountCodeNode/${id}`,
        after,
      });
      const { codes: connection } = data.node.codeDiscount;
      seen.push(...connection.nodes.map(({ code }: { code: string }) => code));
      after = connection.pageInfo.hasNextPage ? connection.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(codes);
    const search = `query($id: ID!) { node(id: $id) { ... on DiscountCodeNode { codeDiscount { ... on DiscountCodeBasic { codes(first: 5, query: "\\"MANY-7777\\"") { nodes { code } } } } } } }`;
    const { data } = await ask(search, { id: `gid://shopify/DiscountCodeNode/${id}` });
    expect(data.node.codeDiscount.codes.nodes).toEqual([{ code: 'MANY-7777' }]);
  });

  it('that are automatic have a node of their own kind, and deleted ones none', async () => {
    const discount = sandbox.actions.createDiscount({ automatic: true, percentage: 5 });
    const ids = {
      code: `gid://shopify/DiscountCodeNode/${discount.id}`,
      automatic: `gid://shopify/DiscountAutomaticNode/${discount.id}`,
    };
    const query =
      'query($code: ID!, $automatic: ID!) { a: node(id: $code) { id } b: node(id: $automatic) { __typename id } }';
    expect((await ask(query, ids)).data).toMatchObject({
      a: null,
      b: { __typename: 'DiscountAutomaticNode' },
    });
    sandbox.actions.deleteDiscount({ discountId: discount.id });
    expect((await ask(query, ids)).data).toEqual({ a: null, b: null });
  });

  it('are made through the API with named errors for what is wrong', async () => {
    const create = `mutation($input: DiscountCodeBasicInput!) { discountCodeBasicCreate(basicCodeDiscount: $input) { codeDiscountNode { id codeDiscount { ... on DiscountCodeBasic { title tags status } } } userErrors { field code message } } }`;
    const input = {
      title: 'Reward',
      code: 'REWARD1',
      startsAt: '2026-10-01T00:00:00Z',
      tags: ['made-by-us'],
      context: { all: 'ALL' },
      customerGets: { value: { percentage: 0.125 }, items: { all: true } },
    };
    const made = await ask(create, { input });
    expect(made.data.discountCodeBasicCreate).toMatchObject({
      codeDiscountNode: {
        codeDiscount: { title: 'Reward', tags: ['made-by-us'], status: 'ACTIVE' },
      },
      userErrors: [],
    });
    expect(
      sandbox.rows.discounts.get(
        made.data.discountCodeBasicCreate.codeDiscountNode.id.split('/').at(-1),
      )?.value,
    ).toEqual({ kind: 'percentage', ppm: 125_000 });
    const again = await ask(create, { input });
    expect(again.data.discountCodeBasicCreate).toMatchObject({
      codeDiscountNode: null,
      userErrors: [{ code: 'TAKEN', field: ['basicCodeDiscount', 'code'] }],
    });
    const late = await ask(create, {
      input: { ...input, code: 'R2', endsAt: '2026-09-01T00:00:00Z' },
    });
    expect(late.data.discountCodeBasicCreate.userErrors).toMatchObject([
      { code: 'END_DATE_BEFORE_START_DATE' },
    ]);
  });
});

describe('what the sandbox does not have', () => {
  it('is said by name instead of answered with nothing', async () => {
    const { data, errors } = await ask(
      '{ orders(first: 1) { nodes { id risk { recommendation } } } }',
    );
    expect(data).toBeNull();
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('Order.risk'),
      extensions: { code: 'NOT_IN_SANDBOX' },
    });
    const root = await ask('{ collections(first: 1) { nodes { id } } }');
    expect(root.errors?.[0]?.message).toContain('QueryRoot.collections');
  });

  it('is refused where the real schema does not have it either', async () => {
    const { data, errors } = await ask('{ orders(first: 1) { nodes { nmae } } }');
    expect(data).toBeUndefined();
    expect(errors?.[0]?.message).toContain('nmae');
  });
});
