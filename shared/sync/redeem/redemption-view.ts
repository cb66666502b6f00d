import type { RewardKind } from './redemption.ts';

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
