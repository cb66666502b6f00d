import { checkAnswer } from './challenge.ts';
import { findOffer } from './find-offer.ts';
import type { BookChange, OpenBook } from './open-book.ts';
import {
  answerOf,
  type RedeemAnswer,
  type RedeemRequest,
  type RedeemWorld,
} from './redeem-world.ts';
import type { RedeemBody, Redemption, RewardTerms } from './redemption.ts';
import {
  challengesIn,
  findJoined,
  findRedemption,
  type RedemptionBook,
  secondsUntilFewer,
  withClientKey,
  withIntent,
  withoutTransaction,
} from './redemption-book.ts';
import { keepRedemption, namesOf } from './redemption-names.ts';

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
  const offer = await findOffer(request, world);
  if (offer.kind !== 'on-offer') return answered(offer);
  if (!request.till || !offer.needsChallenge) return intend(request, offer, book, world);
  const checked = await checkAnswer(offer.programId, request.till.answer, book, world);
  if (checked.kind !== 'passed') return answered(checked);
  return intend(request, { ...offer, transactionId: checked.transactionId }, book, world);
}

/** `RedeemOrigin` of the service's sample client. */
const POINT_OF_SALE = 5;

interface Checked {
  readonly terms: RewardTerms;
  readonly programId: string;
  /** Of the challenge that was passed for this redemption, and for no other. */
  readonly transactionId?: string;
}

async function intend(
  request: RedeemRequest,
  { terms, programId, transactionId }: Checked,
  book: OpenBook,
  { settings, inDoubt }: RedeemWorld,
): Promise<FoundIntent> {
  const { shop, value, till, rewardId } = request;
  const { id, key } = namesOf(request, request.clientKey);
  const metadata = keepRedemption({ shop, id, key, rewardId, terms });
  const body: RedeemBody = {
    CustomerId: programId,
    OriginalKey: key,
    ...(settings.keepsMetadata && { Metadatas: [metadata] }),
    ...(value !== undefined && { Value: value }),
    ...(till && { RedeemOrigin: POINT_OF_SALE }),
  };
  return book.change<FoundIntent>((found, now) => {
    // Another click may have been faster since the first look.
    const joined = join(found, request, settings.redeemsPerHour, now);
    if (joined) return joined;
    const isUsedUp =
      transactionId !== undefined && challengesIn(found).transaction?.id !== transactionId;
    if (isUsedUp) return { value: answered({ kind: 'refused', why: 'challenge-needed' }) };
    const intent = { ...request, id, terms, body, staffId: till?.staffId, tried: inDoubt() };
    const base = transactionId === undefined ? found : withoutTransaction(found);
    const next = withIntent(base, intent, now);
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
  const afterSeconds = secondsUntilFewer(found.intents, redeemsPerHour, now);
  if (afterSeconds === undefined) return undefined;
  return { value: answered({ kind: 'too-many', afterSeconds }) };
}

const answered = (answer: RedeemAnswer): FoundIntent => ({ kind: 'answer', answer });
