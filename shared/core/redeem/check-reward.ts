import { judge } from '../sync/make-calls.ts';
import { tellCallTrouble } from '../sync/tell-call-trouble.ts';
import type { RedeemWorld } from './redeem-world.ts';
import type { RewardTerms } from './redemption.ts';
import { readTerms } from './reward-terms.ts';

export type CheckedReward =
  | { readonly kind: 'on-offer'; readonly terms: RewardTerms }
  | { readonly kind: 'not-available' }
  | { readonly kind: 'unavailable' };

/** Before anything is spent: what the reward gives, and whether the store can give it. */
export async function checkReward(
  rewardId: number,
  { loyalty, breaker, telemetry, settings, now, deadline }: RedeemWorld,
): Promise<CheckedReward> {
  const permit = breaker.enter(now());
  if (permit.kind === 'stay-away') return { kind: 'unavailable' };
  try {
    const result = await loyalty.getRewardConfiguration(rewardId, { signal: deadline });
    const judged = judge(['getRewardConfiguration'], result);
    permit.settle(judged.end, now());
    tellCallTrouble('getRewardConfiguration', judged, telemetry);
    if (judged.outcome.kind === 'retry') return { kind: 'unavailable' };
    if (result.kind !== 'success' && result.kind !== 'warning') return { kind: 'not-available' };
    const terms = readTerms(result.value, settings.rewardTypes, now());
    return terms ? { kind: 'on-offer', terms } : { kind: 'not-available' };
  } finally {
    permit.settle('unused', now());
  }
}
