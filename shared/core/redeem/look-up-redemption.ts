import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Outcome } from '../batch/outcome.ts';
import { callLoyalty, stayAway } from '../sync/call-loyalty.ts';
import { applyStep, type OpenBook } from './open-book.ts';
import { answerStep, type RedeemCallWorld } from './redeem-call.ts';
import type { Redemption } from './redemption.ts';

export interface LookUpWorld extends Omit<RedeemCallWorld, 'loyalty'> {
  readonly loyalty: Pick<LoyaltyClient, 'updateRewardMetadata'>;
}

export type LookedUp =
  /** And recorded as redeemed. */
  | { readonly kind: 'found'; readonly redemption: Redemption | undefined }
  | { readonly kind: 'absent' }
  | Extract<Outcome, { kind: 'retry' | 'rejected' }>;

/** PdvReward_RewardNotFound. */
export const NO_SUCH_REDEMPTION = 87;

/** No operation reads a redemption by its key, but adding no metadata to it returns it. */
export async function lookUpRedemption(
  book: OpenBook,
  redemption: Redemption,
  world: LookUpWorld,
): Promise<LookedUp> {
  const { id, state } = redemption;
  const { loyalty, deadline, now } = world;
  if (state.at !== 'calling' || !state.body) throw new Error('a redemption without a key');
  const update = { OriginalKey: state.body.OriginalKey, Metadatas: [] };
  const called = await callLoyalty(
    'updateRewardMetadata',
    () => loyalty.updateRewardMetadata(update, { signal: deadline }),
    world,
  );
  if (called.kind === 'stay-away') return stayAway(called);
  const { result, outcome } = called;
  if (result.kind === 'success' || result.kind === 'warning') {
    const found = await applyStep(book, id, answerStep(result, redemption, now()));
    return { kind: 'found', redemption: found };
  }
  const isAbsent = result.kind === 'business-error' && result.code === NO_SUCH_REDEMPTION;
  if (isAbsent) return { kind: 'absent' };
  if (outcome.kind !== 'applied') return outcome;
  throw new Error('a look-up without a redemption counts as done');
}
