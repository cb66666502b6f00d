import type { Body } from '../../loyalty/operations.ts';
import type { RedemptionView, RewardKind } from '../../store/storefront-answers.ts';

/** What the shopper was offered when the intent was recorded. All of it can become a store discount. */
export interface RewardTerms {
  readonly title: string;
  /** What it costs. */
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
  /** `tried`: the ledger may have forgotten a call with this key. */
  | { readonly at: 'intended'; readonly body: RedeemBody; readonly tried?: true }
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
  | { readonly at: 'cancelling'; readonly redeemedRewardId: number; readonly code: RewardCode }
  /** `code`: the one that the store must not have. Absent where a person closed it before it was known. */
  | { readonly at: 'cancelled'; readonly code?: RewardCode }
  | { readonly at: 'ready' | 'used'; readonly code: RewardCode; readonly discountId: string };

/** Why only a person can finish a redemption. */
export type StuckWhy =
  /** The service answers the look-up by key with an error that does not say "absent". */
  | 'look-up-refused'
  /** The service does not cancel a redemption that it made. */
  | 'cancel-refused';

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
  /** At a till: the user of the store who redeemed it for the customer. */
  readonly staffId?: string;
  /** Nothing happens until a person acts. */
  readonly stuck?: StuckWhy;
  /** The automation of the store was told of it. */
  readonly told?: true;
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
 * In any open state it can get stuck; a person then closes it as refused or cancelled, or a step goes on.
 *
 * See docs/decisions/0023-a-redemption-repeats-under-its-key-a-quiz-is-claimed.md.
 */
export type Step =
  | { readonly kind: 'call' }
  /** The call did surely not reach the service. */
  | { readonly kind: 'not-sent'; readonly attempt: number }
  | { readonly kind: 'answer'; readonly redeemedRewardId: number; readonly code: RewardCode }
  | { readonly kind: 'refuse'; readonly attempt: number; readonly why: RefusedWhy; late?: true }
  /** The service knows no redemption of this key. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'made'; readonly discountId: string }
  | { readonly kind: 'store-refused'; readonly why: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'use' }
  | { readonly kind: 'get-stuck'; readonly why: StuckWhy }
  /** A person has looked: no points were taken, or they are given back. */
  | { readonly kind: 'close'; readonly as: 'refused' | 'cancelled' };

/** An unanswered call may still be under way for so long; by then its process has ended, too. */
export const REPEAT_AFTER_SECONDS = 30;
/** Between the two look-ups that prove an absence. */
export const LOOK_AGAIN_AFTER_SECONDS = 600;
/** After the last call to the service and the store, which could still make a code. */
const CANCEL_AFTER_SECONDS = 60;
/** An intent this old was never on the queue: a worker would have begun its call. */
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
  return state && { ...free, state, since };
}

function nextState(
  redemption: Redemption,
  step: Exclude<Step, { kind: 'get-stuck' }>,
  now: Date,
): RedemptionState | undefined {
  const { state } = redemption;
  switch (step.kind) {
    case 'call':
      return beginCall(redemption, now);
    case 'answer': {
      if (state.at !== 'calling') return undefined;
      const { redeemedRewardId, code } = step;
      return { at: 'redeemed', redeemedRewardId, code, calledAt: state.calledAt };
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
      return { at: 'ready', code: state.code, discountId: step.discountId };
    case 'store-refused':
      if (state.at !== 'redeemed') return undefined;
      return { ...state, refusal: { why: step.why, at: now.toISOString() } };
    case 'cancel': {
      if (state.at !== 'redeemed' || secondsToCancel(state, now) !== 0) return undefined;
      const { redeemedRewardId, code } = state;
      return { at: 'cancelling', redeemedRewardId, code };
    }
    case 'cancelled':
      return state.at === 'cancelling' ? { at: 'cancelled', code: state.code } : undefined;
    case 'use':
      return state.at === 'ready' ? { ...state, at: 'used' } : undefined;
    case 'close':
      return waitsForPerson(redemption, now) ? close(state, step.as) : undefined;
  }
}

function beginCall({ state, intendedAt }: Redemption, now: Date): RedemptionState | undefined {
  const calledAt = now.toISOString();
  const isOver = secondsUntil(intendedAt, LAST_BEGIN_SECONDS, now) === 0;
  if (state.at === 'intended' && !isOver)
    return { at: 'calling', body: state.body, attempts: state.tried ? 2 : 1, calledAt };
  if (state.at !== 'calling' || state.refusal) return undefined;
  if (secondsUntil(state.calledAt, REPEAT_AFTER_SECONDS, now) > 0) return undefined;
  return { ...state, attempts: state.attempts + 1, calledAt };
}

function close(state: RedemptionState, as: 'refused' | 'cancelled'): RedemptionState | undefined {
  if (state.at === 'calling')
    return as === 'refused' ? { at: as, why: as, late: true } : { at: as };
  if (as === 'refused') return undefined;
  const hasCode = state.at === 'redeemed' || state.at === 'cancelling';
  return hasCode ? { at: as, code: state.code } : undefined;
}

/** Undefined while the store does not refuse the code. */
export function secondsToCancel(
  { refusal, calledAt }: Extract<RedemptionState, { at: 'redeemed' }>,
  now: Date,
): number | undefined {
  if (!refusal) return undefined;
  const last = refusal.at > calledAt ? refusal.at : calledAt;
  return secondsUntil(last, CANCEL_AFTER_SECONDS, now);
}

/** How long until so many seconds have passed since then; 0 when they have. */
export function secondsUntil(since: string, seconds: number, now: Date): number {
  const passed = (now.getTime() - Date.parse(since)) / 1000;
  return Math.max(0, Math.ceil(seconds - passed));
}

/** The redemption as of now; undefined for an intent that no process will execute any more. */
export function asOf(redemption: Redemption, now: Date): Redemption | undefined {
  const isOver = secondsUntil(redemption.intendedAt, INTENT_OVER_SECONDS, now) === 0;
  return redemption.state.at === 'intended' && isOver ? undefined : redemption;
}

/** Not finished: a click for the same reward joins it, and a redaction waits for it. */
export function isOpen({ at }: RedemptionState): boolean {
  return at === 'intended' || at === 'calling' || at === 'redeemed' || at === 'cancelling';
}

export function isClosed({ at }: RedemptionState): boolean {
  return at === 'used' || at === 'refused' || at === 'cancelled';
}

/** The connector can do no more, or has tried for longer than it should take. */
export function waitsForPerson({ stuck, state, intendedAt }: Redemption, now: Date): boolean {
  if (stuck !== undefined) return true;
  return isOpen(state) && secondsUntil(intendedAt, LONG_OPEN_SECONDS, now) === 0;
}

/** Undefined for a refusal that the customer has seen. */
export function viewOf({
  id,
  rewardId,
  terms,
  intendedAt,
  state,
}: Redemption): RedemptionView | undefined {
  const { title, points, kind, value } = terms;
  const common = { id, rewardId, title, points, at: intendedAt, kind, value, takeBackUntil: null };
  const without = { ...common, code: null, validUntil: null };
  switch (state.at) {
    case 'intended':
    case 'calling':
      return { ...without, state: 'pending' };
    case 'refused':
      return state.late ? { ...without, state: 'refused' } : undefined;
    case 'cancelled':
      return { ...without, state: 'cancelled' };
    case 'redeemed':
    case 'cancelling':
      return { ...without, state: 'making' };
    case 'ready':
    case 'used': {
      const { code, kind, value, endsAt = null } = state.code;
      return { ...common, state: state.at, code, kind, value, validUntil: endsAt };
    }
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
