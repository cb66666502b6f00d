import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import type {
  RewardStore,
  WantedCode,
  WantedCredit,
} from '../../../shared/rewards/redeem/reward-store.ts';
import { createAdminStore } from '../../../shared/shopify/admin/admin-store.ts';
import { REWARD_TAG } from '../../../shared/shopify/admin/make-reward-code.ts';
import { describeRewardStore } from '../../contract/reward-store-contract.ts';

const SHOP = 'example-store.myshopify.com';

let sandbox: StoreSandbox;
let rewards: RewardStore;
let robin: string;
let sam: string;

beforeAll(async () => {
  sandbox = await startStoreSandbox({ shop: { domain: SHOP }, seed: 3 });
  rewards = rewardsIn(sandbox);
  robin = sandbox.actions.createCustomer({ email: 'robin@example.com' }).id;
  sam = sandbox.actions.createCustomer({ email: 'sam@example.com' }).id;
});
afterAll(() => sandbox.stop());

function rewardsIn({ credentials, address }: StoreSandbox): RewardStore {
  const secret = { kind: 'static', accessToken: credentials.accessToken } as const;
  return createAdminStore({
    shop: () => ({
      secret: { get: async () => secret, refresh: async () => secret },
      sandboxAddress: address,
    }),
    sleep: async () => {},
  });
}

function buy(code: string, customerId: string, price = 40): void {
  sandbox.actions.placeOrder({
    customerId,
    lines: [{ title: 'Kettle', price, quantity: 1 }],
    shipping: [{ title: 'Post', price: 4 }],
    discounts: [{ code }],
  });
}

describeRewardStore('the Admin API', () => ({
  store: rewards,
  shop: SHOP,
  customers: [robin, sam],
  since: () => new Date(Date.now() - 1_000),
  makeForeign: (code) => sandbox.actions.createDiscount({ codes: [code], percentage: 50 }),
  use: (code, customerId) => buy(code, customerId),
}));

it('does not say that a customer who is gone has no orders: another may have them', async () => {
  const nobody = await rewards.readOrderCodes(SHOP, '999000999', new Date(0));
  expect(nobody).toEqual({ kind: 'unavailable', why: 'customer-gone' });
});

describe('a reward code in the store', () => {
  const wanted = (code: string, more: Partial<WantedCode> = {}): WantedCode => ({
    code,
    customerId: robin,
    title: `5 off (${code})`,
    kind: 'fixed',
    value: 5,
    startsAt: '2026-01-01T00:00:00.000Z',
    combines: false,
    ...more,
  });
  const rowOf = (code: string) => {
    const { discounts, codes } = sandbox.state();
    const id = codes.find((one) => one.code === code)?.discountId;
    return discounts.find((one) => one.id === id);
  };

  it('is for that customer only, once, from and until its dates, with its minimum', async () => {
    const endsAt = '2099-01-31T12:00:00.000Z';
    await rewards.makeCode(SHOP, wanted('ALL-1', { minimum: 20, endsAt, value: 5.5 }));
    expect(rowOf('ALL-1')).toMatchObject({
      kind: 'basic',
      value: { kind: 'fixed', minor: 550, each: false },
      context: { kind: 'customers', ids: [robin] },
      usageLimit: 1,
      oncePerCustomer: true,
      minimumMinor: 2_000,
      startsAt: '2026-01-01T00:00:00Z',
      endsAt: '2099-01-31T12:00:00Z',
      tags: [REWARD_TAG],
      combinesWith: [],
    });
    expect(() => buy('ALL-1', sam)).toThrow('for another customer');
    expect(() => buy('ALL-1', robin, 19)).toThrow('a larger order');
    buy('ALL-1', robin);
    expect(() => buy('ALL-1', robin)).toThrow('has been used already');
  });

  it('of a percentage or of shipping combines with what the reward allows', async () => {
    await rewards.makeCode(SHOP, wanted('PART-1', { kind: 'percent', value: 7, combines: true }));
    expect(rowOf('PART-1')).toMatchObject({
      value: { kind: 'percentage', ppm: 70_000 },
      combinesWith: ['order', 'product', 'shipping'],
    });
    await rewards.makeCode(SHOP, wanted('SHIP-1', { kind: 'free-shipping', combines: true }));
    expect(rowOf('SHIP-1')).toMatchObject({
      kind: 'free-shipping',
      combinesWith: ['order', 'product'],
    });
  });

  it('is found on every page of orders, beside other codes, cancelled or not, and after it is deleted', async () => {
    const { id: customerId } = sandbox.actions.createCustomer({ email: 'page@example.com' });
    const made = await rewards.makeCode(SHOP, wanted('PAGE-1', { customerId, combines: true }));
    sandbox.actions.createDiscount({ codes: ['FIRST'], percentage: 5, combinesWith: ['order'] });
    const lines = [{ title: 'Kettle', price: 40, quantity: 1 }];
    const discounts = [{ code: 'FIRST' }, { code: 'PAGE-1' }];
    const { id: orderId } = sandbox.actions.placeOrder({ customerId, lines, discounts });
    sandbox.actions.cancelOrder({ orderId });
    for (let more = 0; more < 60; more += 1) sandbox.actions.placeOrder({ customerId, lines });
    if (made.kind === 'made') await rewards.deleteCode(SHOP, made.discountId);
    const read = await rewards.readOrderCodes(SHOP, customerId, new Date(0));
    expect(read).toEqual({ kind: 'read', codes: ['FIRST', 'PAGE-1'] });
  });

  it('of a product takes its amount off one unit, however many are in the order', async () => {
    const { id, variants } = sandbox.actions.createProduct({ title: 'Linen scarf', price: 30 });
    expect(await rewards.readPrices(SHOP, id)).toEqual({ kind: 'read', lowest: 30, highest: 30 });
    const draft = { title: 'Wool scarf', price: 40, status: 'draft' } as const;
    const { id: unsold } = sandbox.actions.createProduct(draft);
    expect(await rewards.readPrices(SHOP, unsold)).toEqual({ kind: 'absent' });
    await rewards.makeCode(SHOP, wanted('SCARF-1', { value: 15, productId: id }));
    expect(rowOf('SCARF-1')).toMatchObject({
      value: { kind: 'fixed', minor: 1_500, each: false },
      productIds: [id],
    });
    const lines = [
      { variantId: variants[0]?.id ?? '', quantity: 3 },
      { title: 'Kettle', price: 40, quantity: 1 },
    ];
    const order = sandbox.actions.placeOrder({
      customerId: robin,
      lines,
      discounts: [{ code: 'SCARF-1' }],
    });
    expect(order.lines.map(({ allocations }) => allocations.map(({ minor }) => minor))).toEqual([
      [1_500],
      [],
    ]);
  });

  it('that the store does not take is refused with the store’s reason, and not made', async () => {
    const stranger = { customerId: '999000999' };
    expect(await rewards.makeCode(SHOP, wanted('NOBODY-1', stranger))).toEqual({
      kind: 'refused',
      code: 'INVALID',
    });
    expect(rowOf('NOBODY-1')).toBeUndefined();
  });

  it('is found again when the answer of its making was lost', async () => {
    sandbox.faults.add({ kind: 'reset-after', operation: 'CreateBasicCode', count: 1 });
    expect(await rewards.makeCode(SHOP, wanted('LOST-1'))).toMatchObject({ kind: 'unavailable' });
    expect(await rewards.makeCode(SHOP, wanted('LOST-1'))).toMatchObject({ kind: 'made' });
  });

  it('cannot be made without the scope, and says which', async () => {
    const scopes = ['read_discounts', 'read_customers'];
    const poor = await startStoreSandbox({ shop: { domain: SHOP }, seed: 4, settings: { scopes } });
    try {
      expect(await rewardsIn(poor).makeCode(SHOP, wanted('NO-SCOPE'))).toMatchObject({
        kind: 'unavailable',
        why: 'access-denied-write-discounts',
        misconfigured: true,
      });
    } finally {
      await poor.stop();
    }
  });
});

describe('store credit in the store', () => {
  const expiresAt = '2099-01-31T12:00:00.000Z';
  const credit = (more: Partial<WantedCredit> = {}): WantedCredit => ({
    ...{ customerId: robin, amount: 5, currency: 'EUR', expiresAt },
    ...more,
  });
  const given = (of: StoreSandbox, customerId: string) => {
    const account = { customerId, currency: 'EUR', since: new Date(0) };
    return rewardsIn(of).readCredits(SHOP, account);
  };
  const withSandbox = async (
    settings: Parameters<typeof startStoreSandbox>[0],
    use: (opened: StoreSandbox, customerId: string) => Promise<void>,
  ) => {
    const opened = await startStoreSandbox({ seed: 5, ...settings });
    try {
      await use(opened, opened.actions.createCustomer({ email: 'robin@example.com' }).id);
    } finally {
      await opened.stop();
    }
  };

  it.each([
    ['more than an account may hold', { amount: 15_001 }, 'CREDIT_LIMIT_EXCEEDED'],
    ['a currency that it does not have', { currency: 'GBP' }, 'UNSUPPORTED_CURRENCY'],
    ['a customer whom it does not have', { customerId: '999000999' }, 'OWNER_NOT_FOUND'],
    ['an end that is over', { expiresAt: '2020-01-01T00:00:00Z' }, 'EXPIRES_AT_IN_PAST'],
  ])('is refused with its reason for %s', async (_, more, code) => {
    expect(await rewards.credit(SHOP, credit(more))).toEqual({ kind: 'refused', code });
  });

  it('may be there where an answer was lost, and is surely not where the store throttles', async () => {
    await withSandbox({ shop: { domain: SHOP } }, async (opened, customerId) => {
      const store = rewardsIn(opened);
      opened.faults.add({ kind: 'reset-after', operation: 'CreditStoreCredit', count: 1 });
      expect(await store.credit(SHOP, credit({ customerId }))).toMatchObject({
        ...{ kind: 'unavailable', notSent: false },
      });
      expect(await given(opened, customerId)).toMatchObject({ credits: [{ amount: '5' }] });
      opened.faults.add({ kind: 'throttled', operation: 'CreditStoreCredit', count: 4 });
      expect(await store.credit(SHOP, credit({ customerId }))).toMatchObject({
        ...{ kind: 'unavailable', notSent: true },
      });
      expect(await given(opened, customerId)).toMatchObject({ credits: [{}] });
    });
  });

  it('is read over several pages, without what orders caused', async () => {
    await withSandbox({ shop: { domain: SHOP } }, async (opened, customerId) => {
      for (let index = 0; index < 25; index += 1) {
        opened.actions.creditCustomer({ customerId, amount: index + 1, expiresAt });
      }
      const order = opened.actions.placeOrder({
        ...{ customerId, lines: [{ title: 'Kettle', price: 40 }], payment: 'paid' },
      });
      opened.actions.refundOrder({ orderId: order.id, amount: 7, to: 'store-credit' });
      const read = await given(opened, customerId);
      const amounts = read.kind === 'read' ? read.credits.map(({ amount }) => amount) : [];
      expect(amounts).toEqual(Array.from({ length: 25 }, (_, index) => String(25 - index)));
    });
  });

  it('is not looked for where the store does not take it: an account may not be shown', async () => {
    const shop = { domain: SHOP, storeCreditEnabled: false };
    await withSandbox({ shop }, async (opened, customerId) => {
      expect(await given(opened, customerId)).toMatchObject({
        ...{ kind: 'unavailable', why: 'store-credit-disabled', misconfigured: true },
      });
    });
  });

  it('cannot be given or read without the scopes, and says which', async () => {
    const scopes = ['read_customers', 'read_store_credit_accounts'];
    await withSandbox(
      { shop: { domain: SHOP }, settings: { scopes } },
      async (poor, customerId) => {
        const denied = { kind: 'unavailable', misconfigured: true };
        const write = 'access-denied-write-store-credit-account-transactions';
        expect(await rewardsIn(poor).credit(SHOP, credit({ customerId }))).toMatchObject({
          ...{ ...denied, why: write },
        });
        poor.actions.creditCustomer({ customerId, amount: 5 });
        expect(await given(poor, customerId)).toMatchObject(denied);
      },
    );
  });
});

describe('a reward code in a shop whose currency has three decimals', () => {
  // A code of 1.255 was one of 1.26, and one of 0.004 one of nothing.
  it.each([
    [1.255, 1_255],
    [0.004, 4],
  ])('of %d takes off %d thousandths', async (value, minor) => {
    const kuwait = await startStoreSandbox({ shop: { domain: SHOP, currency: 'KWD' }, seed: 3 });
    try {
      const { id: customerId } = kuwait.actions.createCustomer({ email: 'noor@example.com' });
      const answer = await rewardsIn(kuwait).makeCode(SHOP, {
        ...{ code: 'DINAR-1', customerId, title: 'Dinars off', kind: 'fixed', value },
        ...{ startsAt: '2026-01-01T00:00:00.000Z', combines: false },
      });
      expect(answer.kind).toBe('made');
      const { codes, discounts } = kuwait.state();
      const discountId = codes.find(({ code }) => code === 'DINAR-1')?.discountId;
      const made = discounts.find(({ id }) => id === discountId);
      expect(made?.value).toEqual({ kind: 'fixed', minor, each: false });
    } finally {
      await kuwait.stop();
    }
  });

  it('is refused where nothing is left of it in the currency', async () => {
    const yen = await startStoreSandbox({ shop: { domain: SHOP, currency: 'JPY' }, seed: 3 });
    try {
      const { id: customerId } = yen.actions.createCustomer({ email: 'noor@example.com' });
      const answer = await rewardsIn(yen).makeCode(SHOP, {
        ...{ code: 'YEN-1', customerId, title: 'Yen off', kind: 'fixed', value: 0.4 },
        ...{ startsAt: '2026-01-01T00:00:00.000Z', combines: false },
      });
      expect(answer).toEqual({ kind: 'refused', code: 'worth-nothing' });
    } finally {
      await yen.stop();
    }
  });
});
