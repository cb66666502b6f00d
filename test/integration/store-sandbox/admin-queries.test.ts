import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { askAdmin } from '../../support/ask-admin.ts';

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
    sandbox.actions.placeRandomOrder();
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
