import type {
  Redemption,
  RedemptionState,
  RefusedWhy,
  RewardCode,
  StuckWhy,
} from './redemption.ts';

/**
 * The states of a redemption. Every call that spends points sends the key and body of the intent, so the
 * service redeems once however often it is repeated.
 *
 *              repeated with the same key
 *   click              ┌──┐
 *  ───────▶ intended ─▶ calling ─────▶ redeemed ─────▶ ready ─▶ used
 *              │        │  │ answer,     │  code made
 *              ▼        │  │ or found    │
 *         (forgotten) ◀─┘  ▼ by key      ▼ the store refuses the code
 *        surely not sent  refused      cancelling ─▶ cancelled
 *
 * See docs/decisions/0047-redeem-by-key.md.
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
  if (step.kind === 'close' && !waitsForPerson(redemption, now)) return undefined;
  const state =
    step.kind === 'call' ? begin(redemption, now) : nextState(redemption.state, step, now);
  return state && { ...free, state, since };
}

function nextState(
  state: RedemptionState,
  step: Exclude<Step, { kind: 'get-stuck' | 'call' }>,
  now: Date,
): RedemptionState | undefined {
  switch (step.kind) {
    case 'use':
      return state.at === 'ready' ? { ...state, at: 'used' } : undefined;
    case 'cancelled':
      return state.at === 'cancelling' ? { at: 'cancelled', code: state.code } : undefined;
    case 'close':
      return close(state, step.as);
    case 'made':
    case 'store-refused':
    case 'cancel':
      return state.at === 'redeemed' ? afterRedeemed(state, step, now) : undefined;
    default:
      return state.at === 'calling' ? afterCalling(state, step, now) : undefined;
  }
}

export type Calling = Extract<RedemptionState, { at: 'calling' }>;
export type Redeemed = Extract<RedemptionState, { at: 'redeemed' }>;

function begin({ state, intendedAt }: Redemption, now: Date): Calling | undefined {
  const calledAt = now.toISOString();
  const isOver = secondsUntil(intendedAt, LAST_BEGIN_SECONDS, now) === 0;
  if (state.at === 'intended' && !isOver)
    return { at: 'calling', body: state.body, attempts: state.tried ? 2 : 1, calledAt };
  if (state.at !== 'calling' || state.refusal) return undefined;
  if (secondsUntil(state.calledAt, REPEAT_AFTER_SECONDS, now) > 0) return undefined;
  return { ...state, attempts: state.attempts + 1, calledAt };
}

function afterCalling(
  state: Calling,
  step: Extract<Step, { kind: 'not-sent' | 'answer' | 'refuse' | 'absent' }>,
  now: Date,
): RedemptionState | undefined {
  const { body, attempts, calledAt, refusal } = state;
  switch (step.kind) {
    case 'answer': {
      const { redeemedRewardId, code } = step;
      return { at: 'redeemed', redeemedRewardId, code, calledAt };
    }
    case 'not-sent':
      // Of an attempt that was repeated meanwhile, nothing can be said.
      if (step.attempt !== attempts) return undefined;
      return attempts > 1 ? { ...state, attempts: attempts - 1 } : { at: 'intended', body };
    case 'refuse': {
      if (step.attempt !== attempts || refusal) return undefined;
      const { why, late } = step;
      return attempts > 1
        ? { ...state, refusal: { why } }
        : { at: 'refused', why, ...(late && { late }) };
    }
    case 'absent': {
      if (!refusal) return undefined;
      const { why, absentAt } = refusal;
      if (absentAt === undefined) {
        return { ...state, refusal: { why, absentAt: now.toISOString() } };
      }
      if (secondsUntil(absentAt, LOOK_AGAIN_AFTER_SECONDS, now) > 0) return undefined;
      return { at: 'refused', why, late: true };
    }
  }
}

function afterRedeemed(
  state: Redeemed,
  step: Extract<Step, { kind: 'made' | 'store-refused' | 'cancel' }>,
  now: Date,
): RedemptionState | undefined {
  const { code, redeemedRewardId } = state;
  switch (step.kind) {
    case 'made':
      return { at: 'ready', code, discountId: step.discountId };
    case 'store-refused':
      return { ...state, refusal: { why: step.why, at: now.toISOString() } };
    case 'cancel':
      if (secondsToCancel(state, now) !== 0) return undefined;
      return { at: 'cancelling', redeemedRewardId, code };
  }
}

function close(state: RedemptionState, as: 'refused' | 'cancelled'): RedemptionState | undefined {
  if (state.at === 'calling')
    return as === 'refused' ? { at: as, why: as, late: true } : { at: as };
  if (as === 'refused') return undefined;
  const hasCode = state.at === 'redeemed' || state.at === 'cancelling';
  return hasCode ? { at: as, code: state.code } : undefined;
}

/** Undefined while the store does not refuse the code. */
export function secondsToCancel({ refusal, calledAt }: Redeemed, now: Date): number | undefined {
  if (!refusal) return undefined;
  const last = refusal.at > calledAt ? refusal.at : calledAt;
  return secondsUntil(last, CANCEL_AFTER_SECONDS, now);
}

/** How long until so many seconds have passed since then; 0: they have. */
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
