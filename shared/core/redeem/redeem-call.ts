import type { components } from '../../loyalty/contract.gen.ts';
import type { LoyaltyResult } from '../../loyalty/result.ts';
import { judge } from '../sync/make-calls.ts';
import { tellCallTrouble } from '../sync/tell-call-trouble.ts';
import type { RedeemWorld } from './redeem-world.ts';
import type { Redemption, RefusedWhy, RewardCode } from './redemption.ts';
import { isOverdue } from './redemption-state.ts';
import { codeFrom } from './reward-code.ts';

export type RedeemCallEnd =
  | { readonly kind: 'redeemed'; readonly code: RewardCode }
  | { readonly kind: 'refused'; readonly why: RefusedWhy }
  /** The points are surely not spent, and another try may go better. */
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unknown'; readonly why: string };

type Answer = { readonly Items: readonly components['schemas']['RewardConfiguration'][] };

/** ApiExternalRewardRedeem_Error_Customer_not_Found: whom the service does not know has no points. */
const UNKNOWN_CUSTOMER = 46;
/** ApiExternalRewardRedeem_Error_Unable_to_Reedem: whatever the reward does not allow this customer. */
const UNABLE = 47;
/** PdvOrder_NotEnoughPoints. */
const NOT_ENOUGH_POINTS = 94;

/** The one call that spends points. It takes no key, so it is never made twice for one intent. */
export async function callRedeem(
  redemption: Redemption,
  customerId: string,
  world: RedeemWorld,
): Promise<RedeemCallEnd> {
  const { loyalty, breaker, telemetry, now, deadline } = world;
  // Others may have settled it by now, and nothing must be spent after that.
  if (deadline.aborted || isOverdue(redemption, now())) return { kind: 'not-sent' };
  const permit = breaker.enter(now());
  if (permit.kind === 'stay-away') return { kind: 'not-sent' };
  try {
    const body = { CustomerId: customerId };
    const result = await loyalty.redeemReward(redemption.rewardId, body, { signal: deadline });
    const judged = judge(['redeemReward'], result);
    permit.settle(judged.end, now());
    tellCallTrouble('redeemReward', judged, telemetry);
    return judgeAnswer(result, redemption, now());
  } finally {
    permit.settle('failed', now());
  }
}

function judgeAnswer(
  result: LoyaltyResult<Answer>,
  redemption: Redemption,
  now: Date,
): RedeemCallEnd {
  switch (result.kind) {
    case 'success':
    case 'warning': {
      const { Items: items } = result.value;
      const answer = items.find(({ Id }) => Id === redemption.rewardId) ?? items[0];
      return { kind: 'redeemed', code: codeFrom(answer, redemption, now) };
    }
    case 'business-error':
      if (result.class === 'rejected')
        return { kind: 'refused', why: whyOf(result.code, redemption) };
      // "Something went wrong" does not say how far it had come.
      if (result.class === 'retry') return { kind: 'unknown', why: result.name ?? 'unnamed-error' };
      return { kind: 'not-sent' };
    case 'transport-failure':
      if (result.mayHaveHappened) return { kind: 'unknown', why: result.reason };
      return result.class === 'rejected'
        ? { kind: 'refused', why: 'refused' }
        : { kind: 'not-sent' };
  }
}

function whyOf(code: number | undefined, { terms }: Redemption): RefusedWhy {
  if (code === NOT_ENOUGH_POINTS || code === UNKNOWN_CUSTOMER) return 'too-few-points';
  if (code !== UNABLE) return 'refused';
  return terms.limited ? 'limit-reached' : 'not-available';
}
