import type { AvailableRewards } from '../redeem/available-rewards.ts';
import { viewOf } from '../redeem/redemption-view.ts';
import type { RewardTypes } from '../redeem/reward-terms.ts';
import type { Unavailable } from './ask-loyalty.ts';
import type { KnownCustomer } from './known-customer.ts';
import { type ActiveRewards, type ProgramWorld, readTiersOf } from './program-rewards.ts';
import {
  type RewardView,
  unexplained,
  viewOffered,
  viewUnoffered,
  withOtherTiers,
} from './reward-view.ts';

export interface Rewards {
  /** Null: the service cannot be reached. The balance is then the last that is known, and older. */
  readonly rewards: readonly RewardView[] | null;
  /** With `rewards: null`: when to ask again. */
  readonly retryAfterSeconds: number | null;
}

export interface RewardsWorld extends ProgramWorld {
  readonly rewardTypes: RewardTypes;
}

const listed = (rewards: readonly RewardView[]): Rewards => ({ rewards, retryAfterSeconds: null });
export const notListed = ({ afterSeconds }: Unavailable): Rewards => ({
  rewards: null,
  retryAfterSeconds: afterSeconds,
});

/** Where the service offers nothing to this visitor: the program's rewards, with one reason. */
export function viewForAll(
  active: ActiveRewards,
  why: Parameters<typeof viewUnoffered>[1],
  { rewardTypes }: RewardsWorld,
): Rewards {
  return active.kind === 'answered'
    ? listed(viewUnoffered(active.value, why, rewardTypes))
    : notListed(active);
}

/** What the service offers, with the reasons for all else. */
export async function viewRewards(
  offered: AvailableRewards,
  program: ActiveRewards,
  ownTier: string | undefined,
  { redemptions }: KnownCustomer,
  world: RewardsWorld,
): Promise<Rewards> {
  const active = program.kind === 'answered' ? program.value : [];
  const open = new Set(
    redemptions
      .flatMap((one) => viewOf(one) ?? [])
      .filter(({ state }) => state === 'pending' || state === 'making')
      .map(({ rewardId }) => rewardId),
  );
  const circumstances = { active, open, rewardTypes: world.rewardTypes };
  const views = viewOffered(offered, circumstances);
  const tiersOf = await readTiersOf(unexplained(views, active), world);
  return listed(withOtherTiers(views, tiersOf, ownTier, circumstances));
}
