import type { Redemption, RewardKind } from './redemption.ts';

/** A redemption as its customer sees it. */
export interface RedemptionView {
  readonly id: string;
  readonly rewardId: number;
  readonly title: string;
  readonly points: number;
  /**
   * `pending`: it is not known yet whether the points were spent. `making`: they are spent, and the code
   * is being made in the store. `refused`: they were not spent, which the answer to the click could not
   * say. `cancelled`: the code could not be made, and the points are back. `expired`: it was not used in time.
   */
  readonly state: 'pending' | 'making' | 'ready' | 'used' | 'expired' | 'refused' | 'cancelled';
  readonly code: string | null;
  readonly kind: RewardKind;
  readonly value: number;
  /** ISO 8601. */
  readonly validUntil: string | null;
  /** ISO 8601. */
  readonly at: string;
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
  const common = { id, rewardId, title, points, at: intendedAt, kind, value };
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

/** The store takes a code until its end. */
export function asOfNow(view: RedemptionView, now: Date): RedemptionView {
  const { state, validUntil } = view;
  const isOver = validUntil !== null && Date.parse(validUntil) <= now.getTime();
  return state === 'ready' && isOver ? { ...view, state: 'expired' } : view;
}
