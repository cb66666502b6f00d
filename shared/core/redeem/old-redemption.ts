import type { Redemption, RedemptionState, RefusedWhy, RewardCode } from './redemption.ts';

/** As version 0.1.0 wrote it: no call of it had a key. */
export type OldRedemption = Omit<Redemption, 'state' | 'stuck'> & { readonly state: OldState };

type OldState =
  | { readonly at: 'intended' | 'calling' | 'unknown' }
  | { readonly at: 'refused'; readonly why: RefusedWhy | 'did-not-happen' }
  | { readonly at: 'redeemed' | 'lost' | 'compensating' | 'compensated'; readonly code: RewardCode }
  | { readonly at: 'ready' | 'used'; readonly code: RewardCode; readonly discountId: string };

/** In today's states; none for an intent, of which nothing was spent. */
export function readOldRedemption(old: OldRedemption): readonly Redemption[] {
  const { id, rewardId, clientKeys, terms, intendedAt, since } = old;
  const kept = { id, rewardId, clientKeys, terms, intendedAt, since };
  const free = (state: RedemptionState): readonly Redemption[] => [{ ...kept, state }];
  const stuck = (state: RedemptionState): readonly Redemption[] => [
    { ...kept, state, stuck: 'no-key' },
  ];
  const { state } = old;
  switch (state.at) {
    case 'intended':
      return [];
    case 'calling':
    case 'unknown':
      return stuck({ at: 'calling', attempts: 1, calledAt: since });
    case 'refused':
      return free({ at: 'refused', why: state.why === 'did-not-happen' ? 'refused' : state.why });
    case 'redeemed':
      return free({ at: 'redeemed', code: state.code, calledAt: since });
    case 'lost':
      return stuck({ at: 'redeemed', code: state.code, calledAt: since });
    case 'compensating':
      return stuck({ at: 'cancelling', code: state.code });
    case 'compensated':
      return free({ at: 'cancelled', code: state.code });
    case 'ready':
    case 'used':
      return free(state);
  }
}
