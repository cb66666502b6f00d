import { type CartLine, readCart, readCartOrNone } from '../../rewards/redeem/available-rewards.ts';
import type {
  ChallengeRefusal,
  StartedChallenge,
  TypedContacts,
} from '../../rewards/redeem/challenge.ts';
import type { OfferRefusal } from '../../rewards/redeem/find-offer.ts';
import type { RedeemAnswer } from '../../rewards/redeem/redeem-reward.ts';
import type { RefusedWhy } from '../../rewards/redeem/redemption.ts';
import type { TakeBackAnswer } from '../../rewards/redeem/take-back.ts';
import { MOST_PAGES } from '../../rewards/storefront/read-history.ts';
import type { TakeBackRefusal } from '../../store/storefront-answers.gen.ts';
import {
  bad,
  badRequest,
  errorAnswer,
  get,
  isId,
  jsonAnswer,
  post,
  type Read,
  readBody,
  type StorefrontAnswer,
  tooMany,
  unavailable,
  wrongCart,
} from './route.ts';

const CLIENT_KEY = /^[A-Za-z0-9_-]{8,64}$/;

/** The form of a PIN is not documented. */
const CHALLENGE_ANSWER = /^[A-Za-z0-9-]{1,32}$/;

/** As people write them: the service's own forms are not documented. */
const PHONE = /^\+?[0-9][0-9 ()./-]{4,30}$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

const REFUSALS = {
  'too-few-points': 'There are not enough points for this reward.',
  'not-available': 'This reward cannot be redeemed at the moment.',
  'limit-reached': 'This reward cannot be redeemed again.',
  refused: 'The loyalty program refused to redeem this reward.',
  pending: 'Another amount is being redeemed: repeat it afterwards.',
  'below-minimum': 'The cart is too small for this reward.',
  'below-minimum-percent': 'The cart is too small for this reward.',
  'exceeds-purchase': 'The reward is worth more than the cart.',
  'no-cashback': 'There is no cashback for this cart.',
  'not-a-member': 'The loyalty program does not know this customer.',
  'another-member':
    'The loyalty program has another member with the e-mail address or document of this customer: the store must clear that up first.',
  'not-enrolled': 'This customer does not take part in the loyalty program.',
  'not-cumulative': 'This reward cannot be combined with other discounts.',
  'product-conditions': 'The cart does not have what this reward needs.',
  'not-online': 'This reward cannot be redeemed in the online store.',
  'value-not-allowed': 'This amount is not allowed.',
  'challenge-needed': 'The customer must first answer a challenge.',
  'challenge-wrong': 'The answer to the challenge is wrong.',
  'take-back-not-allowed': 'This reward cannot be taken back.',
  'take-back-refused': 'The loyalty program refused to take this reward back.',
  'take-back-too-late': 'The time in which this reward could be taken back is over.',
  'already-used': 'The code of this reward was used.',
  'not-ready': 'The code of this reward is not ready yet.',
} as const satisfies Record<
  Exclude<RefusedWhy | OfferRefusal | ChallengeRefusal | TakeBackRefusal, 'unknown-reward'>,
  string
>;

export const redeem = post('customer', async ({ customerId, body, storefront }) => {
  const read = readIntent(body, []);
  if (read.kind === 'bad') return read.answer;
  return answerRedeem(await storefront.redeem(customerId, read.value));
});

/** The field `answer` is the customer's to a challenge. */
export const redeemAtTill = post('staff', async ({ customerId, staffId, body, storefront }) => {
  const read = readIntent(body, ['answer']);
  if (read.kind === 'bad') return read.answer;
  const { answer, ...intent } = read.value;
  if (answer !== undefined && (typeof answer !== 'string' || !CHALLENGE_ANSWER.test(answer))) {
    return badRequest('answer must have 1 to 32 letters, digits or hyphens.');
  }
  const till = { staffId, answer };
  return answerRedeem(await storefront.redeem(customerId, { ...intent, till }));
});

export const challenge = post('staff', async ({ customerId, staffId, body, storefront }) => {
  const read = readContacts(body);
  if (read.kind === 'bad') return read.answer;
  const started = await storefront.challenge(customerId, staffId, read.value);
  switch (started.kind) {
    case 'started':
      return jsonAnswer({ started: true });
    case 'contact-needed': {
      const message = 'The loyalty program cannot reach this customer.';
      const { asks, said } = started;
      return errorAnswer(409, started.kind, message, undefined, { asks, programMessage: said });
    }
    default:
      return answerRedeem(started);
  }
});

function readContacts(body: Uint8Array): Read<TypedContacts> {
  const read = readBody(body, ['phone', 'email']);
  if (read.kind === 'bad') return read;
  const { phone, email } = read.value;
  if (phone !== undefined && (typeof phone !== 'string' || !PHONE.test(phone))) {
    return bad('phone must be a phone number of up to 32 characters.');
  }
  if (email !== undefined && (typeof email !== 'string' || !EMAIL.test(email))) {
    return bad('email must be an e-mail address.');
  }
  const value = {
    ...(phone !== undefined && { phone }),
    ...(email !== undefined && { email }),
  };
  return { kind: 'read', value };
}

interface Intent {
  readonly rewardId: number;
  readonly clientKey: string;
  readonly cart: readonly CartLine[];
  readonly value?: number;
  readonly answer?: unknown;
}

function readIntent(body: Uint8Array, more: readonly 'answer'[]): Read<Intent> {
  const read = readBody(body, ['rewardId', 'clientKey', 'value', 'items', ...more]);
  if (read.kind === 'bad') return read;
  const { rewardId, clientKey, value, items, answer } = read.value;
  if (!isId(rewardId)) return bad('rewardId must be the number of a reward.');
  if (typeof clientKey !== 'string' || !CLIENT_KEY.test(clientKey)) {
    return bad('clientKey must be 8 to 64 letters, digits, hyphens or underscores.');
  }
  if (value !== undefined && (typeof value !== 'number' || !(value > 0))) {
    return bad('value must be an amount above 0.');
  }
  const isCart = items === undefined || typeof items === 'string';
  const cart = isCart ? readCartOrNone(items) : undefined;
  if (!cart) return { kind: 'bad', answer: wrongCart() };
  return {
    kind: 'read',
    value: {
      ...{ rewardId, clientKey, cart },
      ...(value !== undefined && { value }),
      ...(answer !== undefined && { answer }),
    },
  };
}

function answerRedeem(
  answer:
    | RedeemAnswer
    | TakeBackAnswer
    | Exclude<StartedChallenge, { kind: 'started' | 'contact-needed' }>,
): StorefrontAnswer {
  switch (answer.kind) {
    case 'redemption':
      return jsonAnswer({ redemption: answer.redemption });
    case 'refused':
      return answer.why === 'unknown-reward'
        ? errorAnswer(404, 'not-available', 'There is no such reward for this customer.')
        : errorAnswer(409, answer.why, REFUSALS[answer.why], undefined, {
            programMessage: 'said' in answer ? answer.said : undefined,
          });
    case 'not-found':
      return errorAnswer(404, 'not-found', 'This customer has no such redemption.');
    case 'too-many':
      return tooMany(answer.afterSeconds);
    case 'unavailable':
      return unavailable();
  }
}

export const takeBack = post('customer', async ({ customerId, body, storefront }) => {
  const read = readRedemptionId(body);
  if (read.kind === 'bad') return read.answer;
  return answerRedeem(await storefront.takeBack(customerId, read.value));
});

export const takeBackAtTill = post('staff', async ({ customerId, staffId, body, storefront }) => {
  const read = readRedemptionId(body);
  if (read.kind === 'bad') return read.answer;
  return answerRedeem(await storefront.takeBack(customerId, read.value, staffId));
});

const REDEMPTION_ID = /^[A-Z0-9]{12}$/;

function readRedemptionId(body: Uint8Array): Read<string> {
  const read = readBody(body, ['redemptionId']);
  if (read.kind === 'bad') return read;
  const { redemptionId } = read.value;
  return typeof redemptionId === 'string' && REDEMPTION_ID.test(redemptionId)
    ? { kind: 'read', value: redemptionId }
    : bad('redemptionId must be the id of a redemption.');
}

/** Not cached without a login either: after a login the same address has another answer. */
const view = get('anyone', ['items'], async ({ customerId, parameters, storefront, by }) => {
  const cart = readCartOrNone(parameters.get('items'));
  return cart ? jsonAnswer(await storefront.view(customerId, cart, by)) : wrongCart();
});

/** `me`, `rewards` and `redemptions` are parts of a view, for pages that need no more. */
const me = get('customer', [], async ({ customerId, storefront, by }) => {
  const { points, cashback, asOf, expiring, tier } = await storefront.view(customerId, [], by);
  return jsonAnswer({ points, cashback, asOf, expiring, tier });
});

const points = get('anyone', ['items', 'currency'], async ({ parameters, storefront }) => {
  const items = readCart(parameters.get('items') ?? '');
  if (!items) return wrongCart();
  const currency = parameters.get('currency') ?? '';
  if (!/^[A-Z]{3}$/.test(currency)) return badRequest('currency must be three capital letters.');
  const earned = await storefront.points(items, currency);
  switch (earned.kind) {
    case 'answered':
      return jsonAnswer(earned.value, 'public');
    case 'refused':
      return badRequest('The loyalty program counts no points for these items.');
    case 'too-many':
      return tooMany(earned.afterSeconds);
    case 'unavailable':
      return unavailable(earned.afterSeconds);
  }
});

const rewards = get('anyone', ['items'], async ({ customerId, parameters, storefront, by }) => {
  const cart = readCartOrNone(parameters.get('items'));
  if (!cart) return wrongCart();
  const { points, rewards, retryAfterSeconds } = await storefront.view(customerId, cart, by);
  return rewards ? jsonAnswer({ points, rewards }) : unavailable(retryAfterSeconds ?? undefined);
});

const redemptions = get('customer', [], async ({ customerId, storefront, by }) =>
  jsonAnswer({ redemptions: await storefront.redemptions(customerId, by) }),
);

const history = get('customer', ['page'], async ({ customerId, parameters, storefront }) => {
  const text = parameters.get('page') ?? '1';
  const page = Number(text);
  if (!/^[1-9]\d{0,2}$/.test(text) || page > MOST_PAGES) {
    return badRequest(`page must be 1 to ${MOST_PAGES}.`);
  }
  const read = await storefront.history(customerId, page);
  return read.kind === 'answered' ? jsonAnswer(read.value) : unavailable(read.afterSeconds);
});

const order = get('customer', ['id'], async ({ customerId, parameters, storefront }) => {
  const id = parameters.get('id') ?? '';
  if (!/^[1-9]\d{0,18}$/.test(id)) return badRequest('id must be the number of an order.');
  const read = await storefront.order(customerId, id);
  return read.kind === 'answered' ? jsonAnswer(read.value) : unavailable(read.afterSeconds);
});

export const getRoutes = { view, me, points, rewards, redemptions, history, order };
