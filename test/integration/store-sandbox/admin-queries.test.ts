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

describe('discounts', () => {
  const byCode = `query($code: String!) { codeDiscountNodeByCode(code: $code) { id codeDiscount { __typename
    ... on DiscountCodeBasic { status endsAt usageLimit context { __typename ... on DiscountCustomers { customers { id } } } customerGets { value { __typename ... on DiscountPercentage { percentage } ... on DiscountAmount { amount { amount } } } } codes(first: 5) { nodes { code asyncUsageCount } } } } } }`;

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
