import {
  type AvailableReward,
  type AvailableRewards,
  type CannotUse,
  type CashbackRange,
  cannotUse,
  cashbackRange,
} from '../redeem/available-rewards.ts';
import { productDiscount } from '../redeem/product-reward.ts';
import type { RewardKind } from '../redeem/redemption.ts';
import { meaningOf, type RewardTypes } from '../redeem/reward-terms.ts';
import type { RewardItem } from './program-rewards.ts';

export interface RewardView {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly points: number;
  readonly kind: RewardKind | 'cashback' | 'other';
  readonly value: number;
  /** The name of the only product that it is for. */
  readonly product: string | null;
  /** What may be chosen; null where nothing is to be chosen. */
  readonly cashback: CashbackRange | null;
  readonly redeemable: boolean;
  /** Why not; null where it can be redeemed. */
  readonly why: WhyNot | null;
  readonly missingPoints: number | null;
  /** With `other-tier`: the names of the tiers that it is for. */
  readonly tiers: readonly string[];
  /** What the service says of its conditions, in the program's language. */
  readonly requirements: string | null;
}

type WhyNot =
  | CannotUse
  | 'not-logged-in'
  | 'pending'
  | 'other-tier'
  /** It cannot become a discount of the store. */
  | 'not-online';

/** Active rewards that the service offers no customer of this page: none can be redeemed, for one reason. */
export function viewUnoffered(
  items: readonly RewardItem[],
  why: 'not-logged-in' | 'not-a-member',
  rewardTypes: RewardTypes,
): readonly RewardView[] {
  return items.flatMap((item) => {
    const view = viewOf(item, { Rewards: [] }, rewardTypes);
    if (!view) return [];
    const isOnline = meaningOf(item.RewardType, rewardTypes) !== 'custom';
    const description = item.Description ?? '';
    return [{ ...view, description, redeemable: false, why: isOnline ? why : 'not-online' }];
  });
}

interface Circumstances {
  readonly rewardTypes: RewardTypes;
  /** Only this list has descriptions; empty while the service does not give it. */
  readonly active: readonly RewardItem[];
  /** The rewards of redemptions that are under way: a second click would join them. */
  readonly open: ReadonlySet<number>;
}

/** What the service offers, with its reasons. */
export function viewOffered(
  offered: AvailableRewards,
  { rewardTypes, active, open }: Circumstances,
): readonly RewardView[] {
  const descriptions = new Map(active.map(({ Id, Description }) => [Id, Description]));
  return offered.Rewards.flatMap((reward) => {
    const view = viewOf(reward, offered, rewardTypes);
    if (!view) return [];
    const shown = { ...view, description: descriptions.get(view.id) ?? '' };
    return [open.has(view.id) ? { ...shown, redeemable: false, why: 'pending' } : shown];
  });
}

/** Those that the service does not offer, or not for a reason that it names. */
export function unexplained(
  offered: readonly RewardView[],
  active: readonly RewardItem[],
): readonly number[] {
  const explained = offered.filter(({ why }) => why !== 'not-available').map(({ id }) => id);
  return active.flatMap(({ Id }) => (Id === undefined || explained.includes(Id) ? [] : [Id]));
}

/** With the rewards of other tiers, which the service does not offer. For others it gives no reason: they stay away. */
export function withOtherTiers(
  offered: readonly RewardView[],
  tiersOf: ReadonlyMap<number, readonly string[]>,
  ownTier: string | undefined,
  { active, rewardTypes }: Pick<Circumstances, 'active' | 'rewardTypes'>,
): readonly RewardView[] {
  const barred = ({ id }: Pick<RewardView, 'id'>) => {
    const tiers = tiersOf.get(id) ?? [];
    const isBarred = tiers.length > 0 && !tiers.includes(ownTier ?? '');
    return isBarred ? ({ redeemable: false, why: 'other-tier', tiers } as const) : undefined;
  };
  const absent = viewUnoffered(
    active.filter((item) => !offered.some(({ id }) => id === item.Id)),
    'not-a-member',
    rewardTypes,
  );
  return [
    ...offered.map((one) => ({ ...one, ...barred(one) })),
    ...absent.flatMap((one) => {
      const why = barred(one);
      return why ? [{ ...one, ...why }] : [];
    }),
  ];
}

function viewOf(
  reward: AvailableReward,
  offered: AvailableRewards,
  rewardTypes: RewardTypes,
): RewardView | undefined {
  const { Id: id, Points: points = 0 } = reward;
  if (id === undefined) return undefined;
  const gift = giftOf(reward, offered, rewardTypes);
  const why = cannotUse(reward) ?? gift.why ?? null;
  const missing = points - (offered.AvailablePoints ?? points);
  return {
    id,
    title: reward.Title ?? '',
    description: '',
    points,
    ...gift.shown,
    redeemable: why === null,
    why,
    missingPoints: why === 'too-few-points' && missing > 0 ? Math.round(missing * 100) / 100 : null,
    tiers: [],
    requirements: reward.Requirements?.trim() || null,
  };
}

interface Gift {
  readonly shown: Pick<RewardView, 'kind' | 'value' | 'product' | 'cashback'>;
  /** Why it cannot be redeemed although the service allows it. */
  readonly why?: 'no-cashback' | 'not-online';
}

function giftOf(
  reward: AvailableReward,
  offered: AvailableRewards,
  rewardTypes: RewardTypes,
): Gift {
  const none = { product: null, cashback: null };
  const meaning = meaningOf(reward.RewardType, rewardTypes);
  switch (meaning) {
    case 'percent':
    case 'fixed':
      return { shown: { ...none, kind: meaning, value: reward.Value ?? 0 } };
    case 'free-shipping':
      return { shown: { ...none, kind: meaning, value: 0 } };
    case 'cashback': {
      const cashback = cashbackRange(reward, offered) ?? null;
      const shown = { ...none, kind: meaning, value: 0, cashback };
      return cashback ? { shown } : { shown, why: 'no-cashback' };
    }
    case 'product': {
      const discount = productDiscount(reward);
      const product = reward.ProductDisplayName ?? null;
      if (!discount) {
        return { shown: { ...none, kind: 'other', value: 0, product }, why: 'not-online' };
      }
      const { kind, value } = discount;
      return { shown: { ...none, kind, value, product: discount.product.name } };
    }
    case 'custom':
      return { shown: { ...none, kind: 'other', value: 0 }, why: 'not-online' };
  }
}
