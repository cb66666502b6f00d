import type { Redemption, RewardKind } from './redemption.ts';

/** A redemption as its customer sees it. */
export interface RedemptionView {
  readonly id: string;
  readonly rewardId: number;
  readonly title: string;
  readonly points: number;
  /**
   * `making`: the points are spent and the code is being made in the store. `pending`: it is not known
   * yet whether the points were spent; nothing is sent again.
   */
  readonly state: 'ready' | 'making' | 'pending' | 'used';
  readonly code: string | null;
  readonly kind: RewardKind;
  readonly value: number;
  /** ISO 8601. */
  readonly validUntil: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** Undefined for what gives the customer nothing. */
export function viewOf({
  id,
  rewardId,
  terms,
  intendedAt,
  state,
}: Redemption): RedemptionView | undefined {
  const common = { id, rewardId, title: terms.title, points: terms.points, at: intendedAt };
  switch (state.at) {
    case 'intended':
    case 'calling':
    case 'unknown': {
      const { kind, value } = terms;
      return { ...common, state: 'pending', code: null, kind, value, validUntil: null };
    }
    case 'redeemed':
    case 'lost':
    case 'ready':
    case 'used': {
      const { code, kind, value, endsAt = null } = state.code;
      const isThere = state.at === 'ready' || state.at === 'used';
      return {
        ...common,
        state: isThere ? state.at : 'making',
        code: isThere ? code : null,
        kind,
        value,
        validUntil: endsAt,
      };
    }
    case 'refused':
    case 'compensating':
    case 'compensated':
      return undefined;
  }
}
