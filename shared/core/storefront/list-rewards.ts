import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  type AvailableReward,
  type AvailableRewards,
  type AvailableWorld,
  type CannotUse,
  type CashbackRange,
  cannotUse,
  cashbackRange,
  readAvailable,
} from '../redeem/available-rewards.ts';
import { openBook } from '../redeem/open-book.ts';
import { productDiscount } from '../redeem/product-reward.ts';
import type { RewardKind } from '../redeem/redemption.ts';
import { viewOf as redemptionView } from '../redeem/redemption-view.ts';
import { meaningOf, type RewardTypes } from '../redeem/reward-terms.ts';
import { askLoyalty, type Unavailable } from './ask-loyalty.ts';
import type { CartLine } from './cart.ts';
import type { TimedCache } from './timed-cache.ts';

export type RewardItem = components['schemas']['RewardConfigurationItem'];

interface RewardView {
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
}

type WhyNot =
  | CannotUse
  | 'not-logged-in'
  | 'pending'
  /** It cannot become a discount of the store. */
  | 'not-online';

interface RewardList {
  readonly points: number | null;
  readonly rewards: readonly RewardView[];
}

export interface RewardsWorld extends AvailableWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: Pick<LoyaltyClient, 'listRewardConfigurations' | 'listAvailableRewards'>;
  readonly retentionDays: number;
  readonly rewardTypes: RewardTypes;
  /** The same for every customer. */
  readonly rewards: TimedCache<readonly RewardItem[]>;
}

type Listed = { readonly kind: 'answered'; readonly value: RewardList } | Unavailable;

const PAGE_SIZE = 50;
/** A page of the store shows at most a hundred, and more calls would take too long. */
const MOST_PAGES = 2;

/**
 * For a customer what the service offers them for this cart, with its reasons; for others the active
 * rewards.
 */
export async function listRewards(
  shop: string,
  customerId: string | undefined,
  cart: readonly CartLine[],
  world: RewardsWorld,
): Promise<Listed> {
  if (customerId === undefined) return listActive('not-logged-in', world);
  const [offered, active, open] = await Promise.all([
    readAvailable(customerId, cart, world),
    readActive(world),
    readOpen(shop, customerId, world),
  ]);
  if (offered.kind === 'unavailable') return offered;
  if (offered.kind === 'not-a-member') return listActive('not-a-member', world);
  // Only this list has descriptions; without them the rewards can still be shown.
  const items = active.kind === 'answered' ? active.value : [];
  const descriptions = new Map(items.map(({ Id, Description }) => [Id, Description]));
  const rewards = offered.value.Rewards.flatMap((reward) => {
    const view = viewOf(reward, offered.value, open, world.rewardTypes);
    return view ? [{ ...view, description: descriptions.get(view.id) ?? '' }] : [];
  });
  return { kind: 'answered', value: { points: offered.value.AvailablePoints ?? null, rewards } };
}

/** The same for everyone: nothing can be redeemed, for one reason. */
async function listActive(
  why: 'not-logged-in' | 'not-a-member',
  world: RewardsWorld,
): Promise<Listed> {
  const active = await readActive(world);
  if (active.kind === 'unavailable') return active;
  const rewards = active.value.flatMap((item) => {
    const view = viewOf(item, { Rewards: [] }, new Set(), world.rewardTypes);
    const isOnline = meaningOf(item.RewardType, world.rewardTypes) !== 'custom';
    if (!view) return [];
    const description = item.Description ?? '';
    return [{ ...view, description, why: isOnline ? why : ('not-online' as const) }];
  });
  return { kind: 'answered', value: { points: null, rewards } };
}

function viewOf(
  reward: AvailableReward,
  offered: AvailableRewards,
  open: ReadonlySet<number>,
  rewardTypes: RewardTypes,
): RewardView | undefined {
  const { Id: id, Points: points = 0 } = reward;
  if (id === undefined) return undefined;
  const gift = giftOf(reward, offered, rewardTypes);
  const why = open.has(id) ? 'pending' : (cannotUse(reward) ?? gift.why ?? null);
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

/** The rewards of redemptions that are under way: a second click would join them. */
async function readOpen(
  shop: string,
  customerId: string,
  world: RewardsWorld,
): Promise<ReadonlySet<number>> {
  const { redemptions } = await openBook({ shop, customerId }, world).read();
  const views = redemptions.flatMap((one) => redemptionView(one) ?? []);
  return new Set(
    views
      .filter(({ state }) => state === 'pending' || state === 'making')
      .map(({ rewardId }) => rewardId),
  );
}

async function readActive(
  world: RewardsWorld,
): Promise<{ readonly kind: 'answered'; readonly value: readonly RewardItem[] } | Unavailable> {
  const known = world.rewards.recall('');
  if (known) return { kind: 'answered', value: known };
  const items: RewardItem[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const asked = await askLoyalty(
      'listRewardConfigurations',
      (options) =>
        world.loyalty.listRewardConfigurations(
          { IsActive: true, PageNumber: page, PageSize: PAGE_SIZE },
          options,
        ),
      world,
    );
    if (asked.kind === 'unavailable') return asked;
    // The service has an error for a program without rewards.
    if (asked.kind === 'refused') {
      world.telemetry.log('warn', 'the loyalty service listed no rewards', {
        why: asked.name ?? 'unnamed-error',
      });
      break;
    }
    items.push(...asked.value.Items.filter(({ IsActive }) => IsActive !== false));
    if (!asked.value.HasNextPage) break;
  }
  world.rewards.keep('', items);
  return { kind: 'answered', value: items };
}
