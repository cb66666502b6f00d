import type { components } from '../../loyalty/contract.gen.ts';
import type { LoyaltyResult } from '../../loyalty/result.ts';
import { callForShopper } from '../sync/call-loyalty.ts';
import type { RedeemWorld } from './redeem-world.ts';
import type { Redemption, RefusedWhy, RewardCode } from './redemption.ts';
import { isOverdue } from './redemption-state.ts';
import { codeFrom } from './reward-code.ts';

export type RedeemCallEnd =
  | { readonly kind: 'redeemed'; readonly code: RewardCode }
  | { readonly kind: 'refused'; readonly why: RefusedWhy }
  /** The points are surely not spent, and another try may succeed. */
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'unknown'; readonly why: string };

type Answer = { readonly Items: readonly components['schemas']['RewardConfiguration'][] };

/** ApiExternalRewardRedeem_Error_Customer_not_Found: whom the service does not know has no points. */
const UNKNOWN_CUSTOMER = 46;
/**
 * ApiExternalRewardRedeem_Error_Unable_to_Reedem: the reward is not allowed for this customer, for any
 * reason.
 */
const UNABLE = 47;
/** PdvOrder_NotEnoughPoints. */
const NOT_ENOUGH_POINTS = 94;

/** The one call that spends points. It takes no key, so it is never made twice for one intent. */
export async function callRedeem(
  redemption: Redemption,
  customerId: string,
  world: RedeemWorld,
): Promise<RedeemCallEnd> {
  const { loyalty, now, deadline } = world;
  // Another process may have settled it by now, and then nothing must be spent.
  if (deadline.aborted || isOverdue(redemption, now())) return { kind: 'not-sent' };
  const body = { CustomerId: customerId };
  const called = await callForShopper(
    'redeemReward',
    () => loyalty.redeemReward(redemption.rewardId, body, { signal: deadline }),
    world,
  );
  if (called.kind === 'stay-away') return { kind: 'not-sent' };
  return judgeAnswer(called.result, redemption, now());
}

function judgeAnswer(
  result: LoyaltyResult<Answer>,
  redemption: Redemption,
  now: Date,
): RedeemCallEnd {
  switch (result.kind) {
    case 'success':
    case 'warning': {
      const answer = result.value.Items.find(({ Id }) => Id === redemption.rewardId);
      return answer === undefined
        ? { kind: 'unknown', why: 'reward-missing' }
        : { kind: 'redeemed', code: codeFrom(answer, redemption, now) };
    }
    case 'business-error':
      if (result.class === 'rejected')
        return { kind: 'refused', why: whyOf(result.code, redemption) };
      // "Something went wrong" does not say how far it had come.
      if (result.class === 'retry') {
        return { kind: 'unknown', why: result.finding ?? result.name ?? 'unnamed-error' };
      }
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
