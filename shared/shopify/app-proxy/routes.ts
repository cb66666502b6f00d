import { readCartItems } from '../../sync/storefront/cart-items.ts';
import type { Storefront } from '../../sync/storefront/storefront.ts';
import {
  type Audience,
  badRequest,
  errorAnswer,
  jsonAnswer,
  type ProxyAnswer,
  unavailable,
} from './proxy-answer.ts';
import { readAnswers } from './read-answers.ts';
import { isId, readBody } from './read-fields.ts';

/** One question of a shopper, after it was proved. */
interface Question<Customer> {
  /** Whom Shopify says is logged in. Nothing else of a request can name a customer. */
  readonly customerId: Customer;
  readonly parameters: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
  readonly storefront: Storefront;
}

interface CommonRoute {
  readonly method: 'GET' | 'POST';
  /** Parameters of the query that it knows; any other is refused. */
  readonly parameters: readonly string[];
}

/** `everybody`: works while nobody is logged in, too. */
export type Route = CommonRoute &
  (
    | { readonly for: 'customer'; readonly answer: (question: Question<string>) => Promise<ProxyAnswer> }
    | {
        readonly for: 'everybody';
        readonly answer: (question: Question<string | undefined>) => Promise<ProxyAnswer>;
      }
  );

/** By the last part of the path: `/apps/loyalty/me`. */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  [
    'me',
    {
      ...{ method: 'GET', for: 'customer', parameters: [] },
      answer: async ({ customerId, storefront }) =>
        jsonAnswer(await storefront.standing(customerId)),
    },
  ],
  [
    'points',
    {
      ...{ method: 'GET', for: 'everybody', parameters: ['items', 'currency'] },
      answer: async ({ parameters, storefront }) => {
        const items = readCartItems(parameters.get('items') ?? '');
        const currency = parameters.get('currency') ?? '';
        if (!items) return badRequest('items must be up to 50 of id:price:quantity, with commas.');
        if (!/^[A-Z]{3}$/.test(currency)) return badRequest('currency must be three capitals.');
        return told(await storefront.points(items, currency), 'everybody');
      },
    },
  ],
  [
    'rewards',
    {
      ...{ method: 'GET', for: 'everybody', parameters: [] },
      answer: async ({ customerId, storefront }) => told(await storefront.rewards(customerId)),
    },
  ],
  [
    'redemptions',
    {
      ...{ method: 'GET', for: 'customer', parameters: [] },
      answer: async ({ customerId, storefront }) => {
        const listed = await storefront.redemptions(customerId);
        if (listed.kind === 'unavailable') return unavailable();
        return jsonAnswer({ redemptions: listed.redemptions });
      },
    },
  ],
  ['redeem', { method: 'POST', for: 'customer', parameters: [], answer: redeem }],
  [
    'quizzes',
    {
      ...{ method: 'GET', for: 'customer', parameters: [] },
      answer: async ({ customerId, storefront }) => {
        const listed = await storefront.quizzes(customerId);
        if (listed.kind === 'unavailable') return unavailable(listed.afterSeconds);
        return jsonAnswer({ quizzes: listed.value });
      },
    },
  ],
  ['answer', { method: 'POST', for: 'customer', parameters: [], answer: answerQuiz }],
]);

type Told =
  | { readonly kind: 'answered'; readonly value: unknown }
  | { readonly kind: 'unavailable'; readonly afterSeconds: number };

function told(asked: Told, audience?: Audience): ProxyAnswer {
  return asked.kind === 'answered'
    ? jsonAnswer(asked.value, audience)
    : unavailable(asked.afterSeconds);
}

const CLIENT_KEY = /^[A-Za-z0-9_-]{8,64}$/;

const REFUSALS = {
  'too-few-points': 'There are not enough points for this reward.',
  'not-available': 'This reward cannot be redeemed at the moment.',
  'limit-reached': 'This reward was redeemed as often as it can be.',
  refused: 'The loyalty program refused to redeem this reward.',
} as const;

async function redeem({ customerId, body, storefront }: Question<string>): Promise<ProxyAnswer> {
  const read = readBody(body, ['rewardId', 'clientKey']);
  if (read.kind === 'bad') return read.answer;
  const { rewardId, clientKey } = read.fields;
  if (!isId(rewardId)) return badRequest('rewardId must be the number of a reward.');
  if (typeof clientKey !== 'string' || !CLIENT_KEY.test(clientKey)) {
    return badRequest('clientKey must be 8 to 64 letters, digits, hyphens or underscores.');
  }
  const answer = await storefront.redeem(customerId, { rewardId, clientKey });
  switch (answer.kind) {
    case 'redemption':
      return jsonAnswer({ redemption: answer.redemption });
    case 'refused':
      return errorAnswer(409, answer.why, REFUSALS[answer.why]);
    case 'too-many':
      return tooMany(answer.afterSeconds);
    case 'unavailable':
      return unavailable();
  }
}

async function answerQuiz({ customerId, body, storefront }: Question<string>) {
  const read = readAnswers(body);
  if (read.kind === 'bad') return read.answer;
  const answered = await storefront.answer(customerId, read.answers);
  switch (answered.kind) {
    case 'answered':
      return jsonAnswer(answered.value);
    case 'not-available':
      return errorAnswer(409, 'not-available', 'There is no such quiz at the moment.');
    case 'not-the-quiz':
      return badRequest('The answers must be to the questions of this quiz, each once.');
    case 'refused':
      return errorAnswer(409, 'refused', 'The loyalty program did not take these answers.');
    case 'unavailable':
      return answered.mayHaveHappened
        ? errorAnswer(
            503,
            'unavailable',
            'It is not known yet whether the answers arrived. Look at the quiz again in a minute.',
            answered.afterSeconds,
          )
        : unavailable(answered.afterSeconds);
  }
}

export function tooMany(afterSeconds: number): ProxyAnswer {
  return errorAnswer(429, 'too-many-requests', 'That was a lot at once. Wait a moment.', afterSeconds);
}
