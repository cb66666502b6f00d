import { readCart, readCartOrNone } from '../../core/storefront/cart.ts';
import { badRequest, jsonAnswer, type Route, unavailable, wrongCart } from './route.ts';

const me: Route = {
  method: 'GET',
  for: 'customer',
  parameters: [],
  answer: async ({ customerId, storefront }) => jsonAnswer(await storefront.standing(customerId)),
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

/** Not cached without a login either: after a login the same address has another answer. */
const rewards: Route = {
  method: 'GET',
  for: 'anyone',
  parameters: ['items'],
  async answer({ customerId, parameters, storefront }) {
    const cart = readCartOrNone(parameters.get('items'));
    if (!cart) return wrongCart();
    const listed = await storefront.rewards(customerId, cart);
    return listed.kind === 'answered' ? jsonAnswer(listed.value) : unavailable(listed.afterSeconds);
  },
};

const redemptions: Route = {
  method: 'GET',
  for: 'customer',
  parameters: [],
  async answer({ customerId, storefront }) {
    const listed = await storefront.redemptions(customerId);
    return listed.kind === 'redemptions'
      ? jsonAnswer({ redemptions: listed.redemptions })
      : unavailable();
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

export const getRoutes = { me, points, rewards, redemptions, quizzes };
