import { readCart, readCartOrNone } from '../../core/redeem/available-rewards.ts';
import { MOST_PAGES } from '../../core/storefront/read-history.ts';
import { badRequest, jsonAnswer, type Route, unavailable, wrongCart } from './route.ts';

/** Not cached without a login either: after a login the same address has another answer. */
const view: Route = {
  method: 'GET',
  for: 'anyone',
  parameters: ['items'],
  async answer({ customerId, parameters, storefront }) {
    const cart = readCartOrNone(parameters.get('items'));
    return cart ? jsonAnswer(await storefront.view(customerId, cart)) : wrongCart();
  },
};

/** `me`, `rewards` and `redemptions` are parts of a view, for pages that need no more. */
const me: Route = {
  method: 'GET',
  for: 'customer',
  parameters: [],
  async answer({ customerId, storefront }) {
    const { points, cashback, asOf, expiring, tier } = await storefront.view(customerId, []);
    return jsonAnswer({ points, cashback, asOf, expiring, tier });
  },
};

const points: Route = {
  method: 'GET',
  for: 'anyone',
  parameters: ['items', 'currency'],
  async answer({ parameters, storefront }) {
    const items = readCart(parameters.get('items') ?? '');
    if (!items) return wrongCart();
    const currency = parameters.get('currency') ?? '';
    if (!/^[A-Z]{3}$/.test(currency)) return badRequest('currency must be three capital letters.');
    const earned = await storefront.points(items, currency);
    return earned.kind === 'answered'
      ? jsonAnswer(earned.value, 'public')
      : unavailable(earned.afterSeconds);
  },
};

const rewards: Route = {
  method: 'GET',
  for: 'anyone',
  parameters: ['items'],
  async answer({ customerId, parameters, storefront }) {
    const cart = readCartOrNone(parameters.get('items'));
    if (!cart) return wrongCart();
    const { points, rewards, retryAfterSeconds } = await storefront.view(customerId, cart);
    return rewards ? jsonAnswer({ points, rewards }) : unavailable(retryAfterSeconds ?? undefined);
  },
};

const redemptions: Route = {
  method: 'GET',
  for: 'customer',
  parameters: [],
  answer: async ({ customerId, storefront }) =>
    jsonAnswer({ redemptions: await storefront.redemptions(customerId) }),
};

const history: Route = {
  method: 'GET',
  for: 'customer',
  parameters: ['page'],
  async answer({ customerId, parameters, storefront }) {
    const text = parameters.get('page') ?? '1';
    const page = Number(text);
    if (!/^[1-9]\d{0,2}$/.test(text) || page > MOST_PAGES) {
      return badRequest(`page must be 1 to ${MOST_PAGES}.`);
    }
    const read = await storefront.history(customerId, page);
    return read.kind === 'answered' ? jsonAnswer(read.value) : unavailable(read.afterSeconds);
  },
};

const order: Route = {
  method: 'GET',
  for: 'customer',
  parameters: ['id'],
  async answer({ customerId, parameters, storefront }) {
    const id = parameters.get('id') ?? '';
    if (!/^[1-9]\d{0,18}$/.test(id)) return badRequest('id must be the number of an order.');
    const read = await storefront.order(customerId, id);
    return read.kind === 'answered' ? jsonAnswer(read.value) : unavailable(read.afterSeconds);
  },
};

const quizzes: Route = {
  method: 'GET',
  for: 'customer',
  parameters: [],
  async answer({ customerId, storefront }) {
    const listed = await storefront.quizzes(customerId);
    return listed.kind === 'answered'
      ? jsonAnswer({ quizzes: listed.value })
      : unavailable(listed.afterSeconds);
  },
};

export const getRoutes = { view, me, points, rewards, redemptions, history, order, quizzes };
