import { errorFields, type LogFields } from '../../core/events/telemetry.ts';
import type { RedemptionView } from '../../store/storefront-answers.gen.ts';
import {
  type ChallengeDeps,
  type ChallengeRefusal,
  checkAnswer,
  type StartedChallenge,
  startChallenge,
  type Till,
  type TypedContacts,
} from './challenge.ts';
import { findOffer, type OfferRefusal, type OfferRequest, type RewardTypes } from './find-offer.ts';
import {
  creditEnd,
  isAnothers,
  isBeingRedeemed,
  type RedeemBody,
  type Redemption,
  type RefusedWhy,
  type RewardTerms,
  viewOf,
} from './redemption.ts';
import {
  ConcurrentWrites,
  challengesIn,
  findRedemption,
  keepRedemption,
  namesOf,
  type OpenRedemptions,
  openRedemptions,
  type RecordChange,
  type RedemptionRecord,
  secondsUntilFewer,
  withRedemption,
} from './redemption-record.ts';
import { resume } from './resume-redemption.ts';
import {
  type TakeBackAnswer,
  type TakeBackRule,
  takeBackReward,
  takeBackUntil,
} from './take-back.ts';

/** Of one shop. */
export interface RedeemDeps extends ChallengeDeps {
  /** The ledger was lost or restored: it may have forgotten that a redemption was made. */
  readonly inDoubt: () => boolean;
  readonly rewardTypes: RewardTypes;
  readonly redeemsPerHour: number;
  readonly takeBack: TakeBackRule;
  /** The service keeps metadata with a redemption, and shows them in the customer's history. */
  readonly keepsMetadata: boolean;
}

/** Its customer is the one whom the store says is logged in, or whom a till serves. */
export interface RedeemRequest extends OfferRequest {
  /** Made once per click: requests with the same key are the same click. */
  readonly clientKey: string;
  /** Undefined where the customer redeems it without help. */
  readonly till?: Till | undefined;
}

export type RedeemAnswer =
  | { readonly kind: 'redemption'; readonly redemption: RedemptionView }
  | {
      readonly kind: 'refused';
      readonly why: RefusedWhy | OfferRefusal | ChallengeRefusal;
      /** In the service's own words, for the person at the till: never for a log. */
      readonly said?: string | undefined;
    }
  | { readonly kind: 'too-many'; readonly afterSeconds: number }
  | { readonly kind: 'unavailable' };

/**
 * What shoppers and tills may ask about redemptions. `begin` gives the dependencies of one request, with its
 * time limits.
 */
export function createRedeeming(shop: string, begin: () => RedeemDeps) {
  return {
    redeem: (customerId: string, intent: Omit<RedeemRequest, 'shop' | 'customerId'>) =>
      redeemReward({ ...intent, shop, customerId }, begin()),
    async challenge(
      customerId: string,
      staffId: string,
      typed: TypedContacts = {},
    ): Promise<StartedChallenge> {
      const deps = begin();
      const customer = { shop, customerId };
      const record = openRedemptions(customer, deps);
      const answer = await startChallenge(typed, staffId, record, deps).catch(asTooMany);
      // A PIN that went to the wrong person must be traceable, without the person's data.
      const typedContacts = Object.keys(typed).join(', ') || undefined;
      logTill({ action: 'challenge', staffId, ...customer, typedContacts }, answer, deps);
      return answer;
    },
    async takeBack(customerId: string, id: string, staffId?: string): Promise<TakeBackAnswer> {
      const deps = begin();
      const answer = await takeBackReward({ shop, customerId }, id, staffId, deps);
      const fields = { action: 'take-back', staffId, shop, customerId };
      if (staffId !== undefined) logTill(fields, answer, deps);
      return answer;
    },
  };
}

/**
 * Join or check → record the intent → hand it to the queue → call → record → make the code.
 *
 * The queue holds the intent before anything is spent: if this process dies, the worker finishes the
 * redemption.
 * See docs/decisions/0023-a-redemption-repeats-under-its-key.md.
 */
async function redeemReward(request: RedeemRequest, deps: RedeemDeps): Promise<RedeemAnswer> {
  const { shop, customerId, rewardId, till } = request;
  const names = { shop, customerId, rewardId };
  try {
    const record = openRedemptions({ shop, customerId }, deps);
    const found = await findIntent(request, record, deps).catch((error: unknown) =>
      answered(asTooMany(error)),
    );
    const answer =
      found.kind === 'intent'
        ? await executeRedemption(found.redemption, request, record, deps)
        : found.answer;
    if (till) logTill({ action: 'redeem', staffId: till.staffId, ...names }, answer, deps);
    return answer;
  } catch (error) {
    brokeOff(error, names, deps);
    return { kind: 'unavailable' };
  }
}

function brokeOff(error: unknown, names: LogFields, { telemetry }: RedeemDeps): void {
  telemetry.count('crash');
  telemetry.log('error', 'redeeming broke off', { ...names, ...errorFields(error) });
}

/** Nothing is spent, and the caller's own requests were in each other's way: no fault of the program. */
function asTooMany(error: unknown): { readonly kind: 'too-many'; readonly afterSeconds: number } {
  if (!(error instanceof ConcurrentWrites)) throw error;
  return { kind: 'too-many', afterSeconds: 1 };
}

/** Who did what, for whom: the log's line beside the redemption, which holds the user's id as well. */
function logTill(
  fields: LogFields,
  answer: RedeemAnswer | StartedChallenge | TakeBackAnswer,
  { telemetry }: RedeemDeps,
): void {
  telemetry.log('info', 'a till acted for a customer', {
    ...fields,
    outcome: answer.kind === 'refused' ? answer.why : answer.kind,
    redemption: answer.kind === 'redemption' ? answer.redemption.id : undefined,
  });
}

type FoundIntent =
  /** Recorded, and no call made yet. */
  | { readonly kind: 'intent'; readonly redemption: Redemption }
  | { readonly kind: 'answer'; readonly answer: RedeemAnswer };

/** The intent of this click: one that it joins, or a new one for a reward that can be redeemed. */
async function findIntent(
  request: RedeemRequest,
  record: OpenRedemptions,
  deps: RedeemDeps,
): Promise<FoundIntent> {
  const known = await record.change<FoundIntent | undefined>(
    (found, now) => join(found, request, deps, now) ?? { value: undefined },
  );
  if (known) return known;
  const offer = await findOffer(request, deps);
  if (offer.kind !== 'on-offer') return answered(offer);
  if (!request.till || !offer.needsChallenge) return intend(request, offer, record, deps);
  const checked = await checkAnswer(offer.programId, request.till, record, deps);
  if (checked.kind !== 'passed') return answered(checked);
  return intend(request, { ...offer, transactionId: checked.transactionId }, record, deps);
}

/** `RedeemOrigin` of the service's sample client. */
const POINT_OF_SALE = 5;

async function intend(
  request: RedeemRequest,
  offer: {
    readonly terms: RewardTerms;
    readonly currency?: string | undefined;
    readonly programId: string;
    /** Of the challenge that was passed for this redemption, and for no other. */
    readonly transactionId?: string;
  },
  record: OpenRedemptions,
  deps: RedeemDeps,
): Promise<FoundIntent> {
  const { keepsMetadata, inDoubt } = deps;
  const { shop, value, till, rewardId, clientKey } = request;
  const { currency, transactionId } = offer;
  const { id, key } = namesOf(request, clientKey);
  const bodyOf = (terms: RewardTerms): RedeemBody => ({
    CustomerId: offer.programId,
    OriginalKey: key,
    ...(keepsMetadata && { Metadatas: [keepRedemption({ shop, id, key, rewardId, terms })] }),
    ...(value !== undefined && { Value: value }),
    ...(till && { RedeemOrigin: POINT_OF_SALE }),
  });
  return record.change<FoundIntent>((found, now, past) => {
    // Another click may have been faster since the first look.
    const joined = join(found, request, deps, now);
    if (joined) return joined;
    const challenges = challengesIn(found);
    const isUsedUp = transactionId !== undefined && challenges.transaction?.id !== transactionId;
    if (isUsedUp) return { value: answered({ kind: 'refused', why: 'challenge-needed' }) };
    const at = now.toISOString();
    const expiresAt = currency && creditEnd({ id, terms: offer.terms }, found.redemptions, now);
    const terms = expiresAt ? { ...offer.terms, credit: { currency, expiresAt } } : offer.terms;
    const redemption: Redemption = {
      ...{ id, rewardId, clientKeys: [clientKey], terms, intendedAt: at, since: at },
      state: { at: 'intended', body: bodyOf(terms) },
      ...((inDoubt() || past.has(id)) && { tried: true }),
      ...(till && { staffId: till.staffId }),
    };
    const next = {
      ...found,
      redemptions: [...found.redemptions, redemption],
      intents: [...found.intents, now.getTime()],
      // The PIN is used up; so are the tries that it took.
      ...(transactionId !== undefined && { challenges: { starts: challenges.starts, tries: [] } }),
    };
    const line = { id, outcome: 'intended' };
    return { record: next, line, value: { kind: 'intent', redemption } };
  });
}

const CLIENT_KEYS_KEPT = 10;

/**
 * A click belongs to the redemption of the same click before, or of its reward while that is being redeemed. Undefined
 * for a click that may begin a redemption of its own.
 */
function join(
  found: RedemptionRecord,
  request: RedeemRequest,
  deps: RedeemDeps,
  now: Date,
): RecordChange<FoundIntent> | undefined {
  const { rewardId, clientKey } = request;
  const { redemptions, intents } = found;
  // One that the ledger had forgotten is known by its name alone.
  const { id } = namesOf(request, clientKey);
  const own = redemptions.findLast((one) => one.id === id || one.clientKeys.includes(clientKey));
  const joined =
    own ?? redemptions.findLast((one) => one.rewardId === rewardId && isBeingRedeemed(one));
  if (!joined) {
    const afterSeconds = secondsUntilFewer(intents, deps.redeemsPerHour, now);
    if (afterSeconds === undefined) return undefined;
    return { value: answered({ kind: 'too-many', afterSeconds }) };
  }
  if (!own && joined.terms.cashback && joined.terms.value !== request.value) {
    return { value: answered({ kind: 'refused', why: 'pending' }) };
  }
  const value: FoundIntent =
    joined.state.at === 'intended'
      ? { kind: 'intent', redemption: joined }
      : answered(answerOf(joined, request, deps));
  if (joined.clientKeys.includes(clientKey)) return { value };
  const clientKeys = [...joined.clientKeys, clientKey].slice(-CLIENT_KEYS_KEPT);
  return { record: withRedemption(found, { ...joined, clientKeys }), value };
}

const answered = (answer: RedeemAnswer): FoundIntent => ({ kind: 'answer', answer });

/** The answer to a click on a redemption; undefined is one that is no longer there. */
function answerOf(
  redemption: Redemption | undefined,
  { till }: Pick<RedeemRequest, 'till'>,
  { takeBack, now }: RedeemDeps,
): RedeemAnswer {
  if (redemption?.state.at === 'refused') return { kind: 'refused', why: redemption.state.why };
  if (redemption && isAnothers(redemption)) return { kind: 'refused', why: 'another-member' };
  const by = till ? 'staff' : 'customer';
  const view = redemption && viewOf(redemption, takeBackUntil(redemption, by, takeBack, now()));
  return view ? { kind: 'redemption', redemption: view } : { kind: 'unavailable' };
}

/** From a recorded intent to its answer. Where the customer cannot wait, the worker continues. */
async function executeRedemption(
  redemption: Redemption,
  request: RedeemRequest,
  record: OpenRedemptions,
  deps: RedeemDeps,
): Promise<RedeemAnswer> {
  const { id, intendedAt } = redemption;
  const { customer } = record;
  // The same click may be intended again after its first intent was forgotten.
  const deliveryId = `redeem/${id}/${intendedAt}`;
  const names = { kind: 'redemption', topic: 'redeem', deliveryId } as const;
  const event = { ...customer, ...names, id, receivedAt: intendedAt };
  await deps.queue.send(event);
  // The worker goes on, whatever breaks off here.
  await resume({ event, record, deps, by: 'shopper' }, redemption).catch((error: unknown) =>
    brokeOff(error, { ...customer, redemption: id }, deps),
  );
  return answerOf(findRedemption(await record.read(), id), request, deps);
}
