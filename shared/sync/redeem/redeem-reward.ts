import { recallBalance } from '../balances/remembered-balance.ts';
import { entityKeyText } from '../entity.ts';
import { correlationOf, errorFields } from '../telemetry.ts';
import { checkReward } from './check-reward.ts';
import { makeCode, take } from './make-code.ts';
import { type OpenBook, openBook } from './open-book.ts';
import { callRedeem } from './redeem-call.ts';
import type { RedeemAnswer, RedeemRequest, RedeemWorld } from './redeem-world.ts';
import type { Redemption, RefusedWhy, RewardTerms } from './redemption.ts';
import {
  findJoined,
  findRedemption,
  secondsToWait,
  withClientKey,
  withIntent,
  withoutRedemption,
  withStep,
} from './redemption-book.ts';
import { viewOf } from './redemption-view.ts';

/**
 * Join or check → record the intent → hand it to the queue → call once → record → make the code.
 *
 * The queue holds the intent before anything is spent: whatever becomes of this process, its worker sees
 * the redemption to its end.
 */
export async function redeemReward(
  request: RedeemRequest,
  world: RedeemWorld,
): Promise<RedeemAnswer> {
  const { retentionDays } = world.settings;
  const book = openBook(request, { ...world, retentionDays });
  try {
    const intent = await findIntent(request, book, world);
    return 'kind' in intent ? intent : await carryOut(intent, book, world);
  } catch (error) {
    world.telemetry.count('crash');
    world.telemetry.log('error', 'redeeming broke off', {
      shop: request.shop,
      customerId: request.customerId,
      rewardId: request.rewardId,
      ...errorFields(error),
    });
    return { kind: 'unavailable' };
  }
}

/** The redemption of this click, recorded and not called for yet; or what to answer. */
async function findIntent(
  request: RedeemRequest,
  book: OpenBook,
  world: RedeemWorld,
): Promise<Redemption | RedeemAnswer> {
  const joined = await join(request, book, world);
  if (joined) return joined;
  const checked = await checkReward(request.rewardId, world);
  if (checked.kind === 'not-available') return { kind: 'refused', why: 'not-available' };
  return checked.kind === 'unavailable' ? checked : intend(request, checked.terms, book, world);
}

async function join(request: RedeemRequest, book: OpenBook, { settings }: RedeemWorld) {
  return book.change<Redemption | RedeemAnswer | undefined>((found, now) => {
    const joined = findJoined(found, request);
    if (joined) {
      const value = isIntended(joined) ? joined : answerOf(joined);
      return { book: withClientKey(found, joined, request.clientKey), value };
    }
    const afterSeconds = secondsToWait(found, settings.redeemsPerHour, now);
    return { value: afterSeconds === undefined ? undefined : { kind: 'too-many', afterSeconds } };
  });
}

/** Another click may have been faster since the first look. */
async function intend(
  request: RedeemRequest,
  terms: RewardTerms,
  book: OpenBook,
  { newId, settings }: RedeemWorld,
): Promise<Redemption | RedeemAnswer> {
  const { rewardId, clientKey } = request;
  const id = newId();
  return book.change<Redemption | RedeemAnswer>((found, now) => {
    const own = findRedemption(found, id);
    if (own) return { value: own };
    const joined = findJoined(found, request);
    if (joined) {
      const value = isIntended(joined) ? joined : answerOf(joined);
      return { book: withClientKey(found, joined, clientKey), value };
    }
    const afterSeconds = secondsToWait(found, settings.redeemsPerHour, now);
    if (afterSeconds !== undefined) return { value: { kind: 'too-many', afterSeconds } };
    const next = withIntent(found, { id, rewardId, clientKey, terms }, now);
    const value = findRedemption(next, id);
    if (!value) throw new Error('an intent was not recorded');
    return { book: next, line: { id, outcome: 'intended' }, value };
  });
}

async function carryOut(
  { id, intendedAt }: Redemption,
  book: OpenBook,
  world: RedeemWorld,
): Promise<RedeemAnswer> {
  const { shop, customerId } = book.customer;
  const topic = 'redeem';
  await world.queue.send({
    kind: 'redemption',
    ...{ shop, id, customerId, topic, deliveryId: `${topic}/${id}`, receivedAt: intendedAt },
  });
  const begun = await begin(id, book);
  if (!begun.isOurs) return answerOf(begun.redemption);
  const { redemption } = begun;
  const ended = await callRedeem(redemption, customerId, world);
  try {
    switch (ended.kind) {
      case 'not-sent':
        await forget(id, book);
        return { kind: 'unavailable' };
      case 'refused': {
        const why = await betterWord(ended.why, redemption, book, world);
        return answerOf(await take(book, id, { kind: 'refuse', why }));
      }
      case 'unknown':
        tellUnknown(redemption, ended.why, book, world);
        return answerOf(await take(book, id, { kind: 'lose-sight', why: ended.why }));
      case 'redeemed':
        await take(book, id, { kind: 'answer', code: ended.code });
        return answerOf(await tryCode(id, book, world));
    }
  } catch (error) {
    // The points may be spent: what is recorded says `calling`, and the queue has it.
    world.telemetry.log('error', 'the end of a redemption was not recorded', {
      ...correlation(id, book),
      ...errorFields(error),
    });
    return answerOf(redemption);
  }
}

/** Only one of all who saw the intent makes it a call. */
async function begin(id: string, book: OpenBook) {
  type Begun =
    | { readonly isOurs: true; readonly redemption: Redemption }
    | { readonly isOurs: false; readonly redemption: Redemption | undefined };
  return book.change<Begun>((found, now) => {
    const next = withStep(found, id, { kind: 'call' }, now);
    const redemption = findRedemption(next ?? found, id);
    if (!next || !redemption) return { value: { isOurs: false, redemption } };
    const value = { isOurs: true, redemption } as const;
    return { book: next, line: { id, outcome: 'calling' }, value };
  });
}

async function forget(id: string, book: OpenBook): Promise<void> {
  await book.change((found) => ({
    ...(findRedemption(found, id)?.state.at === 'calling' && {
      book: withoutRedemption(found, id),
      line: { id, outcome: 'not-sent' },
    }),
    value: undefined,
  }));
}

/** Once, while the customer waits; the worker goes on with it where it fails. */
async function tryCode(id: string, book: OpenBook, world: RedeemWorld) {
  try {
    const made = await makeCode(book, id, world);
    if (made.kind !== 'unavailable') return made.redemption;
  } catch (error) {
    world.telemetry.log('warn', 'a code was not made at once', {
      ...correlation(id, book),
      ...errorFields(error),
    });
  }
  return findRedemption(await book.read(), id);
}

/** The service has one number for all that a reward does not allow; the balance may tell more. */
async function betterWord(
  why: RefusedWhy,
  { terms }: Redemption,
  { customer }: OpenBook,
  { ledger }: RedeemWorld,
): Promise<RefusedWhy> {
  const key = { shop: customer.shop, kind: 'customer', id: customer.customerId } as const;
  const entry = (await ledger.readMany([key])).get(entityKeyText(key));
  const points = recallBalance(entry?.remembered)?.points;
  return points !== undefined && Number(points) < terms.points ? 'too-few-points' : why;
}

function tellUnknown(
  { id, rewardId }: Redemption,
  why: string,
  book: OpenBook,
  { telemetry }: RedeemWorld,
): void {
  telemetry.log('warn', 'it is not known whether a reward was redeemed', {
    ...correlation(id, book),
    rewardId,
    why,
  });
}

function correlation(id: string, { customer: { shop, customerId } }: OpenBook) {
  const event = { kind: 'redemption', topic: 'redeem', deliveryId: `redeem/${id}`, shop, id };
  return { ...correlationOf(event), customerId };
}

const isIntended = ({ state }: Redemption): boolean => state.at === 'intended';

function answerOf(redemption: Redemption | undefined): RedeemAnswer {
  const view = redemption && viewOf(redemption);
  if (view) return { kind: 'redemption', redemption: view };
  if (redemption?.state.at !== 'refused') return { kind: 'unavailable' };
  const { why } = redemption.state;
  return { kind: 'refused', why: why === 'did-not-happen' ? 'refused' : why };
}
