import { describe, expect, it } from 'vitest';
import {
  type RewardView,
  unexplained,
  viewOffered,
  viewUnoffered,
  withOtherTiers,
} from '../../../../shared/core/storefront/reward-view.ts';

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
