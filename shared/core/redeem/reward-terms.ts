import type { components } from '../../loyalty/contract.gen.ts';
import type { AvailableReward } from './available-rewards.ts';
import type { RewardTerms } from './redemption.ts';
import { isValueOf } from './reward-code.ts';

type RewardConfiguration = components['schemas']['RewardConfiguration'];

/** What a reward's `RewardType` can mean. `custom`: shown, and redeemed elsewhere. */
export type RewardMeaning =
  | 'percent'
  | 'fixed'
  | 'free-shipping'
  | 'cashback'
  | 'product'
  | 'custom';

export type RewardTypes = Readonly<Record<number, RewardMeaning>>;

/** A number that the settings do not know is shown, and cannot be redeemed. */
export function meaningOf(type: number | undefined, rewardTypes: RewardTypes): RewardMeaning {
  return rewardTypes[type ?? -1] ?? 'custom';
}

/** What the code of a reward takes off in the store. */
export type Discount = Pick<RewardTerms, 'kind' | 'value' | 'minimum' | 'product' | 'cashback'>;

const LONGEST_TITLE = 120;
const LONGEST_PREFIX = 20;
/** Ten years: a longer time counts as no end. */
const MOST_DAYS = 3650;

/**
 * What the customer is offered, or undefined when it cannot become a discount of the store: no customer
 * must pay points for a code that can never be made.
 */
export function readTerms(
  reward: AvailableReward,
  configuration: RewardConfiguration,
  discount: Discount,
): RewardTerms | undefined {
  const { Points, RewardCanBeCumulative } = reward;
  const { MinimalValue, ValidDays, CumulativeDiscount } = configuration;
  const points = discount.cashback ? 0 : Points;
  if (points === undefined || !(points >= 0)) return undefined;
  if (!isValueOf(discount.kind, discount.value) || hasOtherLimits(configuration)) return undefined;
  const minimum = Math.max(discount.minimum ?? 0, MinimalValue ?? 0);
  // The store counts the minimum of a product's discount over that product alone.
  if (discount.product && minimum > 0) return undefined;
  return {
    ...discount,
    title: reward.Title?.trim().slice(0, LONGEST_TITLE) || `Reward ${reward.Id}`,
    points,
    ...(minimum > 0 && { minimum }),
    combines: (RewardCanBeCumulative ?? CumulativeDiscount) === true,
    ...(isAbove0(ValidDays) && ValidDays <= MOST_DAYS && { validDays: ValidDays }),
    codePrefix: prefixOf(configuration),
    limited:
      configuration.HasSameCustomerUsageLimit === true ||
      configuration.HasGlobalUsageLimit === true,
  };
}

/** A condition that the store's discount cannot have: the code would give more than the reward. */
function hasOtherLimits(configuration: RewardConfiguration): boolean {
  return (
    configuration.HasProductCollection === true ||
    (configuration.ValidOnlyProductCollections ?? []).length > 0 ||
    isAbove0(configuration.MinimumPercentPurchase) ||
    configuration.IsCashbackInformativeOnly === true
  );
}

function prefixOf({ CodePrefix }: RewardConfiguration): string {
  const plain = (CodePrefix ?? '').toUpperCase().replace(/[^A-Z0-9]+/g, '-');
  return plain.slice(0, LONGEST_PREFIX).replace(/^-|-$/g, '') || 'REWARD';
}

const isAbove0 = (value: number | undefined): value is number => value !== undefined && value > 0;
