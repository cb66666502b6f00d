import { type Group, type Settle, settleEach } from '../../core/batch/run-batch.ts';
import type { Item } from '../../core/batch/waiting.ts';
import { callService, hasCode } from '../../core/calls/call-loyalty.ts';
import { correlationOf, type EventQueue, type RedemptionEvent } from '../../core/events/event.ts';
import { type Outcome, type Rejection, unreadable } from '../../core/events/outcome.ts';
import { retryStore } from '../../core/store/store.ts';
import { type AnnouncingDeps, announceAll } from '../balances/announce.ts';
import { type FindDeps, type FindingShop, settlePointEvent } from '../balances/find-customer.ts';
import type { CustomerSource } from '../balances/point-balance.ts';
import { type BalanceDeps, settleBalances } from '../balances/settle-balances.ts';
import { confirmAbsence, deleteLateCode, giveCredit, makeCode } from './make-code.ts';
import { attemptRedeem, judgeSpent } from './redeem-call.ts';
import {
  advance,
  CANCEL_AFTER_SECONDS,
  type ClosedAs,
  isOpen,
  LOOK_AGAIN_AFTER_SECONDS,
  mayBeSpare,
  REPEAT_AFTER_SECONDS,
  type Redemption,
  type RedemptionState,
  type StuckWhy,
  secondsToCancel,
  secondsUntil,
} from './redemption.ts';
import {
  applyStep,
  type Customer,
  findRedemption,
  type OpenRedemptions,
  openRedemptions,
  type RedeemingDeps,
  type RedemptionsDeps,
  withRedemption,
} from './redemption-record.ts';
import { returnReward, takeAgain } from './take-back.ts';

type OfShop = Pick<RedeemingDeps, 'loyalty' | 'breaker' | 'members'>;

interface StorefrontDeps
  extends BalanceDeps,
    Omit<RedeemingDeps, keyof OfShop | keyof BalanceDeps>,
    Omit<FindDeps, keyof BalanceDeps> {
  readonly shops: ReadonlyMap<
    string,
    CustomerSource & FindingShop & OfShop & { readonly observes?: boolean }
  >;
}

/** The queue of balances carries redemptions and point events, too. No kind waits for another. */
export const settleStorefront: Settle<StorefrontDeps> = (all, deps) => {
  const balances = settleBalances(all, deps);
  return {
    keys: balances.keys,
    begin(groups, entries) {
      const settleBalance = balances.begin(
        groups.filter(
          (group) =>
            !isOf('redemption', group) && !isOf('point-event', group) && !isObserved(group, deps),
        ),
        entries,
      );
      return (group) => {
        if (isObserved(group, deps)) return settleEach(group, leaveObserved, deps);
        if (isOf('redemption', group)) {
          return settleEach(group, (item) => resumeItem(item, deps), deps);
        }
        return isOf('point-event', group) ? settlePointEvent(group, deps) : settleBalance(group);
      };
    },
  };
};

const isOf = (kind: 'redemption' | 'point-event', { items }: Group): boolean =>
  items.some(({ event }) => event?.kind === kind);

const isObserved = ({ items }: Group, { shops }: StorefrontDeps): boolean =>
  items.some(({ event }) => event && shops.get(event.shop)?.observes);

/** Nothing is written to the store. A redemption that began before goes on when the shop is live again. */
const leaveObserved = ({ event }: Item): Outcome =>
  event?.kind === 'redemption'
    ? { kind: 'retry', why: 'shop-paused', pausedBy: 'operator' }
    : { kind: 'skipped', why: 'observing' };

async function resumeItem(item: Item, deps: StorefrontDeps): Promise<Outcome> {
  if (!item.event) return unreadable(item.unreadable);
  const { event } = item;
  if (event.kind !== 'redemption') return unreadable('it belongs on another queue');
  const shop = deps.shops.get(event.shop);
  if (!shop) return unreadable('the shop is not in the settings of the storefront');
  const record = openRedemptions({ shop: event.shop, customerId: event.customerId }, deps);
  const redemption = findRedemption(await record.read(), event.id);
  const outcome = await resume({ event, record, deps: { ...deps, ...shop } }, redemption);
  if (deps.announcing && outcome.kind === 'handled') await announceOnce(record, event, deps);
  return outcome;
}

/** The customer has what they redeemed. */
const GIVEN: readonly RedemptionState['at'][] = ['ready', 'used', 'credited'];
/** An older one is sent by an operator, or found again after the ledger was lost. */
const NEWS_SECONDS = 86_400;

/** Recorded first, as every announcement. */
async function announceOnce(
  record: OpenRedemptions,
  { shop, customerId, id }: RedemptionEvent,
  deps: AnnouncingDeps,
): Promise<void> {
  const news = await record.change((found, now) => {
    const one = findRedemption(found, id);
    const isNews =
      one &&
      !one.told &&
      GIVEN.includes(one.state.at) &&
      secondsUntil(one.intendedAt, NEWS_SECONDS, now) > 0;
    if (!isNews) return { value: [] };
    const { title: reward, points } = one.terms;
    const what = 'reward-redeemed';
    const record = withRedemption(found, { ...one, told: true });
    const code = 'code' in one.state ? (one.state.code?.code ?? null) : null;
    return { record, value: [{ what, customerId, reward, points: String(points), code } as const] };
  });
  await announceAll(shop, news, deps);
}

interface Work {
  readonly event: RedemptionEvent;
  readonly record: OpenRedemptions;
  readonly deps: RedeemingDeps;
}

/**
 * Finishes one redemption from the state that it is in. The message stays on the queue until the
 * connector can do no more.
 */
async function resume(work: Work, redemption: Redemption | undefined): Promise<Outcome> {
  // Redacted, or an intent that was never executed.
  if (!redemption) return { kind: 'handled', how: 'redemption-gone' };
  const { state } = redemption;
  switch (state.at) {
    case 'intended':
      return repeat(work, redemption, redemption.intendedAt);
    case 'calling':
      if (state.refusal) return lookUpTwice(work, redemption, state.refusal.absentAt);
      return repeat(work, redemption, state.calledAt);
    case 'redeemed':
      return makeOrCancel(work, redemption, secondsToCancel(state, work.deps.now()));
    case 'crediting':
      return creditOrCancel(work, redemption, state);
    case 'cancelling':
      return cancel(work, redemption, state.redeemedRewardId);
    case 'cancelled':
      return tidyUp(work, redemption, 'redemption-cancelled');
    case 'returning': {
      const returned = await returnReward(work.record, redemption, work.deps);
      return returned.kind === 'settled' ? resume(work, returned.redemption) : returned;
    }
    case 'owing': {
      const taken = await takeAgain(work.record, redemption, work.deps);
      if (taken.kind === 'rejected') {
        return getStuck(work, redemption, 'take-again-refused', taken);
      }
      return taken.kind === 'settled' ? resume(work, taken.redemption) : taken;
    }
    case 'ready':
      return { kind: 'handled', how: 'redemption-ready' };
    case 'used': {
      if (!redemption.takeBack && !mayBeSpare(redemption)) {
        return { kind: 'handled', how: 'redemption-settled' };
      }
      // Its code may have been about to be made again.
      const afterSeconds = secondsUntil(redemption.since, CANCEL_AFTER_SECONDS, work.deps.now());
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
  const { record, deps } = work;
  const { id, state } = redemption;
  const wait = secondsUntil(since, REPEAT_AFTER_SECONDS, deps.now());
  if (wait > 0) return inProgress(wait);
  if (state.at === 'calling' && state.attempts > 1) {
    // The service may answer every repetition unclearly, and still find the first call by its key. Before
    // the repetition: its answer may open the circuit breaker, which then allows no look-up. Without a
    // clear answer the call is repeated all the same: how the service answers for an absent key is not known.
    const found = await lookUp(work, redemption);
    if (found.kind === 'found') return resume(work, found.redemption);
  }
  const attempted = await attemptRedeem(record, id, 'worker', deps);
  switch (attempted.kind) {
    case 'known':
      return attempted.redemption?.state.at === 'calling' && !attempted.redemption.state.refusal
        ? inProgress(REPEAT_AFTER_SECONDS)
        : resume(work, attempted.redemption);
    case 'not-sent':
      await applyStep(record, id, { kind: 'not-sent', attempt: attempted.attempt });
      return { kind: 'retry', ...attempted.retry };
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
    if (spent.kind === 'unavailable') {
      return { kind: 'retry', why: 'loyalty-unavailable', afterSeconds: spent.afterSeconds };
    }
    return { kind: 'found', redemption: await applyStep(record, id, spent) };
  }
  if (result && hasCode(result, NO_SUCH_REDEMPTION)) return { kind: 'absent' };
  if (outcome.kind !== 'applied') return outcome;
  throw new Error('a look-up without a redemption counts as done');
}

/** `wait`: seconds until it may be cancelled; undefined while the store does not refuse its code. */
async function makeOrCancel(
  work: Work,
  redemption: Redemption,
  wait: number | undefined,
): Promise<Outcome> {
  const { record, deps } = work;
  if (wait === undefined) {
    const made = await makeCode(record, redemption, deps);
    return made.kind === 'unavailable' ? retryStore(made) : resume(work, made.redemption);
  }
  if (wait > 0) return { kind: 'retry', why: 'redemption-to-cancel', afterSeconds: wait };
  const looked = await confirmAbsence(record, redemption, deps);
  switch (looked.kind) {
    case 'settled':
      return resume(work, looked.redemption);
    case 'unavailable':
      return retryStore(looked);
    case 'absent':
      return resume(work, await applyStep(record, redemption.id, { kind: 'cancel' }));
  }
}

async function creditOrCancel(
  work: Work,
  redemption: Redemption,
  { absentAt, refusal }: Extract<RedemptionState, { at: 'crediting' }>,
): Promise<Outcome> {
  const given = await giveCredit(work.record, redemption, work.deps);
  switch (given.kind) {
    case 'settled':
      return resume(work, given.redemption);
    case 'waits': {
      const why = refusal ? 'redemption-to-cancel' : 'redemption-absent';
      const { afterSeconds } = given;
      return refusal || absentAt
        ? { kind: 'retry', why, afterSeconds }
        : { kind: 'retry', why: 'redemption-in-progress', afterSeconds };
    }
    case 'unclear':
      return getStuck(work, redemption, 'credit-unclear');
    case 'unavailable':
      return retryStore(given);
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

export type Closing =
  | { readonly kind: 'closed' | 'not-allowed'; readonly redemption: Redemption }
  | { readonly kind: 'not-found' };

/** What closing would do, without doing it. */
export function foreseeClosing(
  redemption: Redemption | undefined,
  as: ClosedAs,
  now: Date,
): Closing {
  if (!redemption) return { kind: 'not-found' };
  // Repeated after a failure, it sends the message that may be missing.
  const closed =
    redemption.state.at === as ? redemption : advance(redemption, { kind: 'close', as }, now);
  return closed ? { kind: 'closed', redemption: closed } : { kind: 'not-allowed', redemption };
}

/** Closes a redemption that needs a person. The worker deletes its code, if the store has one. */
export async function closeRedemption(
  customer: Customer,
  id: string,
  as: ClosedAs,
  deps: RedemptionsDeps & { readonly queue: EventQueue },
): Promise<Closing> {
  const record = openRedemptions(customer, deps);
  const foreseen = foreseeClosing(findRedemption(await record.read(), id), as, deps.now());
  if (foreseen.kind !== 'closed') return foreseen;
  const closed = await applyStep(record, id, { kind: 'close', as });
  if (!closed) return { kind: 'not-found' };
  if (closed.state.at !== as) return { kind: 'not-allowed', redemption: closed };
  await sendRedemption(customer, id, deps);
  return { kind: 'closed', redemption: closed };
}

/** Has the worker continue it: its first message may be settled long ago. */
export async function sendRedemption(
  customer: Customer,
  id: string,
  { queue, now }: { readonly queue: EventQueue; readonly now: () => Date },
): Promise<void> {
  const receivedAt = now().toISOString();
  const deliveryId = `operator/${id}/${receivedAt}`;
  const names = { kind: 'redemption', topic: 'operator', deliveryId } as const;
  await queue.send({ ...customer, ...names, id, receivedAt });
}
