import {
  routes as shopperRoutes,
  tillRoutes,
} from '../../../shared/shopify/storefront-requests/serve-storefront.ts';
import { topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const number = { type: 'number' };
const truth = { type: 'boolean' };
const list = (items: Schema) => ({ type: 'array', items });
const orNull = (schema: Schema) => ({ anyOf: [schema, { type: 'null' }] });
const oneOf = (...values: readonly string[]) => ({ type: 'string', enum: values });
/** All of these fields and no other. */
const object = (properties: Readonly<Record<string, Schema>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const goal = object({ name: text, value: number, goal: number, percent: number });
const next = object({ name: text, goals: list(goal) });
const tier = orNull(object({ name: text, color: orNull(text), next: orNull(next) }));
const kind = oneOf('fixed', 'percent', 'free-shipping', 'store-credit', 'cashback', 'other');
const reward = object({
  ...{ id: number, title: text, description: text, points: number, value: number },
  ...{ kind, product: orNull(text), cashback: orNull(object({ least: number, most: number })) },
  ...{ redeemable: truth, why: orNull(text), missingPoints: orNull(number) },
  ...{ tiers: list(text), requirements: orNull(text) },
});
const redemption = object({
  ...{ id: text, rewardId: number, title: text, points: number },
  state: oneOf(
    ...['ready', 'making', 'pending', 'used', 'expired', 'refused', 'returning', 'cancelled'],
    'credited',
  ),
  ...{ at: text, kind, value: number, code: orNull(text), validUntil: orNull(text) },
  ...{ takeBackUntil: orNull(text), takeBackRefused: truth },
});
const balance = {
  ...{ points: orNull(number), cashback: orNull(number), asOf: orNull(text), tier },
  expiring: orNull(object({ points: number, at: text })),
};
const historyEntry = object({
  ...{ kind: oneOf('points', 'tier'), at: orNull(text), title: text, points: number },
  ...{ cashback: number, cancelled: truth, code: orNull(text), tier: orNull(text) },
});
const question = object({ id: number, text, options: list(object({ id: number, text })) });
const quiz = object({
  ...{ id: number, name: text, points: number, completed: truth, endsAt: orNull(text) },
  questions: list(question),
});

/** What each route answers (app/program/answers.ts). */
const ANSWERS: Readonly<Record<string, Schema>> = {
  view: object({
    ...{ ...balance, loggedIn: truth, rewards: orNull(list(reward)) },
    ...{ retryAfterSeconds: orNull(number), needsChallenge: truth, redemptions: list(redemption) },
    referral: orNull(object({ url: text, whatsappUrl: orNull(text) })),
  }),
  me: object(balance),
  points: object({
    ...{ points: number, cashback: number },
    items: list(object({ id: text, points: number, cashback: number })),
  }),
  rewards: object({ points: orNull(number), rewards: list(reward) }),
  redemptions: object({ redemptions: list(redemption) }),
  history: object({ page: number, hasMore: truth, entries: list(historyEntry) }),
  order: object({
    state: oneOf('waiting', 'earns', 'none'),
    ...{ points: orNull(number), cashback: orNull(number), why: orNull(text) },
  }),
  quizzes: object({ quizzes: list(quiz) }),
  redeem: object({ redemption }),
  challenge: object({ started: { const: true } }),
  answer: object({ accepted: truth, points: number, message: text }),
};

const id = { type: 'integer', minimum: 1, maximum: 2 ** 31 };
const cart = { type: 'string', pattern: '^[1-9][0-9]{0,9}:[1-9][0-9]{0,3}:[1-9]$' };
const intent = {
  rewardId: id,
  clientKey: { type: 'string', pattern: '^[A-Za-z0-9_-]{8,64}$' },
};
const asked = { questionId: id, optionIds: orNull(list(id)), text: orNull(text) };
const BODIES: Readonly<Record<string, Schema>> = {
  redeem: {
    ...object(intent),
    properties: { ...intent, value: { type: 'number', exclusiveMinimum: 0 }, items: cart },
  },
  challenge: {
    ...object({}),
    properties: {
      phone: { type: 'string', pattern: '^[0-9]{8,12}$' },
      email: { type: 'string', pattern: '^[a-z]{1,9}@example[.]com$' },
    },
  },
  answer: object({ quizId: id, answers: { ...list(object(asked)), minItems: 1, maxItems: 3 } }),
};
const PARAMETERS: Readonly<Record<string, Schema>> = {
  items: cart,
  currency: { type: 'string', pattern: '^[A-Z]{3}$' },
  page: { type: 'integer', minimum: 1, maximum: 5 },
  id: { type: 'integer', minimum: 1 },
};
const REQUIRED = new Set(['currency', 'id']);

const answer = (description: string, type: string, schema: Schema) => ({
  description,
  content: { [type]: { schema } },
});
const error = answer('An error', 'application/json', {
  ...object({
    error: {
      ...object({ code: text, message: text }),
      properties: {
        ...{ code: text, message: text },
        ...{ programMessage: text, asks: list(oneOf('phone', 'email')) },
      },
    },
  }),
});
const plain = answer('In words', 'text/plain', text);

function callsOf(prefix: string, routes: typeof shopperRoutes, refusals: readonly number[]) {
  const calls = [...routes].map(([name, { method, parameters }]) => {
    const schema = ANSWERS[name] ?? {};
    const codes = method === 'POST' ? [...refusals, 409] : refusals;
    const body = { required: true, content: { 'application/json': { schema: BODIES[name] } } };
    const query = parameters.map((parameter) => ({
      ...{ in: 'query', name: parameter, schema: PARAMETERS[parameter] },
      required: REQUIRED.has(parameter) || (name === 'points' && parameter === 'items'),
    }));
    const call = {
      operationId: `${prefix} ${name}`,
      parameters: query,
      ...(method === 'POST' && { requestBody: body }),
      responses: {
        200: answer('Known', 'application/json', schema),
        ...Object.fromEntries(codes.map((status) => [status, error])),
      },
    };
    return [`/${prefix}/${name}`, { [method.toLowerCase()]: call }];
  });
  return Object.fromEntries(calls);
}

function receiver(name: string, parameters: readonly Schema[], statuses: readonly number[]) {
  return {
    post: {
      ...{ operationId: name, parameters },
      requestBody: { content: { 'application/json': { schema: {} } } },
      responses: Object.fromEntries(statuses.map((status) => [status, plain])),
    },
  };
}

const STOREFRONT_ERRORS = [400, 401, 404, 405, 429];

/** The interfaces of the functions, as a page, an extension, a till and the two services see them. */
export const functionsContract = {
  openapi: '3.1.0',
  info: { title: 'The functions of the connector', version: '1' },
  paths: {
    ...callsOf('apps/loyalty', shopperRoutes, STOREFRONT_ERRORS),
    ...callsOf('account', shopperRoutes, STOREFRONT_ERRORS),
    ...callsOf('till', tillRoutes, STOREFRONT_ERRORS),
    '/webhook': receiver(
      'webhook',
      [
        {
          ...{ in: 'header', name: 'x-shopify-topic', required: true },
          schema: { type: 'string', enum: [...topicRoutes.keys()] },
        },
      ],
      [200, 400, 401, 405],
    ),
    '/points': receiver('points', [], [200, 401, 405]),
  },
};
