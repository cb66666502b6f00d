import type { LoyaltyClient } from '../../loyalty/client.ts';
import { type FindDeps, type FindingShop, settlePointEvent } from '../balances/find-customer.ts';
import type { CustomerSource } from '../balances/point-balance.ts';
import { type BalanceDeps, settleBalances } from '../balances/settle-balances.ts';
import { conclude, type Item } from '../batch/conclude.ts';
import type { Group, Settle } from '../batch/run-batch.ts';
import { callLoyalty, stayAway } from '../calls/call-loyalty.ts';
import type { EventQueue, RedemptionEvent } from '../events/event.ts';
import type { Outcome, RetryReason } from '../events/outcome.ts';
import { correlationOf } from '../events/telemetry.ts';
import {
  advance,
  type Calling,
  isOpen,
  LOOK_AGAIN_AFTER_SECONDS,
  REPEAT_AFTER_SECONDS,
  type Redeemed,
  type Redemption,
  type StuckWhy,
  secondsToCancel,
  secondsUntil,
} from '../redemptions/redemption.ts';
import {
  applyStep,
  type BookWorld,
  type Customer,
  findRedemption,
  type OpenBook,
  openBook,
} from '../redemptions/redemption-record.ts';
import { retryStore } from '../store/store.ts';
import { type CodeWorld, confirmAbsence, deleteLateCode, makeCode } from './make-code.ts';
import { attemptRedeem, lookUpRedemption, type RedeemCallWorld } from './redeem-call.ts';

interface ResumeWorld extends BookWorld, CodeWorld, RedeemCallWorld {
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
async function resumeRedemption(event: RedemptionEvent, world: ResumeWorld): Promise<Outcome> {
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

type ShopLoyalty = Pick<ResumeWorld, 'loyalty' | 'breaker'>;

interface StorefrontWorld
  extends BalanceDeps,
    Omit<ResumeWorld, keyof ShopLoyalty | keyof BalanceDeps>,
    Omit<FindDeps, keyof BalanceDeps> {
  readonly shops: ReadonlyMap<string, CustomerSource & FindingShop & ShopLoyalty>;
}

/** The queue of balances carries redemptions and point events, too. No kind waits for another. */
export const settleStorefront: Settle<StorefrontWorld> = (all, world) => {
  const balances = settleBalances(all, world);
  return {
    keys: balances.keys,
    begin(groups, entries) {
      const settleBalance = balances.begin(
        groups.filter((group) => !isOf('redemption', group) && !isOf('point-event', group)),
        entries,
      );
      return (group) => {
        if (isOf('redemption', group)) return settleRedemption(group, world);
        return isOf('point-event', group) ? settlePointEvent(group, world) : settleBalance(group);
      };
    },
  };
};

const isOf = (kind: 'redemption' | 'point-event', { items }: Group): boolean =>
  items.some(({ event }) => event?.kind === kind);

async function settleRedemption(
  { items, unsettled }: Group,
  world: StorefrontWorld,
): Promise<RetryReason | undefined> {
  for (const item of items) {
    const retry = await conclude(item, await resumeItem(item, world), unsettled, world);
    if (retry) return retry;
  }
  return undefined;
}

async function resumeItem(item: Item, world: StorefrontWorld): Promise<Outcome> {
  if (!item.event) return unreadable(item.unreadable);
  const { event } = item;
  if (event.kind !== 'redemption') return unreadable('it belongs on another queue');
  const shop = world.shops.get(event.shop);
  if (!shop) return unreadable('the shop is not in the settings of the storefront');
  return resumeRedemption(event, { ...world, ...shop });
}

function unreadable(why: string): Outcome {
  return { kind: 'rejected', reason: 'unreadable', why };
}

/** What a person found out, or did, in the loyalty service. */
export type ClosedAs = 'refused' | 'cancelled';

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
  world: BookWorld & { readonly queue: EventQueue },
): Promise<Closing> {
  const book = openBook(customer, world);
  const foreseen = foreseeClosing(findRedemption(await book.read(), id), as, world.now());
  if (foreseen.kind !== 'closed') return foreseen;
  const closed = await applyStep(book, id, { kind: 'close', as });
  if (!closed) return { kind: 'not-found' };
  if (closed.state.at !== as) return { kind: 'not-allowed', redemption: closed };
  const receivedAt = world.now().toISOString();
  await world.queue.send({
    ...customer,
    kind: 'redemption',
    id,
    topic: 'operator',
    deliveryId: `operator/${id}/${receivedAt}`,
    receivedAt,
  });
  return { kind: 'closed', redemption: closed };
}
