import { callForShopper } from '../sync/call-loyalty.ts';
import type { RedeemWorld } from './redeem-world.ts';
import type { RewardTerms } from './redemption.ts';
import { readTerms } from './reward-terms.ts';

export type CheckedReward =
  | { readonly kind: 'on-offer'; readonly terms: RewardTerms }
  | { readonly kind: 'not-available' }
  | { readonly kind: 'unavailable' };

/** Before anything is spent: what the reward gives, and whether the store can give it. */
export async function checkReward(rewardId: number, world: RedeemWorld): Promise<CheckedReward> {
  const { loyalty, settings, now, deadline } = world;
  const called = await callForShopper(
    'getRewardConfiguration',
    () => loyalty.getRewardConfiguration(rewardId, { signal: deadline }),
    world,
  );
  if (called.kind === 'stay-away' || called.outcome.kind === 'retry') {
    return { kind: 'unavailable' };
  }
  const { result } = called;
  if (result.kind !== 'success' && result.kind !== 'warning') return { kind: 'not-available' };
  const terms = readTerms(result.value, settings.rewardTypes, now());
  return terms ? { kind: 'on-offer', terms } : { kind: 'not-available' };
}
