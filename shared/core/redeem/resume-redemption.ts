import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Outcome } from '../batch/outcome.ts';
import { correlationOf } from '../batch/telemetry.ts';
import type { RedemptionEvent } from '../events/event.ts';
import { callLoyalty, stayAway } from '../sync/call-loyalty.ts';
import { retryStore } from '../sync/store-reader.ts';
import { lookUpRedemption } from './look-up-redemption.ts';
import { type CodeWorld, confirmAbsence, deleteLateCode, makeCode } from './make-code.ts';
import { applyStep, type BookWorld, type OpenBook, openBook } from './open-book.ts';
import { attemptRedeem, type RedeemCallWorld } from './redeem-call.ts';
import type { Redemption, StuckWhy } from './redemption.ts';
import { findRedemption } from './redemption-book.ts';
import {
  type Calling,
  isOpen,
  LOOK_AGAIN_AFTER_SECONDS,
  REPEAT_AFTER_SECONDS,
  type Redeemed,
  secondsToCancel,
  secondsUntil,
} from './redemption-state.ts';

export interface ResumeWorld extends BookWorld, CodeWorld, RedeemCallWorld {
  readonly ledger: BookWorld['ledger'];
  readonly loyalty: Pick<
    LoyaltyClient,
    'redeemRewardByKey' | 'updateRewardMetadata' | 'cancelRedemption'
  >;
}

/**
 * Finishes one redemption from the state that it is in. The message stays on the queue until the
 * connector can do no more.
 */
export async function resumeRedemption(
  event: RedemptionEvent,
  world: ResumeWorld,
): Promise<Outcome> {
  const { shop, customerId, id } = event;
  const book = openBook({ shop, customerId }, world);
  const redemption = await book.change((found) => ({ value: findRedemption(found, id) }));
  return resume({ event, book, world }, redemption);
}

interface Work {
  readonly event: RedemptionEvent;
  readonly book: OpenBook;
  readonly world: ResumeWorld;
}

async function resume(work: Work, redemption: Redemption | undefined): Promise<Outcome> {
  // Redacted, or an intent that was never executed.
  if (!redemption) return { kind: 'handled', how: 'redemption-gone' };
  const { state } = redemption;
  switch (state.at) {
    case 'intended':
      return repeat(work, redemption, redemption.intendedAt);
    case 'calling':
      if (state.refusal) return lookUpTwice(work, redemption, state);
      return repeat(work, redemption, state.calledAt);
    case 'redeemed':
      return makeOrCancel(work, redemption, state);
    case 'cancelling':
      return cancel(work, redemption, state.redeemedRewardId);
    case 'cancelled':
      return tidyUp(work, redemption);
    case 'ready':
      return { kind: 'handled', how: 'redemption-ready' };
    case 'used':
    case 'refused':
      return { kind: 'handled', how: 'redemption-settled' };
  }
}

/** The next attempt, when no earlier one can be under way. */
async function repeat(work: Work, redemption: Redemption, since: string): Promise<Outcome> {
  const { book, world } = work;
  const { id, state } = redemption;
  if (secondsUntil(since, REPEAT_AFTER_SECONDS, world.now()) > 0) {
    return { kind: 'retry', why: 'redemption-in-progress' };
  }
  if (state.at === 'calling' && state.attempts > 1) {
    // The service may answer every repetition unclearly, and still find the first call by its key. Before
    // the repetition: its answer may open the circuit breaker, which then allows no look-up. Without a
    // clear answer the call is repeated all the same: how the service answers for an absent key is not known.
    const found = await lookUpRedemption(book, redemption, world);
    if (found.kind === 'found') return resume(work, found.redemption);
  }
  const attempted = await attemptRedeem(book, id, 'worker', world);
  switch (attempted.kind) {
    case 'known':
      return attempted.redemption?.state.at === 'calling' && !attempted.redemption.state.refusal
        ? { kind: 'retry', why: 'redemption-in-progress' }
        : resume(work, attempted.redemption);
    case 'not-sent': {
      await applyStep(book, id, { kind: 'not-sent', attempt: attempted.attempt });
      return { kind: 'retry', ...attempted.retry };
    }
    case 'unanswered':
      return { kind: 'retry', ...attempted.retry };
  }
}

/**
 * After a refusal that proves nothing. One look-up is not enough: a call without an answer may take
 * effect after it.
 */
async function lookUpTwice(
  work: Work,
  redemption: Redemption,
  { refusal }: Calling,
): Promise<Outcome> {
  const { book, world } = work;
  const absentAt = refusal?.absentAt;
  const wait = absentAt ? secondsUntil(absentAt, LOOK_AGAIN_AFTER_SECONDS, world.now()) : 0;
  if (wait > 0) return { kind: 'retry', why: 'redemption-absent', afterSeconds: wait };
  const found = await lookUpRedemption(book, redemption, world);
  switch (found.kind) {
    case 'found':
      return resume(work, found.redemption);
    case 'absent': {
      const absent = await applyStep(book, redemption.id, { kind: 'absent' });
      return absent?.state.at === 'calling'
        ? {
            kind: 'retry',
            why: 'redemption-absent',
            afterSeconds: LOOK_AGAIN_AFTER_SECONDS,
          }
        : resume(work, absent);
    }
    case 'retry':
      return found;
    case 'rejected':
      return getStuck(work, redemption, 'look-up-refused');
  }
}

async function makeOrCancel(work: Work, redemption: Redemption, state: Redeemed): Promise<Outcome> {
  const { book, world } = work;
  const wait = secondsToCancel(state, world.now());
  if (wait === undefined) {
    const made = await makeCode(book, redemption, world);
    if (made.kind === 'unavailable') return retryStore(made);
    return resume(work, made.redemption);
  }
  if (wait > 0) return { kind: 'retry', why: 'redemption-to-cancel', afterSeconds: wait };
  const looked = await confirmAbsence(book, redemption, world);
  switch (looked.kind) {
    case 'settled':
      return resume(work, looked.redemption);
    case 'unavailable':
      return retryStore(looked);
    case 'absent':
      return resume(work, await applyStep(book, redemption.id, { kind: 'cancel' }));
  }
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
  const { book, world } = work;
  const called = await callLoyalty(
    'cancelRedemption',
    () => world.loyalty.cancelRedemption(redeemedRewardId, { signal: world.deadline }),
    world,
  );
  if (called.kind === 'stay-away') return stayAway(called);
  switch (called.outcome.kind) {
    // "Already cancelled" counts as applied.
    case 'applied':
      return resume(work, await applyStep(book, redemption.id, { kind: 'cancelled' }));
    case 'retry':
      return called.outcome;
    case 'rejected':
      return getStuck(work, redemption, 'cancel-refused');
  }
}

async function tidyUp({ book, world }: Work, redemption: Redemption): Promise<Outcome> {
  const late = await deleteLateCode(book, redemption, world);
  return late.kind === 'absent'
    ? { kind: 'handled', how: 'redemption-cancelled' }
    : retryStore(late);
}

const STUCK: Readonly<Record<StuckWhy, string>> = {
  'look-up-refused': 'the service refuses to look it up by its key',
  'cancel-refused': 'the store refuses its code, and the service does not cancel it',
};

/** Parks the message. Sent again, it continues from the state that was recorded. */
async function getStuck(work: Work, { id }: Redemption, why: StuckWhy): Promise<Outcome> {
  const { event, book, world } = work;
  const stuck = await applyStep(book, id, { kind: 'get-stuck', why });
  // Another process, or a person, has finished it meanwhile.
  if (!stuck || !isOpen(stuck.state)) return resume(work, stuck);
  world.telemetry.count('redemption-pending');
  world.telemetry.log('error', 'a redemption needs a person', {
    ...correlationOf(event),
    customerId: event.customerId,
    why,
  });
  return { kind: 'rejected', reason: 'rejected', why: STUCK[why] };
}
