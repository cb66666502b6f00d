import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PartialSettings } from '../../../../local/loyalty-sandbox/settings.ts';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import {
  cashbackRange,
  readCart,
  readCartOrNone,
} from '../../../../shared/rewards/redeem/available-rewards.ts';
import {
  findOffer,
  meaningOf,
  type OfferRequest,
  productDiscount,
  readTerms,
} from '../../../../shared/rewards/redeem/find-offer.ts';
import { createMembers } from '../../../../shared/rewards/redeem/own-member.ts';
import { openInProcessLoyalty } from '../../../support/in-process-loyalty.ts';
import { createMemoryRewardStore } from '../../../support/memory-reward-store.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';
import { namesOfClick, openRedeeming } from '../../../support/redeem-world.ts';

const MUG = '8012300098313';
const TYPES = { 0: 'percent', 1: 'fixed', 3: 'cashback', 4: 'custom', 5: 'product' } as const;

/** A customer with 1000 points, which are 50 of cashback, and a program that takes no id of the store. */
async function openOffers(settings: PartialSettings = {}) {
  const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const now = () => new Date(clock.ms);
  const loyalty = openInProcessLoyalty(now, { posCustomerId: 'email-or-document', ...settings });
  const telemetry = recordTelemetry();
  const store = createMemoryRewardStore();
  store.prices.set(MUG, { lowest: 30, highest: 30 });
  const line = { loyalty: loyalty.client, breaker: createCircuitBreaker(), telemetry, now };
  const shop = 'example-store.myshopify.com';
  const members = createMembers({ ...line, shop, posCustomerId: 'email-or-document' });
  const world = { ...line, members, store, rewardTypes: TYPES };
  await loyalty.client.sendOrder({
    OriginalId: '1',
    OrderPlacementDate: '2026-10-01T09:00:00Z',
    OrderCompletedDate: '2026-10-02T09:00:00Z',
    IsCompleted: true,
    OrderTotal: 1000,
    Customer: { OriginalId: '7', Name: 'Robin', Email: 'robin@example.com' },
  });

  /** Changes one reward in the answers of an operation. */
  const change = (operation: string, change: Readonly<Record<string, unknown>>) => {
    const before = loyalty.world.interfere;
    loyalty.world.interfere = async (call, pass) => {
      const answer = await (before ? before(call, pass) : pass());
      if (call.operation !== operation || answer.kind !== 'answer') return answer;
      const body = JSON.parse(answer.text);
      for (const reward of body.Rewards ?? [body.Result]) Object.assign(reward, change);
      return { ...answer, text: JSON.stringify(body) };
    };
  };

  return {
    clock,
    loyalty,
    telemetry,
    store,
    world,
    offered: (more: Readonly<Record<string, unknown>>) => change('listAvailableRewards', more),
    configured: (more: Readonly<Record<string, unknown>>) => change('getRewardConfiguration', more),
    find: (
      rewardId: number,
      more: Partial<OfferRequest> = {},
      cart = '11:100:1',
      deps: Parameters<typeof findOffer>[1] = world,
    ) =>
      findOffer(
        {
          ...{ shop: 'example-store.myshopify.com', customerId: '7', rewardId },
          cart: readCart(cart) ?? [],
          ...more,
        },
        deps,
      ),
  };
}

/** As the account page asks. */
const ANY_PURCHASE = '0:100000000:1';

const refused = (why: string) => ({ kind: 'refused', why });

describe('a reward on offer', () => {
  it('is one of any purchase where a page has no cart, and its code needs no larger order for it', async () => {
    const { find, loyalty } = await openOffers();
    const found = await find(8, { value: 1.5 }, ANY_PURCHASE);
    // The program allows half of a purchase.
    expect(found).toMatchObject({ kind: 'on-offer', terms: { value: 1.5, minimum: 3 } });
    const asked = loyalty.journal.filter(({ operation }) => operation === 'listAvailableRewards');
    expect(asked.map(({ body }) => body)).toEqual([
      expect.objectContaining({ PurchaseValue: 100_000_000, Products: [] }),
      expect.objectContaining({ PurchaseValue: 1.5, Products: [] }),
    ]);
  });

  it('of type 0 is a percentage, with the dates and limits of its configuration', async () => {
    const { find, loyalty } = await openOffers();
    expect(await find(2)).toEqual({
      kind: 'on-offer',
      programId: 'robin@example.com',
      needsChallenge: false,
      terms: {
        title: '10 percent off',
        points: 200,
        kind: 'percent',
        value: 10,
        combines: false,
        validDays: 60,
        codePrefix: 'TEN',
        limited: false,
      },
    });
    const asked = loyalty.journal.find(({ operation }) => operation === 'listAvailableRewards');
    expect(asked?.body).toEqual({
      CustomerId: 'robin@example.com',
      PurchaseValue: 100,
      DiscountValue: 0,
      Products: [{ OriginalId: '11', Quantity: 1, ProductPrice: 100 }],
    });
  });

  it('of type 1 needs an order of at least its amount where the service judged no real purchase', async () => {
    const { find, configured } = await openOffers();
    expect(await find(3, {}, ANY_PURCHASE)).toMatchObject({ terms: { value: 3, minimum: 3 } });
    expect(await find(1, {}, ANY_PURCHASE)).toMatchObject({ terms: { value: 5, minimum: 20 } });
    configured({ MinimalValue: 2 });
    expect(await find(1, {}, ANY_PURCHASE)).toMatchObject({ terms: { value: 5, minimum: 5 } });
  });

  it('of type 3 is the cashback that the customer chose, for an order of the same proportion', async () => {
    const { find } = await openOffers();
    const terms = { kind: 'fixed', value: 10, points: 0, cashback: true, combines: true };
    // At most half of a purchase: 50 of the cart's 100, so 10 need an order of 20.
    expect(await find(8, { value: 10 })).toMatchObject({ terms: { ...terms, minimum: 20 } });
    // Of a large cart, all that the customer has: the order may be smaller than that cart.
    const all = { ...terms, value: 50, minimum: 100 };
    expect(await find(8, { value: 50 }, '11:1000:1')).toMatchObject({ terms: all });
    // The least and the most that may be chosen are allowed, too.
    for (const value of [0.01, 50])
      expect(await find(8, { value })).toMatchObject({ terms: { value } });
    for (const value of [0, 0.001, 50.01, 10.005, Number.NaN, undefined]) {
      const asked = value === undefined ? {} : { value };
      expect(await find(8, asked)).toEqual(refused('value-not-allowed'));
    }
    expect(await find(8, { value: 10 }, '11:19.99:1')).toEqual(refused('value-not-allowed'));
    expect(await find(8, { value: 10, cart: [] })).toEqual(refused('no-cashback'));
    expect(await find(2, { value: 10 })).toEqual(refused('value-not-allowed'));
  });

  it('of type 3 needs an order of the cart’s proportion where a smaller purchase is not allowed', async () => {
    const { find, loyalty } = await openOffers();
    loyalty.world.interfere = async (call, pass) => {
      const answer = await pass();
      const { PurchaseValue } = (call.body ?? {}) as { readonly PurchaseValue?: number };
      if (answer.kind !== 'answer' || PurchaseValue !== 10) return answer;
      const body = JSON.parse(answer.text);
      for (const reward of body.Rewards) reward.MaxCashbackForCurrentPurchase = 0;
      return { ...answer, text: JSON.stringify(body) };
    };
    expect(await find(8, { value: 10 }, '11:200:1')).toMatchObject({ terms: { minimum: 40 } });
  });

  it('of type 3 never takes off more than its smallest order costs, whatever the program allows', async () => {
    const { find, loyalty } = await openOffers();
    // Of the cart, and of a purchase of just the amount.
    const limits = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat(60));
    const asked = fc.tuple(
      limits,
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 60 }),
    );
    await fc.assert(
      fc.asyncProperty(asked, async ([[ofCart, alone], price, chosen]) => {
        const value = Math.min(chosen, ofCart, 50);
        loyalty.world.interfere = async (call, pass) => {
          const answer = await pass();
          const { PurchaseValue } = (call.body ?? {}) as { readonly PurchaseValue?: number };
          if (answer.kind !== 'answer') return answer;
          const body = JSON.parse(answer.text);
          for (const reward of body.Rewards ?? []) {
            reward.MaxCashbackForCurrentPurchase = PurchaseValue === price ? ofCart : alone;
          }
          return { ...answer, text: JSON.stringify(body) };
        };
        const found = await find(8, { value }, `11:${price}:1`);
        if (found.kind === 'on-offer') expect(found.terms.minimum).toBeGreaterThanOrEqual(value);
      }),
    );
  });

  it('of type 3 is judged by its own limit, not by that of another reward', async () => {
    const { find, loyalty } = await openOffers();
    loyalty.world.interfere = (_, pass) => {
      const answer = pass();
      const body = JSON.parse(answer.text);
      for (const reward of body.Rewards ?? []) {
        if (reward.Id !== 8) reward.MaxCashbackForCurrentPurchase = 0;
      }
      return { ...answer, text: JSON.stringify(body) };
    };
    const found = await find(8, { value: 1.5 }, ANY_PURCHASE);
    expect(found).toMatchObject({ terms: { value: 1.5, minimum: 3 } });
  });

  it('of type 3 is store credit only in a program without a limit per purchase', async () => {
    const { find, configured, world } = await openOffers({ cashbackPercentOfPurchase: 100 });
    const given = { ...world, rewardTypes: { 3: 'store-credit' } } as const;
    const credit = {
      kind: 'on-offer',
      terms: { kind: 'store-credit', value: 50 },
      currency: 'EUR',
    };
    expect(await find(8, { value: 50 }, '11:100:1', given)).toMatchObject(credit);
    expect(await find(8, { value: 50 }, ANY_PURCHASE, given)).toMatchObject(credit);
    // It would pay for any order.
    configured({ CashbackMaxPurchaseValue: 20 });
    expect(await find(8, { value: 10 }, '11:100:1', given)).toEqual(refused('not-online'));
    const half = await openOffers();
    const ofHalf = { ...half.world, rewardTypes: { 3: 'store-credit' } } as const;
    for (const cart of ['11:100:1', ANY_PURCHASE]) {
      expect(await half.find(8, { value: 10 }, cart, ofHalf)).toEqual(refused('not-online'));
    }
  });

  it('of type 4 is redeemed elsewhere, and so is one of a number without a meaning', async () => {
    const { find, offered } = await openOffers();
    expect(await find(10)).toEqual(refused('not-online'));
    offered({ RewardType: 9 });
    expect(await find(1)).toEqual(refused('not-online'));
  });

  it.each([
    ['percent', { ProductDiscountMode: 0, ProductDiscountValue: 50 }, 15],
    ['a free gift', { ProductDiscountMode: 2, ProductDiscountValue: 0 }, 30],
    ['an amount off', { ProductDiscountMode: 3, ProductDiscountValue: 12.5 }, 12.5],
    ['more off than the price', { ProductDiscountMode: 3, ProductDiscountValue: 99 }, 30],
  ])('of type 5 is an amount off one unit of the product: %s', async (_, mode, value) => {
    const { find, offered } = await openOffers();
    offered(mode);
    expect(await find(9, {}, `${MUG}:30:1`)).toMatchObject({
      terms: { kind: 'fixed', value, product: { id: MUG, name: 'Enamel Mug' } },
    });
  });

  it('of type 5 is not redeemable where variants differ in price, or a purchase must be larger', async () => {
    const { find, store, configured } = await openOffers();
    store.prices.set(MUG, { lowest: 30, highest: 35 });
    expect(await find(9, {}, `${MUG}:30:1`)).toEqual(refused('not-online'));
    store.prices.set(MUG, { lowest: 30, highest: 30 });
    configured({ MinimalValue: 10 });
    expect(await find(9, {}, `${MUG}:30:1`)).toEqual(refused('not-online'));
  });

  it.each([
    ['worth nothing', {}, { Value: 0 }],
    ['for some products only', { HasProductCollection: true }, {}],
    ['for listed collections only', { ValidOnlyProductCollections: ['1'] }, {}],
    ['bound to a part of the purchase', { MinimumPercentPurchase: 10 }, {}],
    ['shown for information', { IsCashbackInformativeOnly: true }, {}],
  ])('cannot become a code when it is %s', async (_, configuration, offer) => {
    const { find, offered, configured } = await openOffers();
    configured(configuration);
    offered(offer);
    expect(await find(1)).toEqual(refused('not-online'));
  });

  it.each([
    [1, 'too-few-points'],
    [2, 'below-minimum'],
    [3, 'no-cashback'],
    [4, 'not-a-member'],
    [5, 'exceeds-purchase'],
    [6, 'below-minimum-percent'],
    [7, 'not-enrolled'],
    [8, 'not-cumulative'],
    [9, 'product-conditions'],
    [10, 'product-conditions'],
    [11, 'product-conditions'],
    [12, 'product-conditions'],
    [13, 'not-available'],
    [0, 'not-available'],
    [null, 'not-available'],
  ])(
    'is refused when the service says that it cannot be used: CannotUseReason %s',
    async (CannotUseReason, why) => {
      const { find, offered } = await openOffers();
      offered({ CanUse: false, CannotUseReason });
      expect(await find(2)).toEqual(refused(why));
    },
  );

  it('is refused when the service does not say that it can be used, or does not list it', async () => {
    const { find, offered } = await openOffers();
    // For customers of another tier.
    expect(await find(5)).toEqual(refused('unknown-reward'));
    expect(await find(404)).toEqual(refused('unknown-reward'));
    offered({ CanUse: null });
    expect(await find(2)).toEqual(refused('not-available'));
  });

  it('is not known while the service or the store does not answer', async () => {
    for (const silent of ['getCustomer', 'listAvailableRewards', 'getRewardConfiguration']) {
      const { find, loyalty } = await openOffers();
      loyalty.world.interfere = ({ operation }, pass) =>
        operation === silent
          ? { kind: 'failure', reason: 'time-out', mayHaveHappened: true }
          : pass();
      expect(await find(2)).toEqual({ kind: 'unavailable' });
    }
    const { find, store } = await openOffers();
    store.readPrices = async () => ({ kind: 'unavailable', why: 'time-out' });
    expect(await find(9, {}, `${MUG}:30:1`)).toEqual({ kind: 'unavailable' });
  });
});

describe('the code of a reward', () => {
  it('has the smallest order that the reward needs, and the customer’s reward in its title', async () => {
    const more = { MinimalValue: 25 };
    const world = openRedeeming({
      rewards: [
        { id: 1, points: 100, more },
        { id: 2, points: 50 },
      ],
    });
    await world.redeem({ rewardId: 1 });
    await world.redeem({ rewardId: 2, clientKey: 'click-0002' });
    const [first, second] = [...world.store.codes.values()];
    expect(first).toMatchObject({ minimum: 25, title: `Reward 1 (${namesOfClick().id})` });
    expect(second).not.toHaveProperty('minimum');
  });

  it('is for the product of the reward alone, else it would take its amount off any order', async () => {
    const more = { ExternalProductId: '7', ProductDiscountMode: 2, ProductDisplayName: 'Mug' };
    const world = openRedeeming({ rewards: [{ id: 1, points: 100, type: 5, more }] });
    world.store.prices.set('7', { lowest: 30, highest: 30 });
    await world.redeem();
    expect([...world.store.codes.values()]).toMatchObject([{ productId: '7', value: 30 }]);
  });
});

describe('the terms of a reward', () => {
  const read = (reward: object, configuration: object = {}, discount: object = {}) =>
    readTerms({ Id: 4, Points: 10, Title: 'Ten off', ...reward }, configuration, {
      ...({ kind: 'percent', value: 10 } as const),
      ...discount,
    });

  it.each([
    ['points below 0', { Points: -1 }, {}],
    ['points that are no number', { Points: Number.NaN }, {}],
    ['no points', { Points: undefined }, {}],
    ['0 percent', {}, { value: 0 }],
    ['more than 100 percent', {}, { value: 100.5 }],
    ['an amount of 0', {}, { kind: 'fixed', value: 0 }],
    ['an endless amount', {}, { kind: 'fixed', value: Number.POSITIVE_INFINITY }],
  ])('are none for %s: no store makes such a code', (_, reward, discount) => {
    expect(read(reward, {}, discount)).toBeUndefined();
  });

  it.each([
    ['0 points', { Points: 0 }, {}, {}, { points: 0 }],
    ['an amount above 100', {}, {}, { kind: 'fixed', value: 150 }, { value: 150 }],
    ['100 percent', {}, {}, { value: 100 }, { value: 100 }],
    ['a long title', { Title: ` ${'x'.repeat(300)}` }, {}, {}, { title: 'x'.repeat(120) }],
    ['no title', { Title: ' ' }, {}, {}, { title: 'Reward 4' }],
    ['ten years', {}, { ValidDays: 3650 }, {}, { validDays: 3650 }],
    ['a limit for each customer', {}, { HasSameCustomerUsageLimit: true }, {}, { limited: true }],
    ['a limit for all', {}, { HasGlobalUsageLimit: true }, {}, { limited: true }],
    ['a reward that combines', { RewardCanBeCumulative: true }, {}, {}, { combines: true }],
    ['a discount that combines', {}, { CumulativeDiscount: true }, {}, { combines: true }],
    [
      'a reward that does not combine, although its discount does',
      { RewardCanBeCumulative: false },
      { CumulativeDiscount: true },
      {},
      { combines: false },
    ],
    ['no prefix', {}, {}, {}, { codePrefix: 'REWARD' }],
    ['a prefix of signs', {}, { CodePrefix: '%!' }, {}, { codePrefix: 'REWARD' }],
    ['a prefix', {}, { CodePrefix: ' ten % off-now!' }, {}, { codePrefix: 'TEN-OFF-NOW' }],
    ['a long prefix', {}, { CodePrefix: 'a'.repeat(30) }, {}, { codePrefix: 'A'.repeat(20) }],
  ])('keep what the customer was offered: %s', (_, reward, configuration, discount, expected) => {
    expect(read(reward, configuration, discount)).toMatchObject(expected);
  });

  it.each([3651, 0, -1])('have no end of %i days', (ValidDays) => {
    expect(read({}, { ValidDays })).not.toHaveProperty('validDays');
  });

  it('are of no type where the service names none', () => {
    expect(meaningOf(undefined, { 0: 'percent', 1: 'fixed' })).toBe('custom');
  });
});

describe('a reward for a product', () => {
  const reward = { ExternalProductId: '7', ProductDiscountMode: 0, ProductDiscountValue: 100 };

  it.each(['7x', 'x7', '', '12345678901234567890'])('is none for the product %s', (id) => {
    expect(productDiscount({ ...reward, ExternalProductId: id })).toBeUndefined();
  });

  it.each([
    [0, 0, undefined],
    [0, 100, 100],
    [0, 100.5, undefined],
    [3, 0, undefined],
    [3, 4, 4],
    [2, 0, 100],
    [1, 5, undefined],
  ])('of mode %i and value %d takes off %s', (mode, value, expected) => {
    const given = { ...reward, ProductDiscountMode: mode, ProductDiscountValue: value };
    expect(productDiscount(given)?.value).toBe(expected);
  });

  it('has the name of the product, else its own', () => {
    const nameOf = (more: object) => productDiscount({ ...reward, ...more })?.product.name;
    expect(nameOf({ ProductDisplayName: ' Mug ', Title: 'Free mug' })).toBe('Mug');
    expect(nameOf({ ProductDisplayName: ' ', Title: ' Free mug ' })).toBe('Free mug');
    expect(nameOf({})).toBe('');
  });
});

describe('cashback', () => {
  const offered = { AvailableCashback: 12.345, MaxCashbackForCurrentPurchase: 20, Rewards: [] };

  it('is all or nothing where the customer may not choose', () => {
    expect(cashbackRange({ CanSelectValue: false }, offered)).toEqual({
      least: 12.34,
      most: 12.34,
      validUntil: null,
    });
    expect(cashbackRange({ CanSelectValue: true }, offered)).toMatchObject({
      least: 0.01,
      most: 12.34,
    });
  });
});

describe('a cart', () => {
  const LONGEST = '1234567890123456789:999999999.1234:9999';

  it.each(['8012300032771:64.90:2', '1:0:1', LONGEST, Array(50).fill(LONGEST).join(',')])(
    'is read: %s',
    (text) => {
      const [line] = readCart(text) ?? [];
      expect(readCart(text)).toHaveLength(text.split(',').length);
      expect([line?.id, String(line?.quantity)]).toEqual([
        text.split(':')[0],
        text.split(',')[0]?.split(':')[2],
      ]);
    },
  );

  it.each([
    ...['x1:1:1', '1:1:1x', '12345678901234567890:1:1', '1:1234567890:1', '1:1.12345:1', '1:1.:1'],
    ...['1:x:1', '1:1.x:1', '1:1:10000', '1:1:01', '1:1:1x0', '1:1x5:1', ':1:1', '1::1', '1:1:'],
    ...['x:1:1', 'x:x:x', '1:1:x', '1:1:1,x', '1:-1:1', '1:1e9:1', '1:1:0', '1:1:1,'],
    Array(51).fill('1:1:1').join(','),
  ])('is not read: %s', (text) => {
    expect(readCart(text)).toBeUndefined();
  });

  it('is empty where the page sends none', () => {
    expect([readCartOrNone(undefined), readCartOrNone('')]).toEqual([[], []]);
    expect(readCartOrNone('1:1:1')).toHaveLength(1);
  });
});
