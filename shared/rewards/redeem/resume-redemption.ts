import {
  askLoyalty,
  callForShopper,
  callLoyalty,
  callService,
  hasCode,
  type Unavailable,
} from '../../core/calls/call-loyalty.ts';
import { correlationOf, type RedemptionEvent } from '../../core/events/event.ts';
import {
  AFTER_UNKNOWN_OUTCOME_SECONDS,
  type Outcome,
  type Rejection,
  type RetryReason,
} from '../../core/events/outcome.ts';
import { retryStore } from '../../core/store/store.ts';
import type { Value } from '../../loyalty/operations.ts';
import { type LoyaltyResult, transportFailure } from '../../loyalty/result.ts';
import { cancelWithoutCode, deleteLateCode, giveCredit, makeCode } from './make-code.ts';
import {
  CANCEL_AFTER_SECONDS,
  codeFrom,
  isOpen,
  LOOK_AGAIN_AFTER_SECONDS,
  mayBeSpare,
  REPEAT_AFTER_SECONDS,
  type Redemption,
  type RefusedWhy,
  type Step,
  type StuckWhy,
  secondsToCancel,
  secondsUntil,
} from './redemption.ts';
import {
  applyStep,
  findRedemption,
  type OpenRedemptions,
  type Progress,
  type RedeemingDeps,
  settle,
} from './redemption-record.ts';
import { returnReward, takeAgain } from './take-back.ts';

interface Work {
  readonly event: RedemptionEvent;
  readonly record: OpenRedemptions;
  readonly deps: RedeemingDeps;
  /** Whether the customer waits for the answer: of the call that spends points, only the first attempt is then made. */
  readonly by: 'shopper' | 'worker';
}

/**
 * Carries one redemption on from the state that it is in, until it can go no further now. Its message stays on the queue
 * until the connector can do no more.
 */
export async function resume(work: Work, redemption: Redemption | undefined): Promise<Outcome> {
  // Redacted, or an intent that was never executed.
  if (!redemption) return { kind: 'handled', how: 'redemption-gone' };
  const { state } = redemption;
  const { record, deps } = work;
  const goOn = (come: Progress) => (come.kind === 'settled' ? resume(work, come.redemption) : come);
  switch (state.at) {
    case 'intended':
      if (work.by === 'shopper') return spendPoints(work, redemption);
      return repeat(work, redemption, redemption.intendedAt);
    case 'calling':
      if (work.by === 'shopper') return inProgress(REPEAT_AFTER_SECONDS);
      if (state.refusal) return lookUpTwice(work, redemption, state.refusal.absentAt);
      return repeat(work, redemption, state.calledAt);
    case 'redeemed': {
      const wait = secondsToCancel(state, deps.now());
      if (wait === undefined) return goOn(await makeCode(record, redemption, deps));
      if (wait > 0) return { kind: 'retry', why: 'redemption-to-cancel', afterSeconds: wait };
      return goOn(await cancelWithoutCode(record, redemption, deps));
    }
    case 'crediting': {
      const given = await giveCredit(record, redemption, deps);
      return given === 'unclear' ? getStuck(work, redemption, 'credit-unclear') : goOn(given);
    }
    case 'cancelling':
      return cancel(work, redemption, state.redeemedRewardId);
    case 'cancelled':
      return tidyUp(work, redemption, 'redemption-cancelled');
    case 'returning':
      return goOn(await returnReward(record, redemption, deps));
    case 'owing': {
      const taken = await takeAgain(record, redemption, deps);
      return taken.kind === 'rejected'
        ? getStuck(work, redemption, 'take-again-refused', taken)
        : goOn(taken);
    }
    case 'ready':
      return { kind: 'handled', how: 'redemption-ready' };
    case 'used': {
      if (!redemption.takeBack && !mayBeSpare(redemption)) {
        return { kind: 'handled', how: 'redemption-settled' };
      }
      // Its code may have been about to be made again.
      const afterSeconds = secondsUntil(redemption.since, CANCEL_AFTER_SECONDS, deps.now());
      if (afterSeconds > 0) return { kind: 'retry', why: 'redemption-to-cancel', afterSeconds };
      return tidyUp(work, redemption, 'redemption-settled');
    }
    case 'credited':
    case 'refused':
      return { kind: 'handled', how: 'redemption-settled' };
  }
}

/** A shopper's request has ended by then. What is still open can only be repeated when its time has come. */
const LOOK_AFTER_SECONDS = 5;

function inProgress(wait: number): Outcome {
  const isFresh = wait > REPEAT_AFTER_SECONDS - LOOK_AFTER_SECONDS;
  const afterSeconds = isFresh ? LOOK_AFTER_SECONDS : wait;
  return { kind: 'retry', why: 'redemption-in-progress', afterSeconds };
}

/** The next attempt, when no earlier one can be under way. */
async function repeat(work: Work, redemption: Redemption, since: string): Promise<Outcome> {
  const { state } = redemption;
  const wait = secondsUntil(since, REPEAT_AFTER_SECONDS, work.deps.now());
  if (wait > 0) return inProgress(wait);
  if (state.at === 'calling' && state.attempts > 1) {
    // The service may answer every repetition unclearly, and still find the first call by its key. Before
    // the repetition: its answer may open the circuit breaker, which then allows no look-up. Without a
    // clear answer the call is repeated all the same: how the service answers for an absent key is not known.
    const found = await lookUp(work, redemption);
    if (found.kind === 'found') return resume(work, found.redemption);
  }
  return spendPoints(work, redemption);
}

/** Begin → call → record: one attempt of the call that spends points. */
async function spendPoints(work: Work, { id, rewardId }: Redemption): Promise<Outcome> {
  const { event, record, deps, by } = work;
  const { loyalty, now, deadline } = deps;
  const { isOurs, redemption } = await settle(record, id, { kind: 'call' });
  if (!isOurs || redemption?.state.at !== 'calling') {
    // Another process makes or made it, or its time is over.
    const { state } = redemption ?? {};
    const waits = state?.at === 'intended' || (state?.at === 'calling' && !state.refusal);
    return waits ? inProgress(REPEAT_AFTER_SECONDS) : resume(work, redemption);
  }
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
  if (called.kind === 'call-refused') return notSent(called.retry);
  const { result, outcome } = called;
  const retry: RetryReason = outcome.kind === 'retry' ? outcome : { why: 'unnamed-error' };
  switch (judgeAnswer(result)) {
    case 'redeemed': {
      const spent = await judgeSpent(result, redemption, record, deps);
      // A repetition has the same answer.
      if (spent.kind === 'unavailable') return unanswered(unavailable(spent));
      return resume(work, await applyStep(record, id, spent));
    }
    case 'refused': {
      const late = by === 'worker' ? ({ late: true } as const) : {};
      const refuse = { kind: 'refuse', attempt, why: whyOf(result, redemption), ...late } as const;
      return resume(work, await applyStep(record, id, refuse));
    }
    case 'not-sent':
      return notSent(retry);
    case 'unanswered':
      return unanswered(retry);
  }

  /** The points are surely not spent by this attempt: a shopper's click can be tried again at once. */
  async function notSent(retry: RetryReason): Promise<Outcome> {
    const isForgotten = by === 'shopper' && attempt === 1;
    if (isForgotten) await forget(record, id);
    else await applyStep(record, id, { kind: 'not-sent', attempt });
    return { kind: 'retry', ...retry };
  }

  function unanswered(retry: RetryReason): Outcome {
    const { why } = retry;
    const fields = { ...correlationOf(event), customerId: event.customerId, why };
    const said = 'no answer says whether a reward was redeemed';
    if (by === 'shopper') deps.telemetry.log('warn', said, fields);
    const afterSeconds = Math.max(retry.afterSeconds ?? 0, AFTER_UNKNOWN_OUTCOME_SECONDS);
    return { kind: 'retry', ...retry, afterSeconds, mayHaveHappened: true };
  }
}

async function forget(record: OpenRedemptions, id: string): Promise<void> {
  await record.change((found) => {
    const state = findRedemption(found, id)?.state;
    if (state?.at !== 'calling' || state.attempts !== 1) return { value: undefined };
    const redemptions = found.redemptions.filter((one) => one.id !== id);
    const line = { id, outcome: 'not-sent' };
    return { record: { ...found, redemptions }, line, value: undefined };
  });
}

const unavailable = ({ afterSeconds }: Unavailable) =>
  ({ why: 'loyalty-unavailable', afterSeconds }) as const;

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
async function judgeSpent(
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

/**
 * After a refusal that proves nothing. One look-up is not enough: a call without an answer may take
 * effect after it.
 */
async function lookUpTwice(
  work: Work,
  redemption: Redemption,
  absentAt: string | undefined,
): Promise<Outcome> {
  const { record, deps } = work;
  const wait = absentAt ? secondsUntil(absentAt, LOOK_AGAIN_AFTER_SECONDS, deps.now()) : 0;
  if (wait > 0) return { kind: 'retry', why: 'redemption-absent', afterSeconds: wait };
  const found = await lookUp(work, redemption);
  switch (found.kind) {
    case 'found':
      return resume(work, found.redemption);
    case 'absent': {
      const absent = await applyStep(record, redemption.id, { kind: 'absent' });
      if (absent?.state.at !== 'calling') return resume(work, absent);
      const afterSeconds = LOOK_AGAIN_AFTER_SECONDS;
      return { kind: 'retry', why: 'redemption-absent', afterSeconds };
    }
    case 'retry':
      return found;
    case 'rejected':
      return getStuck(work, redemption, 'look-up-refused', found);
  }
}

/** PdvReward_RewardNotFound. */
export const NO_SUCH_REDEMPTION = 87;

/** No operation reads a redemption by its key, but adding no metadata to it returns it. */
async function lookUp(
  { record, deps }: Work,
  redemption: Redemption,
): Promise<
  /** And recorded as redeemed. */
  | { readonly kind: 'found'; readonly redemption: Redemption | undefined }
  | { readonly kind: 'absent' }
  | Extract<Outcome, { kind: 'retry' | 'rejected' }>
> {
  const { id, state } = redemption;
  if (state.at !== 'calling') throw new Error(`a redemption without a key: it is ${state.at}`);
  const update = { OriginalKey: state.body.OriginalKey, Metadatas: [] };
  const { result, outcome } = await callService('updateRewardMetadata', [update], deps);
  if (result?.kind === 'success' || result?.kind === 'warning') {
    const spent = await judgeSpent(result, redemption, record, deps);
    if (spent.kind === 'unavailable') return { kind: 'retry', ...unavailable(spent) };
    return { kind: 'found', redemption: await applyStep(record, id, spent) };
  }
  if (result && hasCode(result, NO_SUCH_REDEMPTION)) return { kind: 'absent' };
  if (outcome.kind !== 'applied') return outcome;
  throw new Error('a look-up without a redemption counts as done');
}

/**
 * By the id that the service gave, never by key: for a key whose call is still under way, the service
 * would answer "not found" and spend the points afterwards.
 */
async function cancel(
  work: Work,
  redemption: Redemption,
  redeemedRewardId: number,
): Promise<Outcome> {
  const { record, deps } = work;
  const { outcome } = await callService('cancelRedemption', [redeemedRewardId], deps);
  switch (outcome.kind) {
    // "Already cancelled" counts as applied.
    case 'applied':
      return resume(work, await applyStep(record, redemption.id, { kind: 'cancelled' }));
    case 'retry':
      return outcome;
    case 'rejected':
      return redemption.takeBack && !redemption.takeBack.refused
        ? restoreUncancelled(work, redemption, redeemedRewardId)
        : getStuck(work, redemption, 'cancel-refused', outcome);
  }
}

/**
 * Of one that was taken back, the customer gets the code again, but only where the service says that the points are still
 * spent: an earlier call may have given them back, and only its answer was lost.
 */
async function restoreUncancelled(
  work: Work,
  redemption: Redemption,
  redeemedRewardId: number,
): Promise<Outcome> {
  const { record, deps } = work;
  const { result, outcome } = await callService('getRedeemedReward', [redeemedRewardId], deps);
  if (outcome.kind === 'retry') return outcome;
  const isCancelled = result && 'value' in result ? result.value.IsCanceled : undefined;
  if (typeof isCancelled !== 'boolean') return getStuck(work, redemption, 'cancel-refused');
  const step = { kind: isCancelled ? 'cancelled' : 'restore' } as const;
  return resume(work, await applyStep(record, redemption.id, step));
}

async function tidyUp(
  { record, deps }: Work,
  redemption: Redemption,
  how: 'redemption-cancelled' | 'redemption-settled',
): Promise<Outcome> {
  const late = await deleteLateCode(record, redemption, deps);
  return late.kind === 'unavailable' ? retryStore(late) : { kind: 'handled', how };
}

const STUCK: Readonly<Record<StuckWhy, string>> = {
  'look-up-refused': 'the service refuses to look it up by its key',
  'cancel-refused': 'the service does not cancel it',
  'take-again-refused':
    'an order used its code after it was taken back, and the service does not take the points again',
  'credit-unclear': 'a credit of its amount may be its own, and has another end',
};

/** Parks the message. Sent again, it continues from the state that was recorded. `refusal`: the service's. */
async function getStuck(
  work: Work,
  { id }: Redemption,
  why: StuckWhy,
  refusal?: Rejection,
): Promise<Outcome> {
  const { event, record, deps } = work;
  const stuck = await applyStep(record, id, { kind: 'get-stuck', why });
  // Another process, or a person, has finished it meanwhile.
  if (!stuck || !isOpen(stuck.state)) return resume(work, stuck);
  deps.telemetry.count('redemption-pending');
  deps.telemetry.log('error', 'a redemption needs a person', {
    ...correlationOf(event),
    customerId: event.customerId,
    why,
  });
  const said = refusal ? `${STUCK[why]}: ${refusal.why}` : STUCK[why];
  return { kind: 'rejected', reason: 'rejected', ...refusal, why: said };
}
