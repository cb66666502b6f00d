import { callForShopper } from '../sync/call-loyalty.ts';
import type { BookChange, OpenBook } from './open-book.ts';
import {
  answerOf,
  type RedeemAnswer,
  type RedeemRequest,
  type RedeemWorld,
} from './redeem-world.ts';
import type { Redemption, RewardTerms } from './redemption.ts';
import {
  findJoined,
  findRedemption,
  type RedemptionBook,
  secondsToWait,
  withClientKey,
  withIntent,
} from './redemption-book.ts';
import { readTerms } from './reward-terms.ts';

export type FoundIntent =
  /** Recorded, and no call made yet. */
  | { readonly kind: 'intent'; readonly redemption: Redemption }
  | { readonly kind: 'answer'; readonly answer: RedeemAnswer };

/** The intent of this click: one that it joins, or a new one for a reward that can be redeemed. */
export async function findIntent(
  request: RedeemRequest,
  book: OpenBook,
  world: RedeemWorld,
): Promise<FoundIntent> {
  const { redeemsPerHour } = world.settings;
  const known = await book.change<FoundIntent | undefined>(
    (found, now) => join(found, request, redeemsPerHour, now) ?? { value: undefined },
  );
  if (known) return known;
  const checked = await checkReward(request.rewardId, world);
  switch (checked.kind) {
    case 'not-available':
      return answered({ kind: 'refused', why: 'not-available' });
    case 'unavailable':
      return answered({ kind: 'unavailable' });
    case 'on-offer':
      return intend(request, checked.terms, book, world);
  }
}

async function intend(
  request: RedeemRequest,
  terms: RewardTerms,
  book: OpenBook,
  { newId, settings }: RedeemWorld,
): Promise<FoundIntent> {
  const id = newId();
  return book.change<FoundIntent>((found, now) => {
    // Another click may have been faster since the first look.
    const joined = join(found, request, settings.redeemsPerHour, now);
    if (joined) return joined;
    const next = withIntent(found, { ...request, id, terms }, now);
    const redemption = findRedemption(next, id);
    if (!redemption) throw new Error('an intent was not recorded');
    return { book: next, line: { id, outcome: 'intended' }, value: { kind: 'intent', redemption } };
  });
}

/** Undefined for a click that may begin a redemption of its own. */
function join(
  found: RedemptionBook,
  request: RedeemRequest,
  redeemsPerHour: number,
  now: Date,
): BookChange<FoundIntent> | undefined {
  const joined = findJoined(found, request);
  if (joined) {
    const value: FoundIntent =
      joined.state.at === 'intended'
        ? { kind: 'intent', redemption: joined }
        : answered(answerOf(joined));
    return { book: withClientKey(found, joined, request.clientKey), value };
  }
  const afterSeconds = secondsToWait(found, redeemsPerHour, now);
  if (afterSeconds === undefined) return undefined;
  return { value: answered({ kind: 'too-many', afterSeconds }) };
}

const answered = (answer: RedeemAnswer): FoundIntent => ({ kind: 'answer', answer });

type CheckedReward =
  | { readonly kind: 'on-offer'; readonly terms: RewardTerms }
  | { readonly kind: 'not-available' }
  | { readonly kind: 'unavailable' };

/** Before anything is spent: what the reward gives, and whether the store can give it. */
async function checkReward(rewardId: number, world: RedeemWorld): Promise<CheckedReward> {
  const { loyalty, settings, now, deadline } = world;
  const called = await callForShopper(
    'getRewardConfiguration',
    () => loyalty.getRewardConfiguration(rewardId, { signal: deadline }),
    world,
  );
  if (called.kind === 'stay-away' || called.outcome.kind === 'retry') {
    return { kind: 'unavailable' };
  }
  const { result } = called;
  if (result.kind !== 'success' && result.kind !== 'warning') return { kind: 'not-available' };
  const terms = readTerms(result.value, settings.rewardTypes, now());
  return terms ? { kind: 'on-offer', terms } : { kind: 'not-available' };
}
