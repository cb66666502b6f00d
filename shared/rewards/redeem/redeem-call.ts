import {
  askLoyalty,
  callForShopper,
  callLoyalty,
  type Unavailable,
} from '../../core/calls/call-loyalty.ts';
import { AFTER_UNKNOWN_OUTCOME_SECONDS, type RetryReason } from '../../core/events/outcome.ts';
import type { Value } from '../../loyalty/operations.ts';
import { type LoyaltyResult, transportFailure } from '../../loyalty/result.ts';
import {
  codeFrom,
  REPEAT_AFTER_SECONDS,
  type Redemption,
  type RefusedWhy,
  type Step,
  secondsUntil,
} from './redemption.ts';
import {
  applyStep,
  type OpenRedemptions,
  type RedeemingDeps,
  tryStep,
} from './redemption-record.ts';

type Attempted =
  /** The answer is recorded, or another process makes or made the call. */
  | { readonly kind: 'known'; readonly redemption: Redemption | undefined }
  /** The points are surely not spent by this attempt. */
  | { readonly kind: 'not-sent'; readonly attempt: number; readonly retry: RetryReason }
  | { readonly kind: 'unanswered'; readonly redemption: Redemption; readonly retry: RetryReason };

/**
 * Begin → call → record: one attempt of the call that spends points. `by` says whether the customer
 * waits for its answer.
 */
export async function attemptRedeem(
  record: OpenRedemptions,
  id: string,
  by: 'shopper' | 'worker',
  deps: RedeemingDeps,
): Promise<Attempted> {
  const { loyalty, now, deadline } = deps;
  const { isOurs, redemption } = await tryStep(record, id, { kind: 'call' });
  if (!isOurs || redemption?.state.at !== 'calling') return { kind: 'known', redemption };
  const { rewardId } = redemption;
  const { attempts: attempt, body, calledAt } = redemption.state;
  const ask = by === 'shopper' ? callForShopper : callLoyalty;
  // After this time another process may have repeated it, and even cancelled the redemption.
  const isTooLate = () => secondsUntil(calledAt, REPEAT_AFTER_SECONDS, now()) === 0;
  const called = await ask(
    'redeemRewardByKey',
    // Decided here, because the call may have waited for others.
    async () =>
      deadline.aborted || isTooLate()
        ? TOO_LATE
        : loyalty.redeemRewardByKey(rewardId, body, { signal: deadline }),
    deps,
  );
  if (called.kind === 'call-refused') return { kind: 'not-sent', attempt, retry: called.retry };
  const { result, outcome } = called;
  const retry: RetryReason = outcome.kind === 'retry' ? outcome : { why: 'unnamed-error' };
  switch (judgeAnswer(result)) {
    case 'redeemed': {
      const spent = await judgeSpent(result, redemption, record, deps);
      // A repetition has the same answer.
      if (spent.kind === 'unavailable') {
        const { afterSeconds } = spent;
        return unanswered(redemption, { why: 'loyalty-unavailable', afterSeconds });
      }
      return { kind: 'known', redemption: await applyStep(record, id, spent) };
    }
    case 'refused': {
      const late = by === 'worker' ? ({ late: true } as const) : {};
      const refuse = { kind: 'refuse', attempt, why: whyOf(result, redemption), ...late } as const;
      return { kind: 'known', redemption: await applyStep(record, id, refuse) };
    }
    case 'not-sent':
      return { kind: 'not-sent', attempt, retry };
    case 'unanswered':
      return unanswered(redemption, retry);
  }
}

function unanswered(redemption: Redemption, retry: RetryReason): Attempted {
  const afterSeconds = Math.max(retry.afterSeconds ?? 0, AFTER_UNKNOWN_OUTCOME_SECONDS);
  return {
    kind: 'unanswered',
    redemption,
    retry: { ...retry, afterSeconds, mayHaveHappened: true },
  };
}

const TOO_LATE = transportFailure('aborted', {
  mayHaveHappened: false,
  message: 'Not sent: its time is over.',
});

type Answer = LoyaltyResult<Value<'redeemRewardByKey'>>;

function judgeAnswer(result: Answer): 'redeemed' | 'refused' | 'not-sent' | 'unanswered' {
  switch (result.kind) {
    case 'success':
    case 'warning':
      return 'redeemed';
    case 'business-error':
      if (result.class === 'rejected') return 'refused';
      // "Something went wrong" does not say how far it had come.
      return result.class === 'retry' ? 'unanswered' : 'not-sent';
    case 'transport-failure':
      if (result.mayHaveHappened) return 'unanswered';
      return result.class === 'rejected' ? 'refused' : 'not-sent';
  }
}

/**
 * Of an answer, or of a look-up by key: whose points were spent. Another member may have taken the e-mail address since
 * the caller was proven, and a repetition comes later still. Nothing is given before it is known.
 */
export async function judgeSpent(
  result: Answer,
  redemption: Redemption,
  { customer }: OpenRedemptions,
  deps: RedeemingDeps,
): Promise<Extract<Step, { kind: 'answer' | 'spent-anothers' }> | Unavailable> {
  if (redemption.state.at !== 'calling') throw new Error(`it is ${redemption.state.at}`);
  const answer = answerStep(result, redemption, deps.now());
  const { redeemedRewardId } = answer;
  const read = await askLoyalty('getRedeemedReward', [redeemedRewardId], deps);
  if (read.kind === 'unavailable') return read;
  const named = read.kind === 'answered' ? read.value.Customer : undefined;
  const { CustomerId } = redemption.state.body;
  const proof = await deps.members.prove(customer.customerId, CustomerId, named);
  if (proof.kind === 'unavailable') return proof;
  return proof.kind === 'own' ? answer : { kind: 'spent-anothers', redeemedRewardId };
}

/** Of an answer, or of a look-up by key, that holds the redemption. The client has compared the key. */
export function answerStep(
  result: Answer,
  redemption: Pick<Redemption, 'id' | 'terms'>,
  now: Date,
) {
  const value = 'value' in result ? result.value : undefined;
  if (value?.RewardId === undefined)
    throw new Error(`an answer without a RewardId: redemption ${redemption.id}`);
  const code = redemption.terms.credit ? undefined : codeFrom(value.ExternalCode, redemption, now);
  return { kind: 'answer', redeemedRewardId: value.RewardId, code } as const;
}

/**
 * ApiExternalRewardRedeem_Error_Customer_not_Found: whom the service does not know has no points.
 * PdvOrder_NotEnoughPoints.
 */
const TOO_FEW_POINTS: ReadonlySet<number | undefined> = new Set([46, 94]);
/** ApiReward_NoActiveRewards, PdvReward_RewardNotFound. */
const NOT_ON_OFFER: ReadonlySet<number | undefined> = new Set([82, 87]);
/** ApiExternalRewardRedeem_Error_Unable_to_Reedem: not allowed for this customer, for any reason. */
const UNABLE = 47;

function whyOf(result: Answer, { terms }: Redemption): RefusedWhy {
  const code = result.kind === 'business-error' ? result.code : undefined;
  if (TOO_FEW_POINTS.has(code)) return 'too-few-points';
  if (NOT_ON_OFFER.has(code)) return 'not-available';
  if (code !== UNABLE) return 'refused';
  return terms.limited ? 'limit-reached' : 'not-available';
}
