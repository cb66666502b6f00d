import { correlationOf, errorFields } from '../events/telemetry.ts';
import type { RedeemBody, Redemption, RewardTerms } from '../redemptions/redemption.ts';
import { keepRedemption, namesOf } from '../redemptions/redemption-names.ts';
import {
  type BookChange,
  type Customer,
  challengesIn,
  findJoined,
  findRedemption,
  type OpenBook,
  openBook,
  type RedemptionBook,
  secondsUntilFewer,
  withClientKey,
  withIntent,
  withoutRedemption,
  withoutTransaction,
} from '../redemptions/redemption-record.ts';
import {
  checkAnswer,
  type StartedChallenge,
  startChallenge,
  type TypedContacts,
} from './challenge.ts';
import {
  answerOf,
  type RedeemAnswer,
  type RedeemRequest,
  type RedeemWorld,
} from './dependencies.ts';
import { findOffer } from './find-offer.ts';
import { makeCode } from './make-code.ts';
import { attemptRedeem } from './redeem-call.ts';

/**
 * Join or check → record the intent → hand it to the queue → call → record → make the code.
 *
 * The queue holds the intent before anything is spent: if this process dies, the worker finishes the
 * redemption.
 * See docs/decisions/0047-redeem-by-key.md.
 */
async function redeemReward(request: RedeemRequest, world: RedeemWorld): Promise<RedeemAnswer> {
  const { shop, customerId, rewardId } = request;
  const { retentionDays } = world.settings;
  const book = openBook({ shop, customerId }, { ...world, retentionDays });
  try {
    const found = await findIntent(request, book, world);
    const answer =
      found.kind === 'intent'
        ? await executeRedemption(found.redemption, book, world)
        : found.answer;
    if (request.till) logTill(request.till.staffId, 'redeem', { ...request, answer }, world);
    return answer;
  } catch (error) {
    world.telemetry.count('crash');
    const fields = { shop, customerId, rewardId, ...errorFields(error) };
    world.telemetry.log('error', 'redeeming broke off', fields);
    return { kind: 'unavailable' };
  }
}

/** Who did what, for whom: the log's line beside the redemption, which holds the user's id as well. */
function logTill(
  staffId: string,
  action: 'redeem' | 'challenge',
  {
    shop,
    customerId,
    rewardId,
    typedContacts,
    answer,
  }: Customer & {
    readonly rewardId?: number;
    readonly typedContacts?: string | undefined;
    readonly answer: RedeemAnswer | StartedChallenge;
  },
  { telemetry }: Pick<RedeemWorld, 'telemetry'>,
): void {
  const outcome = answer.kind === 'refused' ? answer.why : answer.kind;
  const redemption = answer.kind === 'redemption' ? answer.redemption.id : undefined;
  const fields = {
    action,
    staffId,
    shop,
    customerId,
    rewardId,
    typedContacts,
    outcome,
    redemption,
  };
  telemetry.log('info', 'a till acted for a customer', fields);
}

/**
 * What shoppers and tills may ask about redemptions. `begin` gives the world of one request, with its time
 * limits.
 */
export function createRedeeming(shop: string, begin: () => RedeemWorld) {
  return {
    redeem: (customerId: string, intent: Omit<RedeemRequest, 'shop' | 'customerId'>) =>
      redeemReward({ ...intent, shop, customerId }, begin()),
    async challenge(
      customerId: string,
      staffId: string,
      typed: TypedContacts = {},
    ): Promise<StartedChallenge> {
      const world = begin();
      const { retentionDays } = world.settings;
      const book = openBook({ shop, customerId }, { ...world, retentionDays });
      const answer = await startChallenge(typed, book, world);
      // A PIN that went to the wrong person must be traceable, without the person's data.
      const typedContacts = Object.keys(typed).join(', ') || undefined;
      logTill(staffId, 'challenge', { shop, customerId, typedContacts, answer }, world);
      return answer;
    },
  };
}

type FoundIntent =
  /** Recorded, and no call made yet. */
  | { readonly kind: 'intent'; readonly redemption: Redemption }
  | { readonly kind: 'answer'; readonly answer: RedeemAnswer };

/** The intent of this click: one that it joins, or a new one for a reward that can be redeemed. */
async function findIntent(
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

/** From a recorded intent to its answer. Where the customer cannot wait, the worker continues. */
async function executeRedemption(
  intent: Redemption,
  book: OpenBook,
  world: RedeemWorld,
): Promise<RedeemAnswer> {
  const { id, intendedAt } = intent;
  const { customer } = book;
  // The same click may be intended again after its first intent was forgotten.
  const deliveryId = `redeem/${id}/${intendedAt}`;
  const names = { kind: 'redemption', topic: 'redeem', deliveryId } as const;
  const event = { ...customer, ...names, id, receivedAt: intendedAt };
  await world.queue.send(event);
  const attempted = await attemptRedeem(book, id, 'shopper', world);
  switch (attempted.kind) {
    case 'known':
      return answerOf(await tryCode(attempted.redemption, book, world));
    case 'not-sent':
      return answerOf(await forget(id, attempted.attempt, book));
    case 'unanswered':
      world.telemetry.log('warn', 'no answer says whether a reward was redeemed', {
        ...correlationOf(event),
        customerId: customer.customerId,
        why: attempted.retry.why,
      });
      return answerOf(attempted.redemption);
  }
}

/** The click can be tried again at once. */
async function forget(id: string, attempt: number, book: OpenBook): Promise<undefined> {
  return book.change((found) => {
    const state = findRedemption(found, id)?.state;
    const isOurs = state?.at === 'calling' && state.attempts === attempt && attempt === 1;
    if (!isOurs) return { value: undefined };
    const next = withoutRedemption(found, id);
    return { book: next, line: { id, outcome: 'not-sent' }, value: undefined };
  });
}

/** Once, while the customer waits. */
async function tryCode(
  redemption: Redemption | undefined,
  book: OpenBook,
  world: RedeemWorld,
): Promise<Redemption | undefined> {
  if (redemption?.state.at !== 'redeemed' || redemption.state.refusal) return redemption;
  try {
    const { retentionDays } = world.settings;
    const made = await makeCode(book, redemption, { ...world, retentionDays });
    return made.kind === 'settled' ? made.redemption : redemption;
  } catch (error) {
    const { shop, customerId } = book.customer;
    const fields = { shop, customerId, redemption: redemption.id, ...errorFields(error) };
    world.telemetry.log('warn', 'a code was not made at once', fields);
    return redemption;
  }
}
