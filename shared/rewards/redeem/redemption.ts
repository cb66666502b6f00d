import { AFTER_UNKNOWN_OUTCOME_SECONDS } from '../../core/events/outcome.ts';
import type { Body } from '../../loyalty/operations.ts';
import type { RedemptionView, RewardKind } from '../../store/storefront-answers.gen.ts';

/** What the shopper was offered when the intent was recorded. All of it can become a store discount or store credit. */
export interface RewardTerms {
  readonly title: string;
  readonly points: number;
  readonly kind: RewardKind;
  /** An amount of the shop's currency or a percentage; 0 for free shipping. */
  readonly value: number;
  /** The smallest subtotal of an order that may use it. */
  readonly minimum?: number;
  /** May be used together with other discounts. */
  readonly combines: boolean;
  /** How long a code of it may be used; undefined for a code without an end. */
  readonly validDays?: number;
  /** Of codes of our own. */
  readonly codePrefix: string;
  /** The service limits how often it may be redeemed. */
  readonly limited: boolean;
  /** The customer pays with cashback: `value` is the amount they chose. */
  readonly cashback?: true;
  /** The discount is for one unit of this product of the store. */
  readonly product?: { readonly id: string; readonly name: string };
  /** With `store-credit`. */
  readonly credit?: CreditTerms;
}

/**
 * What identifies store credit of ours. The store's mutation takes no key and no reference, but the end of a credit can
 * be read: no other credit of the customer's redemptions has the same, to the second.
 */
export interface CreditTerms {
  readonly currency: string;
  /** ISO 8601, to the second. */
  readonly expiresAt: string;
}

/** The discount code that stands for a redeemed reward. */
export interface RewardCode {
  readonly code: string;
  readonly kind: RewardKind;
  readonly value: number;
  /** ISO 8601. */
  readonly startsAt: string;
  readonly endsAt?: string;
}

export type RefusedWhy = 'too-few-points' | 'not-available' | 'limit-reached' | 'refused';

/** The body of the call that spends the points. A repetition sends the same body, also if the customer's data changed since. */
export type RedeemBody = Body<'redeemRewardByKey'> & {
  readonly CustomerId: string;
  readonly OriginalKey: string;
};

/** See the steps between them below. */
export type RedemptionState =
  | { readonly at: 'intended'; readonly body: RedeemBody }
  | {
      readonly at: 'calling';
      readonly body: RedeemBody;
      /** Calls that were begun and may have spent the points, the last one included. */
      readonly attempts: number;
      /** ISO 8601: when the last call began. */
      readonly calledAt: string;
      /**
       * The service refused after an attempt without an answer. That proves nothing, so nothing is
       * repeated: look-ups by key decide. `absentAt`: when the first one found nothing.
       */
      readonly refusal?: { readonly why: RefusedWhy; readonly absentAt?: string };
    }
  /** `late`: the answer to the click did not say so. */
  | { readonly at: 'refused'; readonly why: RefusedWhy; readonly late?: true }
  | {
      readonly at: 'redeemed';
      /** The service's id of it. */
      readonly redeemedRewardId: number;
      readonly code: RewardCode;
      readonly calledAt: string;
      /** The store refuses the code permanently; `why` is its name of the reason. */
      readonly refusal?: { readonly why: string; readonly at: string };
    }
  /** Of store credit, instead of `redeemed`. */
  | {
      readonly at: 'crediting';
      readonly redeemedRewardId: number;
      /** Calls to the store that were begun and may have credited, the last one included. */
      readonly attempts: number;
      /** ISO 8601: when the last call began; before the first one, that to the service. */
      readonly calledAt: string;
      /** When a first look at the account found no such credit after an unclear call. */
      readonly absentAt?: string;
      readonly refusal?: { readonly why: string; readonly at: string };
    }
  /** `transactionId` is absent where a person found the credit; `expiresAt` is what the store keeps. */
  | { readonly at: 'credited'; readonly transactionId?: string; readonly expiresAt: string }
  /** `why`: the store's name of the reason, or that the points were another member's. */
  | {
      readonly at: 'cancelling';
      readonly redeemedRewardId: number;
      readonly code?: RewardCode;
      readonly why?: string;
      /** An order has named the code since it was taken back. */
      readonly ordered?: true;
    }
  /**
   * `code`: the one that the store must not have. Absent for store credit, and where a person closed it before it was
   * known.
   */
  | { readonly at: 'cancelled'; readonly code?: RewardCode; readonly why?: string }
  | {
      readonly at: 'ready';
      readonly code: RewardCode;
      readonly discountId: string;
      readonly redeemedRewardId: number;
    }
  | { readonly at: 'used'; readonly code: RewardCode; readonly discountId?: string }
  | {
      readonly at: 'returning';
      readonly code: RewardCode;
      readonly discountId: string;
      readonly redeemedRewardId: number;
      /** ISO 8601: when a worker began to delete the code. */
      readonly begunAt?: string;
      /** ISO 8601: since when the store does not have the code. */
      readonly deletedAt?: string;
    }
  /** The points were given back, and an order used the code all the same: they are taken again. */
  | { readonly at: 'owing'; readonly code: RewardCode };

/** Why only a person can finish a redemption. */
export type StuckWhy =
  /** The service answers the look-up by key with an error that does not say "absent". */
  | 'look-up-refused'
  /** The service does not cancel a redemption that it made. */
  | 'cancel-refused'
  /** An order used a code that was taken back, and the service does not take the points again. */
  | 'take-again-refused'
  /** After an unclear call the account has a credit of the amount, with an end that is not the one that was sent. */
  | 'credit-unclear';

export interface Redemption {
  readonly id: string;
  readonly rewardId: number;
  /** The clicks that joined it. */
  readonly clientKeys: readonly string[];
  readonly terms: RewardTerms;
  /** ISO 8601: when the intent was recorded. */
  readonly intendedAt: string;
  /** ISO 8601: since when it is in this state. */
  readonly since: string;
  readonly state: RedemptionState;
  /** The ledger may have forgotten a call with this key, and that the code was made, used and deleted. */
  readonly tried?: true;
  /** At a till: the user of the store who redeemed it for the customer. */
  readonly staffId?: string;
  /** Nothing happens until a person acts. */
  readonly stuck?: StuckWhy;
  /** The automation of the store was told of it. */
  readonly told?: true;
  /** It was taken back, once: also where that came to nothing. */
  readonly takeBack?: TakeBack;
}

interface TakeBack {
  /** ISO 8601. */
  readonly at: string;
  /** At a till: the user of the store who took it back for the customer. */
  readonly staffId?: string;
  /** The service did not cancel it, so its code was made again. */
  readonly refused?: true;
}

/**
 * The states of a redemption. Every call that spends points sends the key and body of the intent, so the
 * service redeems once however often it is repeated.
 *
 *              repeated with the same key
 *   click              ┌──┐  answer, or    code
 *  ───────▶ intended ─▶ calling ────▶ redeemed ────▶ ready ─▶ used
 *              │    ◀── │  │  found by key  │ made
 *              ▼   not  │  │                │
 *         (forgotten) ◀─┘  ▼                ▼ the store refuses the code
 *             sent        refused       cancelling ─▶ cancelled
 *
 * Store credit has no code. Its mutation takes no key, so that an unclear call is never just repeated: the account's
 * transactions decide.
 *
 *             call, or found
 *   crediting ──────────────▶ credited
 *    │   ▲ └▶ unclear: look, look again ten minutes later
 *    │   └──────────┘ absent both times: called again
 *    └─▶ the store refuses ─▶ cancelling ─▶ cancelled
 *
 * Taken back, once. An order that names the code wins, whenever it comes:
 *
 *                        the code is deleted, and
 *   ready ─▶ returning ──────────────────────────▶ cancelling ─▶ cancelled
 *     ▲ ◀───── │   │     no order names it            │            │ a late order
 *     │ never  │   └──▶ used ◀── the service refuses, │            ▼
 *     │ begun           ▲        with an order ───────┤          owing ─▶ used
 *     └── redeemed ◀────┼───── without ───────────────┘    points taken again
 *            └──────────┘
 *
 * In any open state it can get stuck; a person then closes it as refused or cancelled, or a step goes on.
 *
 * See docs/decisions/0023-a-redemption-repeats-under-its-key.md.
 */
export type Step =
  | { readonly kind: 'call' }
  /** The call did surely not reach the service. */
  | { readonly kind: 'not-sent'; readonly attempt: number }
  /** Without a code: store credit. */
  | {
      readonly kind: 'answer';
      readonly redeemedRewardId: number;
      readonly code?: RewardCode | undefined;
    }
  /** The service took the points of another member. */
  | { readonly kind: 'spent-anothers'; readonly redeemedRewardId: number }
  | { readonly kind: 'refuse'; readonly attempt: number; readonly why: RefusedWhy; late?: true }
  /** The service knows no redemption of this key. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'made'; readonly discountId: string }
  | { readonly kind: 'store-refused'; readonly why: string }
  /** `after`: the attempts at the time of the look that found no credit. */
  | { readonly kind: 'credit'; readonly after: number }
  /** The store has surely not executed the call. */
  | { readonly kind: 'credit-not-sent'; readonly attempt: number }
  /** The account has no such credit. */
  | { readonly kind: 'credit-absent' }
  | { readonly kind: 'credit-refused'; readonly attempt: number; readonly why: string }
  | { readonly kind: 'credited'; readonly transactionId: string; readonly expiresAt: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'use' }
  | { readonly kind: 'take-back'; readonly staffId?: string | undefined }
  | { readonly kind: 'begin-return' }
  /** The store has no such code. */
  | { readonly kind: 'deleted' }
  /** The service does not cancel it. */
  | { readonly kind: 'restore' }
  | { readonly kind: 'taken-again' }
  | { readonly kind: 'get-stuck'; readonly why: StuckWhy }
  /** A person has looked: no points were taken, they are given back or stay spent, or the store credit is there. */
  | { readonly kind: 'close'; readonly as: ClosedAs };

/** What a person found out, or did. */
export type ClosedAs = 'refused' | 'cancelled' | 'used' | 'credited';

/** An unanswered call may still be under way for so long; by then its process has ended, too. */
export const REPEAT_AFTER_SECONDS = AFTER_UNKNOWN_OUTCOME_SECONDS;
/** Between the two look-ups that prove an absence. */
export const LOOK_AGAIN_AFTER_SECONDS = 600;
/**
 * After the last call to the service and the store, which could still make a code; after a code was deleted, whose last
 * order may still be on its way into the customer's list.
 */
export const CANCEL_AFTER_SECONDS = 60;
/** An intent this old was never on the queue: a worker would have begun its call. So for a reward to be taken back. */
const INTENT_OVER_SECONDS = 3_600;
/** Earlier than it is forgotten, so that no process begins what another takes for forgotten. */
const LAST_BEGIN_SECONDS = INTENT_OVER_SECONDS - 300;
/** Longer than any outage that the queue alone should survive without a look. */
const LONG_OPEN_SECONDS = 86_400;

/** The redemption after the step; undefined when its state does not allow the step. */
export function advance(redemption: Redemption, step: Step, now: Date): Redemption | undefined {
  const { stuck: _, ...free } = redemption;
  const since = now.toISOString();
  if (step.kind === 'get-stuck') {
    return isOpen(redemption.state) ? { ...free, stuck: step.why, since } : undefined;
  }
  const state = nextState(redemption, step, now);
  return state && { ...free, ...takeBackAfter(redemption, step, since), state, since };
}

function takeBackAfter({ takeBack }: Redemption, step: Step, at: string): Partial<Redemption> {
  if (step.kind === 'restore' && takeBack) return { takeBack: { ...takeBack, refused: true } };
  if (step.kind !== 'take-back') return {};
  const { staffId } = step;
  return { takeBack: { at, ...(staffId !== undefined && { staffId }) } };
}

function nextState(
  redemption: Redemption,
  step: Exclude<Step, { kind: 'get-stuck' }>,
  now: Date,
): RedemptionState | undefined {
  const { state, takeBack, tried } = redemption;
  switch (step.kind) {
    case 'call':
      return beginCall(redemption, now);
    case 'answer': {
      if (state.at !== 'calling') return undefined;
      const { redeemedRewardId, code } = step;
      const { calledAt } = state;
      return code
        ? { at: 'redeemed', redeemedRewardId, code, calledAt }
        : // What is forgotten may have credited, with the end of another day.
          { at: 'crediting', redeemedRewardId, attempts: tried ? 1 : 0, calledAt };
    }
    case 'spent-anothers': {
      const { redeemedRewardId } = step;
      if (state.at !== 'calling') return undefined;
      return { at: 'cancelling', redeemedRewardId, why: ANOTHER_MEMBER };
    }
    case 'not-sent':
      // Of an attempt that was repeated meanwhile, nothing can be said.
      if (state.at !== 'calling' || step.attempt !== state.attempts) return undefined;
      return state.attempts > 1
        ? { ...state, attempts: state.attempts - 1 }
        : { at: 'intended', body: state.body };
    case 'refuse': {
      if (state.at !== 'calling' || step.attempt !== state.attempts || state.refusal) {
        return undefined;
      }
      const { why, late } = step;
      return state.attempts > 1
        ? { ...state, refusal: { why } }
        : { at: 'refused', why, ...(late && { late }) };
    }
    case 'absent': {
      if (state.at !== 'calling' || !state.refusal) return undefined;
      const { why, absentAt } = state.refusal;
      if (absentAt === undefined) {
        return { ...state, refusal: { why, absentAt: now.toISOString() } };
      }
      if (secondsUntil(absentAt, LOOK_AGAIN_AFTER_SECONDS, now) > 0) return undefined;
      return { at: 'refused', why, late: true };
    }
    case 'made':
      if (state.at !== 'redeemed') return undefined;
      return {
        ...{ at: 'ready', code: state.code, discountId: step.discountId },
        redeemedRewardId: state.redeemedRewardId,
      };
    case 'store-refused':
      if (state.at !== 'redeemed') return undefined;
      return { ...state, refusal: { why: step.why, at: now.toISOString() } };
    case 'credit':
      if (state.at !== 'crediting' || step.after !== state.attempts) return undefined;
      return beginCredit(state, now);
    case 'credit-not-sent':
      if (state.at !== 'crediting' || step.attempt !== state.attempts) return undefined;
      return { ...state, attempts: state.attempts - 1 };
    case 'credit-absent':
      if (state.at !== 'crediting' || state.attempts === 0 || state.absentAt) return undefined;
      return { ...state, absentAt: now.toISOString() };
    case 'credit-refused':
      if (state.at !== 'crediting' || step.attempt !== state.attempts) return undefined;
      return { ...state, refusal: { why: step.why, at: now.toISOString() } };
    case 'credited': {
      const { transactionId, expiresAt } = step;
      return state.at === 'crediting' ? { at: 'credited', transactionId, expiresAt } : undefined;
    }
    case 'cancel': {
      const isOpen =
        state.at === 'redeemed' || state.at === 'crediting' || state.at === 'returning';
      if (!isOpen || secondsToCancel(state, now) !== 0) return undefined;
      const why = whyIn('refusal' in state ? state.refusal : undefined);
      return {
        at: 'cancelling',
        redeemedRewardId: state.redeemedRewardId,
        ...codeIn(state),
        ...why,
      };
    }
    case 'cancelled':
      if (state.at !== 'cancelling') return undefined;
      if (state.ordered && state.code) return { at: 'owing', code: state.code };
      return { at: 'cancelled', ...codeIn(state), ...whyIn(state) };
    case 'use':
      return useCode(redemption);
    case 'take-back':
      return state.at === 'ready' && !takeBack ? { ...state, at: 'returning' } : undefined;
    case 'begin-return': {
      const isUnbegun = state.at === 'returning' && state.begunAt === undefined;
      if (!isUnbegun || isTooLate(redemption, now)) return undefined;
      return { ...state, begunAt: now.toISOString() };
    }
    case 'deleted':
      if (state.at !== 'returning' || state.begunAt === undefined) return undefined;
      return { ...state, deletedAt: now.toISOString() };
    case 'restore': {
      if (state.at !== 'cancelling' || !takeBack || takeBack.refused) return undefined;
      const { redeemedRewardId, code, ordered } = state;
      if (!code) return undefined;
      if (ordered) return { at: 'used', code };
      return { at: 'redeemed', redeemedRewardId, code, calledAt: now.toISOString() };
    }
    case 'taken-again':
      return state.at === 'owing' ? { at: 'used', code: state.code } : undefined;
    case 'close':
      return waitsForPerson(redemption, now) ? close(redemption, step.as) : undefined;
  }
}

/** No reason of a store is written so. */
const ANOTHER_MEMBER = 'another-member';

/** It took the points of another member, who gets them back. The customer has lost nothing. */
export const isAnothers = ({ state }: Pick<Redemption, 'state'>): boolean =>
  (state.at === 'cancelling' || state.at === 'cancelled') && state.why === ANOTHER_MEMBER;

const codeIn = (state: RedemptionState) =>
  'code' in state && state.code ? { code: state.code } : {};

const whyIn = (refused: { readonly why?: string } | undefined) =>
  refused?.why === undefined ? {} : { why: refused.why };

function beginCall(redemption: Redemption, now: Date): RedemptionState | undefined {
  const { state } = redemption;
  const calledAt = now.toISOString();
  if (state.at === 'intended' && !isTooLate(redemption, now))
    return { ...state, at: 'calling', attempts: redemption.tried ? 2 : 1, calledAt };
  if (state.at !== 'calling' || state.refusal) return undefined;
  if (secondsUntil(state.calledAt, REPEAT_AFTER_SECONDS, now) > 0) return undefined;
  return { ...state, attempts: state.attempts + 1, calledAt };
}

const isTooLate = (redemption: Redemption, now: Date): boolean =>
  secondsUntil(beganAt(redemption), LAST_BEGIN_SECONDS, now) === 0;

/** An order names the code. Of one that is cancelled because the store refuses its code, none can. */
function useCode({ state, takeBack, tried }: Redemption): RedemptionState | undefined {
  switch (state.at) {
    case 'ready': {
      const { code, discountId } = state;
      return { at: 'used', code, discountId };
    }
    case 'returning':
      return { at: 'used', code: state.code, discountId: state.discountId };
    case 'redeemed':
      return takeBack || tried ? { at: 'used', code: state.code } : undefined;
    case 'cancelling':
      return takeBack && !state.ordered ? { ...state, ordered: true } : undefined;
    case 'cancelled':
      return takeBack && state.code && { at: 'owing', code: state.code };
    default:
      return undefined;
  }
}

type Crediting = Extract<RedemptionState, { at: 'crediting' }>;

function beginCredit(state: Crediting, now: Date): RedemptionState | undefined {
  const { absentAt, ...begun } = state;
  if (state.refusal || (state.attempts > 0 && !absentAt) || secondsToLook(state, now) > 0) {
    return undefined;
  }
  return { ...begun, attempts: state.attempts + 1, calledAt: now.toISOString() };
}

/** How long until the account's transactions can decide about the next call. */
export function secondsToLook(state: Crediting, now: Date): number {
  const { attempts, calledAt, absentAt } = state;
  const toCancel = secondsToCancel(state, now);
  if (toCancel !== undefined) return toCancel;
  if (absentAt) return secondsUntil(absentAt, LOOK_AGAIN_AFTER_SECONDS, now);
  return attempts === 0 ? 0 : secondsUntil(calledAt, REPEAT_AFTER_SECONDS, now);
}

function close({ state, terms }: Redemption, as: ClosedAs): RedemptionState | undefined {
  if (as === 'credited') {
    const { credit } = terms;
    return state.at === 'crediting' && credit ? { at: as, expiresAt: credit.expiresAt } : undefined;
  }
  const ordered = state.at === 'owing' || (state.at === 'cancelling' && state.ordered === true);
  if (ordered || as === 'used') {
    return ordered && as === 'used' && state.code ? { at: as, code: state.code } : undefined;
  }
  if (state.at === 'calling')
    return as === 'refused' ? { at: as, why: as, late: true } : { at: as };
  const isSpent = ['redeemed', 'crediting', 'returning', 'cancelling'].includes(state.at);
  return isSpent && as === 'cancelled' ? { at: as, ...codeIn(state) } : undefined;
}

/** Undefined while the store does not refuse the code or the credit, or still has the code that is taken back. */
export function secondsToCancel(
  state: Extract<RedemptionState, { at: 'redeemed' | 'crediting' | 'returning' }>,
  now: Date,
): number | undefined {
  if (state.at === 'returning') {
    const { deletedAt } = state;
    return deletedAt === undefined ? undefined : secondsUntil(deletedAt, CANCEL_AFTER_SECONDS, now);
  }
  const { refusal, calledAt } = state;
  if (!refusal) return undefined;
  const last = refusal.at > calledAt ? refusal.at : calledAt;
  return secondsUntil(last, CANCEL_AFTER_SECONDS, now);
}

/** How long until so many seconds have passed since then; 0 when they have. */
export function secondsUntil(since: string, seconds: number, now: Date): number {
  const passed = (now.getTime() - Date.parse(since)) / 1000;
  return Math.max(0, Math.ceil(seconds - passed));
}

/** ISO 8601: when what is under way was asked for. */
export const beganAt = ({ intendedAt, takeBack }: Redemption): string => takeBack?.at ?? intendedAt;

/** The redemption as of now, without what no process will execute any more; undefined for an intent. */
export function asOf(redemption: Redemption, now: Date): Redemption | undefined {
  const isOver = secondsUntil(beganAt(redemption), INTENT_OVER_SECONDS, now) === 0;
  if (!isOver) return redemption;
  return redemption.state.at === 'intended' ? undefined : (notReturned(redemption) ?? redemption);
}

/** As it was before it was taken back; undefined once a worker has begun with that. */
export function notReturned({ takeBack: _, ...before }: Redemption): Redemption | undefined {
  const { state } = before;
  if (state.at !== 'returning' || state.begunAt !== undefined) return undefined;
  return { ...before, state: { ...state, at: 'ready' } };
}

/** Not finished: a redaction waits for it. */
export function isOpen({ at }: RedemptionState): boolean {
  return at === 'returning' || at === 'owing' || REDEEMING.has(at);
}

/** A click for the same reward joins it. */
export const isBeingRedeemed = ({ state, takeBack }: Redemption): boolean =>
  REDEEMING.has(state.at) && takeBack === undefined;

const REDEEMING: ReadonlySet<RedemptionState['at']> = new Set([
  'intended',
  'calling',
  'redeemed',
  'crediting',
  'cancelling',
]);

export function isClosed({ at }: RedemptionState): boolean {
  return at === 'used' || at === 'refused' || at === 'cancelled' || at === 'credited';
}

/** Of a used one: its code was made again, or may have been, and the order that used it need not have used that one up. */
export const mayBeSpare = ({ state, takeBack, tried }: Redemption): boolean =>
  state.at === 'used' && (takeBack?.refused === true || tried === true);

/** The connector can do no more, or has tried for longer than it should take. */
export function waitsForPerson(redemption: Redemption, now: Date): boolean {
  if (redemption.stuck !== undefined) return true;
  return (
    isOpen(redemption.state) && secondsUntil(beganAt(redemption), LONG_OPEN_SECONDS, now) === 0
  );
}

const DAY_MS = 86_400_000;

/**
 * Until when a reward may be taken back, in epoch milliseconds: the days that the merchant gives from the moment its
 * code was made, and no longer than the code is valid.
 */
export function returnableUntil({ startsAt, endsAt }: RewardCode, withinDays: number): number {
  const last = Date.parse(startsAt) + withinDays * DAY_MS;
  return endsAt === undefined ? last : Math.min(last, Date.parse(endsAt));
}

/** Undefined for a refusal that the customer has seen. */
export function viewOf(
  redemption: Redemption,
  takeBackUntil: string | null = null,
): RedemptionView | undefined {
  const { id, rewardId, terms, intendedAt, state, takeBack } = redemption;
  const { title, points, kind, value } = terms;
  const takeBackRefused = takeBack?.refused === true;
  const common = {
    ...{ id, rewardId, title, points, at: intendedAt, kind, value },
    ...{ takeBackUntil, takeBackRefused },
  };
  const without = { ...common, code: null, validUntil: null };
  if (isAnothers(redemption)) return { ...without, state: 'refused' };
  switch (state.at) {
    case 'intended':
    case 'calling':
      return { ...without, state: 'pending' };
    case 'refused':
      return state.late ? { ...without, state: 'refused' } : undefined;
    case 'cancelled':
      return { ...without, state: 'cancelled' };
    case 'redeemed':
    case 'crediting':
      return { ...without, state: 'making' };
    case 'cancelling':
      if (state.ordered && state.code) return withCode('used', state.code);
      return { ...without, state: takeBack && !takeBackRefused ? 'returning' : 'making' };
    case 'returning':
      return { ...without, state: 'returning' };
    case 'credited':
      return { ...without, state: 'credited', validUntil: state.expiresAt };
    case 'ready':
      return withCode('ready', state.code);
    case 'used':
    case 'owing':
      return withCode('used', state.code);
  }

  function withCode(shown: 'ready' | 'used', { code, kind, value, endsAt }: RewardCode) {
    return { ...common, state: shown, code, kind, value, validUntil: endsAt ?? null };
  }
}

/** The store's codes have at most 255 characters. */
const LONGEST_CODE = 255;

/**
 * The discount code of a redemption. An order that names the service's code is known to have used the
 * reward; where the service gives none, the code is one of our own.
 */
export function codeFrom(
  externalCode: string | null | undefined,
  { id, terms }: Pick<Redemption, 'id' | 'terms'>,
  now: Date,
): RewardCode {
  const given = externalCode?.trim() ?? '';
  const isUsable = given !== '' && given.length <= LONGEST_CODE;
  return {
    code: isUsable ? given : `${terms.codePrefix}-${id}`,
    kind: terms.kind,
    value: terms.value,
    startsAt: now.toISOString(),
    ...(terms.validDays !== undefined && {
      endsAt: new Date(now.getTime() + terms.validDays * 86_400_000).toISOString(),
    }),
  };
}

/** Ten years, for what has no end: without one, the store would have nothing that names our credit. */
const LONGEST_DAYS = 3650;

/** The day on which store credit ends that is taken now: after at least its valid days. */
export const creditEndDay = (validDays: number | undefined, now: Date): Date =>
  new Date((Math.floor(now.getTime() / DAY_MS) + (validDays ?? LONGEST_DAYS) + 1) * DAY_MS);

/**
 * When the store credit of a redemption ends: at a second of its day that its id decides. So a click that the ledger has
 * forgotten finds the credit of its first time.
 */
export function creditEnd(
  { id, terms }: Pick<Redemption, 'id' | 'terms'>,
  others: readonly Redemption[],
  now: Date,
): string {
  const day = creditEndDay(terms.validDays, now).getTime();
  const taken = new Set(others.map((one) => one.terms.credit?.expiresAt));
  const second = Number.parseInt(id.slice(0, 8), 36) % 86_400;
  for (let end = day + second * 1000; ; end += 1000) {
    const expiresAt = new Date(end).toISOString();
    if (!taken.has(expiresAt)) return expiresAt;
  }
}
