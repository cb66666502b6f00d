import type { components } from '../../loyalty/contract.gen.ts';
import type { RewardKind, RewardTerms } from './redemption.ts';
import { isValueOf, readDate } from './reward-code.ts';

type RewardConfiguration = components['schemas']['RewardConfiguration'];

const LONGEST_TITLE = 120;
const LONGEST_PREFIX = 20;
/** Ten years: a longer time counts as no end. */
const MOST_DAYS = 3650;

/**
 * What the reward gives, or undefined when it cannot be had now or cannot become a discount of the
 * store: no customer must pay points for a code that can never be made.
 */
export function readTerms(
  reward: RewardConfiguration,
  rewardTypes: Readonly<Record<number, RewardKind>>,
  now: Date,
): RewardTerms | undefined {
  const { Points, NoPointCost, RewardType, MinimalValue, ValidDays } = reward;
  const kind = RewardType === undefined ? undefined : rewardTypes[RewardType];
  const points = NoPointCost === true ? 0 : Points;
  if (kind === undefined || points === undefined || !(points >= 0)) return undefined;
  const value = kind === 'free-shipping' ? 0 : (reward.Value ?? 0);
  if (!isValueOf(kind, value) || !isOnOffer(reward, now) || hasOtherLimits(reward)) {
    return undefined;
  }
  return {
    title: reward.Title?.trim().slice(0, LONGEST_TITLE) || `Reward ${reward.Id}`,
    points,
    kind,
    value,
    ...(isAbove0(MinimalValue) && { minimum: MinimalValue }),
    combines: reward.CumulativeDiscount === true,
    ...(isAbove0(ValidDays) && ValidDays <= MOST_DAYS && { validDays: ValidDays }),
    codePrefix: prefixOf(reward),
    limited: reward.HasSameCustomerUsageLimit === true || reward.HasGlobalUsageLimit === true,
  };
}

function isOnOffer(reward: RewardConfiguration, now: Date): boolean {
  if (reward.IsActive === false || reward.Enabled === false) return false;
  if (reward.HasValidDate !== true) return true;
  const start = readDate(reward.ValidDateStart);
  const end = readDate(reward.ValidDateEnd);
  const at = now.toISOString();
  return (start === undefined || start <= at) && (end === undefined || at <= end);
}

/** A condition that the store's discount cannot have: the code would give more than the reward. */
function hasOtherLimits(reward: RewardConfiguration): boolean {
  return (
    reward.HasProductCollection === true ||
    (reward.ValidOnlyProductCollections ?? []).length > 0 ||
    isAbove0(reward.MinimumPercentPurchase) ||
    reward.IsCashbackInformativeOnly === true
  );
}

function prefixOf({ CodePrefix }: RewardConfiguration): string {
  const plain = (CodePrefix ?? '').toUpperCase().replace(/[^A-Z0-9]+/g, '-');
  return plain.slice(0, LONGEST_PREFIX).replace(/^-|-$/g, '') || 'REWARD';
}

const isAbove0 = (value: number | undefined): value is number => value !== undefined && value > 0;
