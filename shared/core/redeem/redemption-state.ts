import type { Redemption, RedemptionState, RefusedWhy, RewardCode } from './redemption.ts';
import { ownCode } from './reward-code.ts';

/**
 * The states of a redemption. Only the process that wrote `calling` makes the call that spends the points,
 * and no step leads back: the call is made at most once.
 *
 *   click                     answer
 *  ───────▶ intended ──▶ calling ──────▶ redeemed ──────▶ ready ──▶ used
 *              │          │ │ │           ▲ ▲  │ ▲ sent again
 *              ▼          │ │ └─▶ refused │ │  ▼ │
 *         (forgotten) ◀───┘ │        ▲    │ │  lost ──▶ compensating ──▶ compensated
 *       surely not sent     ▼        │    │ │
 *                        unknown ────┴────┘ │
 *                           │   operator    │
 *                           └── point event ┘
 */
export type Step =
  | { readonly kind: 'call' }
  | { readonly kind: 'answer'; readonly code: RewardCode }
  | { readonly kind: 'refuse'; readonly why: RefusedWhy }
  | { readonly kind: 'lose-sight'; readonly why: string }
  /** A point event says that its points were spent. */
  | { readonly kind: 'spent'; readonly by: string }
  | { readonly kind: 'operator-happened'; readonly code?: string }
  | { readonly kind: 'operator-did-not-happen' }
  | { readonly kind: 'made'; readonly code: string; readonly discountId: string }
  /** The code belongs to another discount of the store. */
  | { readonly kind: 'taken'; readonly code: string }
  | { readonly kind: 'store-refused'; readonly code: string; readonly why: string }
  | { readonly kind: 'compensate' }
  | { readonly kind: 'compensated' }
  | { readonly kind: 'use' };

/** The redemption after the step; undefined when its state does not allow the step. */
export function advance(redemption: Redemption, step: Step, now: Date): Redemption | undefined {
  const { state } = redemption;
  if (step.kind === 'spent') return spent(redemption, step.by, now);
  const next = nextState(redemption, state, step, now);
  return next && { ...redemption, state: next, since: now.toISOString() };
}

function nextState(
  redemption: Redemption,
  state: RedemptionState,
  step: Exclude<Step, { kind: 'spent' }>,
  now: Date,
): RedemptionState | undefined {
  switch (step.kind) {
    case 'call':
      return state.at === 'intended' ? { at: 'calling' } : undefined;
    case 'answer':
      return isUnanswered(state) ? { at: 'redeemed', code: step.code } : undefined;
    case 'refuse':
      return isUnanswered(state) ? { at: 'refused', why: step.why } : undefined;
    case 'lose-sight':
      return state.at === 'calling' ? unanswered(redemption, step.why, now) : undefined;
    case 'operator-happened':
      if (state.at === 'unknown') {
        return { at: 'redeemed', code: ownCode(redemption, now, step.code) };
      }
      // In place of the one that the store refuses.
      if (state.at !== 'lost' || step.code === undefined) return undefined;
      return { at: 'redeemed', code: { ...state.code, code: step.code } };
    case 'operator-did-not-happen':
      return state.at === 'unknown' ? { at: 'refused', why: 'did-not-happen' } : undefined;
    case 'made':
      if (!isMaking(state)) return undefined;
      // The code that the store has, which may be another by now.
      return {
        at: 'ready',
        code: { ...state.code, code: step.code },
        discountId: step.discountId,
      };
    case 'taken':
      // The second event finds it recorded already.
      if (!isMaking(state) || state.code.code !== step.code) return undefined;
      return {
        at: 'redeemed',
        code: { ...state.code, code: nextCode(redemption, step.code, now) },
      };
    case 'store-refused':
      if (!isMaking(state) || state.code.code !== step.code) return undefined;
      return { at: 'lost', code: state.code, why: step.why };
    case 'compensate':
      return state.at === 'lost' ? { at: 'compensating', code: state.code } : undefined;
    case 'compensated':
      return state.at === 'compensating' ? { at: 'compensated', code: state.code } : undefined;
    case 'use':
      return state.at === 'ready' ? { ...state, at: 'used' } : undefined;
  }
}

/** An event during the call is kept: if the answer to the call is lost, the event replaces it. */
function spent(redemption: Redemption, by: string, now: Date): Redemption | undefined {
  const { state } = redemption;
  if (redemption.spentBy !== undefined || state.at === 'intended' || state.at === 'refused') {
    return undefined;
  }
  const spent = { ...redemption, spentBy: by };
  if (state.at !== 'unknown') return spent;
  return { ...spent, state: byEvent(spent, now), since: now.toISOString() };
}

/**
 * Longer than a function with such a call may run: an older intent or call belongs to a process that
 * has ended.
 */
const CALL_OVER_SECONDS = 60;

export function isOverdue({ since }: Redemption, now: Date): boolean {
  return now.getTime() - Date.parse(since) > CALL_OVER_SECONDS * 1000;
}

/** The state as of now; undefined for an intent that no process will execute any more. */
export function asOf(redemption: Redemption, now: Date): Redemption | undefined {
  const { state } = redemption;
  if (!isOverdue(redemption, now)) return redemption;
  if (state.at === 'intended') return undefined;
  if (state.at !== 'calling') return redemption;
  const next = unanswered(redemption, 'broke-off', now);
  return { ...redemption, state: next, since: now.toISOString() };
}

/** The call brought no answer; an event that came during it may have brought one. */
function unanswered(redemption: Redemption, why: string, now: Date): RedemptionState {
  return redemption.spentBy === undefined ? { at: 'unknown', why } : byEvent(redemption, now);
}

/** The event does not carry the service's code. */
const byEvent = (redemption: Redemption, now: Date): RedemptionState => ({
  at: 'redeemed',
  code: ownCode(redemption, now),
});

const isUnanswered = ({ at }: RedemptionState): boolean => at === 'calling' || at === 'unknown';

type Making = Extract<RedemptionState, { at: 'redeemed' | 'lost' }>;

/** The points are spent, and the store does not have the code yet. */
export function isMaking(state: RedemptionState): state is Making {
  return state.at === 'redeemed' || state.at === 'lost';
}

/** A click for the same reward joins it instead of beginning another. */
export function isOpen(state: RedemptionState): boolean {
  return state.at === 'intended' || isUnanswered(state) || isMaking(state);
}

/** The points are spent for sure. */
export function hasHappened(state: RedemptionState): boolean {
  return 'code' in state;
}

function nextCode(redemption: Redemption, taken: string, now: Date): string {
  const own = ownCode(redemption, now).code;
  if (taken === own) return `${own}-2`;
  const number = taken.startsWith(`${own}-`) ? Number(taken.slice(own.length + 1)) : 0;
  return number > 0 ? `${own}-${number + 1}` : own;
}
