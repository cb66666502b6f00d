import { beforeEach, describe, expect, it } from 'vitest';
import { readTier } from '../../../../shared/rewards/storefront/read-view.ts';
import {
  readActive,
  readDetailsOf,
  unexplained,
  viewOffered,
  viewRewards,
  viewUnoffered,
  withOtherTiers,
} from '../../../../shared/rewards/storefront/reward-view.ts';
import type { RewardView } from '../../../../shared/store/storefront-answers.gen.ts';
import { TIME_OUT } from '../../../fixtures/service-answers.ts';
import { openAnswering, refusal, success } from '../../../support/answering-loyalty.ts';
import { serveInProcess } from '../../../support/served-storefront.ts';

const rewardTypes = {
  ...({ 0: 'percent', 1: 'fixed', 2: 'free-shipping', 3: 'cashback', 4: 'custom' } as const),
  ...({ 5: 'product' } as const),
};
const none = { active: [], open: new Set<number>(), rewardTypes };

const view = (reward: object, offered: object = {}) =>
  viewOffered({ Rewards: [{ Id: 1, CanUse: true, ...reward }], ...offered }, none)[0];

describe('a reward on a page', () => {
  const product = { RewardType: 5, ExternalProductId: '7', ProductDisplayName: 'Mug' };
  const cashback = { AvailableCashback: 5, MaxCashbackForCurrentPurchase: 4 };
  const can = { redeemable: true, why: null };
  const cannot = (why: string) => ({ redeemable: false, why });

  it.each([
    [
      'percent',
      { RewardType: 0, Value: 10 },
      { ...can, kind: 'percent', value: 10, product: null },
    ],
    ['an amount', { RewardType: 1, Value: 5 }, { ...can, kind: 'fixed', value: 5, cashback: null }],
    ['no value', { RewardType: 1 }, { kind: 'fixed', value: 0 }],
    ['shipping', { RewardType: 2, Value: 9 }, { ...can, kind: 'free-shipping', value: 0 }],
    [
      'cashback',
      { RewardType: 3, ...cashback },
      { ...can, kind: 'cashback', value: 0, cashback: { least: 0.01, most: 4 }, product: null },
    ],
    [
      'no cashback',
      { RewardType: 3 },
      { ...cannot('no-cashback'), kind: 'cashback', cashback: null },
    ],
    [
      'a product',
      { ...product, ProductDiscountMode: 3, ProductDiscountValue: 2 },
      { ...can, kind: 'fixed', value: 2, product: 'Mug', cashback: null },
    ],
    [
      'a product at a fixed price',
      { ...product, ProductDiscountMode: 1 },
      { ...cannot('not-online'), kind: 'other', value: 0, product: 'Mug', cashback: null },
    ],
    [
      'something else',
      { RewardType: 4, Value: 5 },
      { ...cannot('not-online'), kind: 'other', value: 0 },
    ],
    [
      'what the service forbids',
      { RewardType: 4, CanUse: false, CannotUseReason: 7 },
      cannot('not-enrolled'),
    ],
  ])('says what it gives, and whether it can be had: %s', (_, reward, expected) => {
    expect(view(reward)).toMatchObject(expected);
  });

  it.each([
    [100, 0, 100],
    [100, 99.9, 0.1],
    [100, 100, null],
    [100, 120, null],
    [100, undefined, null],
  ])('of %d points says how many are missing to %s', (Points, AvailablePoints, missingPoints) => {
    const reward = { RewardType: 0, Points, CanUse: false, CannotUseReason: 1 };
    expect(view(reward, { AvailablePoints })).toMatchObject({ points: Points, missingPoints });
    const other = { ...reward, CannotUseReason: 2 };
    expect(view(other, { AvailablePoints })?.missingPoints).toBeNull();
  });

  it('has the words of the program, and none of ours', () => {
    const whole = { RewardType: 0, Title: 'Ten', Requirements: ' Only on Mondays. ' };
    expect(view(whole)).toMatchObject({ title: 'Ten', requirements: 'Only on Mondays.' });
    const bare = { title: '', description: '', points: 0, tiers: [], requirements: null };
    expect(view({ RewardType: 0 })).toMatchObject(bare);
    expect(view({ RewardType: 0, Requirements: ' ' })).toMatchObject({ requirements: null });
    expect(view({ Id: undefined })).toBeUndefined();
  });

  it('is described by the list of the program, and waits while it is being redeemed', () => {
    const Rewards = [1, 2].map((Id) => ({ Id, RewardType: 0, CanUse: true }));
    const active = [{ Id: 1, Description: 'A tenth off.' }];
    const views = viewOffered({ Rewards }, { active, open: new Set([2]), rewardTypes });
    expect(views).toMatchObject([
      { id: 1, description: 'A tenth off.', ...can },
      { id: 2, description: '', ...cannot('pending') },
    ]);
  });

  it('that no visitor can have says why, also where it is not for the store', () => {
    const items = [
      { Id: 1, RewardType: 0, Description: 'D', CanUse: true },
      { Id: 2, RewardType: 4 },
      {},
    ];
    expect(viewUnoffered(items, 'not-logged-in', rewardTypes)).toMatchObject([
      { id: 1, description: 'D', ...cannot('not-logged-in') },
      { id: 2, description: '', ...cannot('not-online') },
    ]);
  });
});

describe('the rewards of other tiers', () => {
  const active = [1, 2, 3].map((Id) => ({ Id, RewardType: 0, Title: `T${Id}` }));
  const offered = (why: RewardView['why']) => [{ ...view({ RewardType: 0 }), why } as RewardView];

  it('are looked for among those that the service does not explain', () => {
    expect(unexplained(offered('too-few-points'), [...active, {}])).toEqual([2, 3]);
    expect(unexplained(offered('not-available'), active)).toEqual([1, 2, 3]);
  });

  it('are shown once, also where the service offers several', () => {
    const several = [1, 2].map((id) => ({ ...view({ RewardType: 0 }), id }) as RewardView);
    const gold = new Map([1, 2].map((id) => [id, ['Gold']]));
    const views = withOtherTiers(several, gold, 'Bronze', { active, rewardTypes });
    expect(views.map(({ id, why }) => [id, why])).toEqual([
      [1, 'other-tier'],
      [2, 'other-tier'],
    ]);
  });

  it.each([
    ['Bronze', [1, 'other-tier', ['Gold']], [2, 'other-tier', ['Gold', 'Silver']]],
    [undefined, [1, 'other-tier', ['Gold']], [2, 'other-tier', ['Gold', 'Silver']]],
    ['Silver', [1, 'other-tier', ['Gold']]],
    ['Gold', [1, 'not-available', []]],
  ])('name their tiers to a customer of %s, and the rest stays away', (tier, ...expected) => {
    const tiersOf = new Map([
      [1, ['Gold']],
      [2, ['Gold', 'Silver']],
      [3, []],
    ]);
    const views = withOtherTiers(offered('not-available'), tiersOf, tier, { active, rewardTypes });
    expect(views.map(({ id, why, tiers }) => [id, why, tiers])).toEqual(expected);
    for (const { why, redeemable } of views)
      if (why === 'other-tier') expect(redeemable).toBe(false);
  });
});

describe('the rewards', () => {
  let shop: ReturnType<typeof serveInProcess>;
  beforeEach(() => {
    shop = serveInProcess();
  });

  const CART = { items: '11:100:1' };
  const ofCustomer = () => shop.ask('rewards', { customerId: '7', own: CART });
  const whys = ({ json }: { readonly json: unknown }) =>
    Object.fromEntries(
      (json as { rewards: { id: number; why: string }[] }).rewards.map(({ id, why }) => [id, why]),
    );

  it('are the active ones for a visitor, who must log in', async () => {
    const visitor = await shop.ask('rewards');
    expect(visitor.json.points).toBeNull();
    const ids = [1, 2, 3, 4, 5, 6, 8, 9];
    const notLoggedIn = Object.fromEntries(ids.map((id) => [id, 'not-logged-in']));
    // The last one is a custom reward.
    expect(whys(visitor)).toEqual({ ...notLoggedIn, 10: 'not-online' });
    for (const reward of visitor.json.rewards) expect(reward.redeemable).toBe(false);
    await shop.ask('rewards');
    expect(shop.calls('listRewardConfigurations')).toBe(1);
    expect(shop.loyalty.journal).toHaveLength(1);
    expect(visitor.headers['cache-control']).toBe('private, no-store');
  });

  it('are those that the service offers a customer for their cart, with its reasons', async () => {
    await shop.enroll('7', 120);
    const customer = await ofCustomer();
    expect(customer.json.points).toBe(120);
    // Not those of another season: the service does not list them, and says nothing about them.
    expect(whys(customer)).toEqual({
      ...{ 1: null, 2: 'too-few-points', 3: null, 4: null, 5: 'other-tier', 8: null },
      ...{ 9: 'product-conditions', 10: 'not-online' },
    });
    const empty = await shop.ask('rewards', { customerId: '7' });
    expect(whys(empty)).toMatchObject({ 1: 'below-minimum', 3: 'exceeds-purchase' });
    expect(customer.headers['cache-control']).toBe('private, no-store');
  });

  it('are shown to a customer whom the service does not know, with that reason', async () => {
    const { json } = await ofCustomer();
    expect(json).toMatchObject({ points: null, rewards: { length: 9 } });
    expect(whys({ json })).toMatchObject({ 1: 'not-a-member', 10: 'not-online' });
    expect(shop.calls('listAvailableRewards')).toBe(0);
  });

  it('are shown without descriptions while the service does not list them', async () => {
    await shop.enroll('7', 120);
    shop.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'listRewardConfigurations' ? TIME_OUT : pass();
    const { json } = await ofCustomer();
    expect(json.rewards[0]).toMatchObject({ id: 1, title: '5 off', description: '', why: null });
    expect((await shop.ask('rewards', { own: CART })).status).toBe(503);
  });
});

const SILENCE = { kind: 'transport-failure', class: 'retry', mayHaveHappened: true };

describe('the rewards of the program', () => {
  const page = (HasNextPage: boolean, ...Items: readonly object[]) =>
    success({ Items, HasNextPage });

  it('are those of two pages that are active, and are asked for once', async () => {
    const { deps, asked } = openAnswering(
      page(true, { Id: 1 }, { Id: 2, IsActive: false }),
      page(true, { Id: 3, IsActive: true }),
    );
    for (const _ of ['first page', 'second page']) {
      const value = [{ Id: 1 }, { Id: 3, IsActive: true }];
      expect(await readActive(deps)).toEqual({ kind: 'answered', value });
    }
    const query = { IsActive: true, PageSize: 50 };
    expect(asked).toEqual([[{ ...query, PageNumber: 1 }], [{ ...query, PageNumber: 2 }]]);
  });

  it('are not known, instead of half of them for a minute, where the service falls silent in between', async () => {
    const { deps } = openAnswering(page(true, { Id: 1 }), SILENCE, page(false, { Id: 1 }));
    expect(await readActive(deps)).toMatchObject({ kind: 'unavailable' });
    expect(await readActive(deps)).toEqual({ kind: 'answered', value: [{ Id: 1 }] });
  });

  it('are none where the service has an error for that', async () => {
    const { deps, asked } = openAnswering(refusal());
    for (const _ of ['first page', 'second page']) {
      expect(await readActive(deps)).toEqual({ kind: 'answered', value: [] });
    }
    expect(asked).toHaveLength(1);
  });

  it('are for the tiers that are active, five of them asked for at once and the rest by the next page', async () => {
    const Tiers = [{ Name: 'Gold' }, { Name: 'Old', IsActive: false }, { Name: null }];
    const { deps, asked } = openAnswering(
      success({ Tiers }),
      success({}),
      refusal(),
      success({ Tiers }),
    );
    const ids = [1, 2, 3, 4, 5, 6];
    const tiers = async () =>
      [...(await readDetailsOf(ids, deps)).values()].map((one) => one.tiers);
    expect(await tiers()).toEqual([['Gold'], [], [], ['Gold'], ['Gold'], []]);
    expect(asked.flat()).toEqual([1, 2, 3, 4, 5]);
    expect(await tiers()).toEqual([['Gold'], [], [], ['Gold'], ['Gold'], ['Gold']]);
    expect(asked.flat()).toEqual(ids);
  });
});

describe('cashback that becomes store credit', () => {
  it.each([
    ['is offered where the program limits nothing', {}, null],
    ['is not where it limits what cashback pays', { CashbackMaxPurchaseValue: 20 }, 'not-online'],
    ['is not where it needs a purchase', { MinimalValue: 20 }, 'not-online'],
    ['is not where it pays for some products only', { HasProductCollection: true }, 'not-online'],
  ])('%s', async (_, configuration, why) => {
    const { deps, asked } = openAnswering(success(configuration));
    const cashback = { AvailableCashback: 5, MaxCashbackForCurrentPurchase: 5 };
    const offered = { Rewards: [{ Id: 7, CanUse: true, RewardType: 3, ...cashback }] };
    const program = { kind: 'answered', value: [] } as const;
    const credit = { ...deps, rewardTypes: { 3: 'store-credit' } as const };
    for (const _ of ['first page', 'second page']) {
      const { rewards } = await viewRewards(offered, program, 'Gold', [], credit);
      expect(rewards).toMatchObject([{ kind: 'store-credit', redeemable: why === null, why }]);
    }
    expect(asked).toEqual([[7]]);
  });

  it.each([
    ['its end', success({ ValidDays: 30 }), 31],
    ['its end in ten years, where it has none', success({}), 3651],
    ['nothing, and is not offered, where the service does not say', SILENCE, undefined],
  ])('says before the press: %s', async (_, configuration, days) => {
    const { deps } = openAnswering(configuration);
    const cashback = { AvailableCashback: 5, MaxCashbackForCurrentPurchase: 5 };
    const offered = { Rewards: [{ Id: 7, CanUse: true, RewardType: 3, ...cashback }] };
    const program = { kind: 'answered', value: [] } as const;
    const credit = { ...deps, rewardTypes: { 3: 'store-credit' } as const };
    const { rewards } = await viewRewards(offered, program, 'Gold', [], credit);
    const midnight = Math.floor(deps.now().getTime() / 86_400_000) * 86_400_000;
    const end = days === undefined ? null : new Date(midnight + days * 86_400_000).toISOString();
    expect(rewards).toMatchObject([
      {
        redeemable: end !== null,
        why: end ? null : 'not-available',
        cashback: { validUntil: end },
      },
    ]);
  });
});

describe('the tier of a customer', () => {
  const goal = { Name: 'Orders', CurrentValue: 1, GoalValue: 3, PercentToGoal: 33 };

  it.each([
    [
      'the next by its order',
      { Name: 'B', Order: 2, Color: '#b' },
      [
        { Name: 'D', Order: 4 },
        { Name: 'C', Order: 3, Goals: [goal, {}] },
        { Name: 'A', Order: 1 },
        { Name: 'B', Order: 2 },
      ],
      {
        ...{ name: 'B', color: '#b' },
        next: {
          name: 'C',
          goals: [
            { name: 'Orders', value: 1, goal: 3, percent: 33 },
            { name: '', value: 0, goal: 0, percent: 0 },
          ],
        },
      },
    ],
    [
      'none after the last',
      { Name: 'B', Order: 2 },
      [{ Name: 'A', Order: 1 }],
      { name: 'B', color: null, next: null },
    ],
    [
      'the first where its own has no order',
      { Name: 'B' },
      [{ Name: 'A' }],
      { name: 'B', color: null, next: { name: 'A', goals: [] } },
    ],
    [
      'none without a name',
      { Name: 'B', Order: 1 },
      [{ Order: 2 }],
      { name: 'B', color: null, next: null },
    ],
    ['none for who has none', null, [{ Name: 'A', Order: 1 }], null],
    ['none for one without a name', { Order: 1 }, [], null],
  ])('shows the way to %s', async (_, CurrentTier, NextTiers, expected) => {
    const { deps } = openAnswering(success({ CurrentTier, NextTiers }));
    expect(await readTier('7', deps)).toEqual(expected);
  });

  it('is not known where the service refuses to say it', async () => {
    expect(await readTier('7', openAnswering(refusal()).deps)).toBe('unknown');
  });
});
