import type { ChallengeRefusal, StartedChallenge } from '../../core/redeem/challenge.ts';
import type { OfferRefusal } from '../../core/redeem/find-offer.ts';
import type { RedeemAnswer } from '../../core/redeem/redeem-world.ts';
import type { RefusedWhy } from '../../core/redeem/redemption.ts';
import type { QuizAnswers } from '../../core/storefront/answer-quiz.ts';
import { type CartLine, readCartOrNone } from '../../core/storefront/cart.ts';
import {
  badRequest,
  errorAnswer,
  jsonAnswer,
  type Route,
  type StorefrontAnswer,
  tooMany,
  unavailable,
  unknownField,
  wrongCart,
} from './route.ts';

const CLIENT_KEY = /^[A-Za-z0-9_-]{8,64}$/;

/** The form of a PIN is not documented. */
const CHALLENGE_ANSWER = /^[A-Za-z0-9-]{1,32}$/;

const REFUSALS = {
  'too-few-points': 'There are not enough points for this reward.',
  'not-available': 'This reward cannot be redeemed at the moment.',
  'limit-reached': 'This reward cannot be redeemed again.',
  refused: 'The loyalty program refused to redeem this reward.',
  'below-minimum': 'The cart is too small for this reward.',
  'below-minimum-percent': 'The cart is too small for this reward.',
  'exceeds-purchase': 'The reward is worth more than the cart.',
  'no-cashback': 'There is no cashback for this cart.',
  'not-a-member': 'The loyalty program does not know this customer.',
  'not-enrolled': 'This customer does not take part in the loyalty program.',
  'not-cumulative': 'This reward cannot be combined with other discounts.',
  'product-conditions': 'The cart does not have what this reward needs.',
  'not-online': 'This reward cannot be redeemed in the online store.',
  'value-not-allowed': 'This amount is not allowed.',
  'challenge-needed': 'The customer must first answer a challenge.',
  'challenge-wrong': 'The answer to the challenge is wrong.',
} as const satisfies Record<
  Exclude<RefusedWhy | OfferRefusal | ChallengeRefusal, 'unknown-reward'>,
  string
>;

const redeem: Route = {
  method: 'POST',
  for: 'customer',
  parameters: [],
  async answer({ customerId, body, storefront }) {
    const read = readIntent(body, []);
    if (read.kind === 'bad') return read.answer;
    return answerRedeem(await storefront.redeem(customerId, read.value));
  },
};

/** The field `answer` is the customer's to a challenge. */
const redeemAtTill: Route = {
  method: 'POST',
  for: 'staff',
  parameters: [],
  async answer({ customerId, staffId, body, storefront }) {
    const read = readIntent(body, ['answer']);
    if (read.kind === 'bad') return read.answer;
    const { answer, ...intent } = read.value;
    if (answer !== undefined && (typeof answer !== 'string' || !CHALLENGE_ANSWER.test(answer))) {
      return badRequest('answer must have 1 to 32 letters, digits or hyphens.');
    }
    const till = { staffId, answer };
    return answerRedeem(await storefront.redeem(customerId, { ...intent, till }));
  },
};

const challenge: Route = {
  method: 'POST',
  for: 'staff',
  parameters: [],
  async answer({ customerId, staffId, body, storefront }) {
    const read = readBody(body, []);
    if (read.kind === 'bad') return read.answer;
    const started = await storefront.challenge(customerId, staffId);
    return started.kind === 'started' ? jsonAnswer({ started: true }) : answerRedeem(started);
  },
};

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
  const cart = readCartOrNone(items === undefined ? undefined : String(items));
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
  answer: RedeemAnswer | Exclude<StartedChallenge, { kind: 'started' }>,
): StorefrontAnswer {
  switch (answer.kind) {
    case 'redemption':
      return jsonAnswer({ redemption: answer.redemption });
    case 'refused':
      return answer.why === 'unknown-reward'
        ? errorAnswer(404, 'not-available', 'There is no such reward for this customer.')
        : errorAnswer(409, answer.why, REFUSALS[answer.why]);
    case 'too-many':
      return tooMany(answer.afterSeconds);
    case 'unavailable':
      return unavailable();
  }
}

const answer: Route = {
  method: 'POST',
  for: 'customer',
  parameters: [],
  async answer({ customerId, body, storefront }) {
    const read = readQuizAnswers(body);
    if (read.kind === 'bad') return read.answer;
    const answered = await storefront.answer(customerId, read.value);
    switch (answered.kind) {
      case 'answered':
        return jsonAnswer(answered.value);
      case 'not-available':
        return errorAnswer(409, 'not-available', 'There is no such quiz at the moment.');
      case 'not-the-quiz':
        return badRequest('The answers must be to the questions of this quiz, each once.');
      case 'refused':
        return errorAnswer(409, 'refused', 'The loyalty program did not accept these answers.');
      case 'unavailable':
        if (!answered.mayHaveHappened) return unavailable(answered.afterSeconds);
        return errorAnswer(
          503,
          'unavailable',
          'It is not known yet whether the answers arrived. Look at the quiz again in a minute.',
          answered.afterSeconds,
        );
    }
  },
};

export const postRoutes = { redeem, answer };

export const tillPostRoutes = { redeem: redeemAtTill, challenge };

type Read<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'bad'; readonly answer: StorefrontAnswer };

type Fields = Readonly<Record<string, unknown>>;

const MAX_ANSWERS = 100;
const MAX_OPTIONS = 50;
const MAX_TEXT_LENGTH = 2_000;

function readQuizAnswers(body: Uint8Array): Read<QuizAnswers> {
  const read = readBody(body, ['quizId', 'answers']);
  if (read.kind === 'bad') return read;
  const { quizId, answers } = read.value;
  if (!isId(quizId)) return bad('quizId must be the number of a quiz.');
  if (!Array.isArray(answers) || answers.length === 0 || answers.length > MAX_ANSWERS) {
    return bad(`answers must be a list of 1 to ${MAX_ANSWERS}.`);
  }
  const list: QuizAnswers['answers'][number][] = [];
  for (const one of answers) {
    const item = readObject(one, ['questionId', 'optionIds', 'text']);
    if (item.kind === 'bad') return item;
    const { questionId, optionIds = null, text = null } = item.value;
    if (!isId(questionId)) return bad('questionId must be the number of a question.');
    if (!isOptions(optionIds)) return bad('optionIds must be a list of numbers, or null.');
    if (!isText(text)) {
      return bad(`text must have at most ${MAX_TEXT_LENGTH} characters, or be null.`);
    }
    list.push({ questionId, optionIds, text });
  }
  return { kind: 'read', value: { quizId, answers: list } };
}

function isOptions(value: unknown): value is readonly number[] | null {
  return (
    value === null || (Array.isArray(value) && value.length <= MAX_OPTIONS && value.every(isId))
  );
}

function isText(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= MAX_TEXT_LENGTH);
}

/** The answers to a long quiz need a tenth of this. */
const MAX_BODY_BYTES = 32_768;

function readBody(body: Uint8Array, known: readonly string[]): Read<Fields> {
  if (body.byteLength > MAX_BODY_BYTES) return bad('The body is too large.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return bad('The body must be JSON.');
  }
  return readObject(value, known);
}

/** An unknown field is refused, not ignored, so that no request can name another customer. */
function readObject(value: unknown, known: readonly string[]): Read<Fields> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('The body must be a JSON object.');
  }
  if (Object.keys(value).some((key) => !known.includes(key))) {
    return { kind: 'bad', answer: unknownField() };
  }
  return { kind: 'read', value: Object.assign(Object.create(null), value) };
}

/** The loyalty service's ids are 32-bit numbers. */
const MAX_ID = 2 ** 31 - 1;

function isId(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= MAX_ID;
}

function bad(message: string): { readonly kind: 'bad'; readonly answer: StorefrontAnswer } {
  return { kind: 'bad', answer: badRequest(message) };
}
