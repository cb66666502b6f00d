import { MOST_ITEMS, readCartItems } from '../../core/storefront/earn-points.ts';
import { badRequest, jsonAnswer, type Route, unavailable } from './route.ts';

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
    const items = readCartItems(parameters.get('items') ?? '');
    if (!items) return badRequest(`items must be 1 to ${MOST_ITEMS} of id:price:quantity.`);
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
  parameters: [],
  async answer({ customerId, storefront }) {
    const listed = await storefront.rewards(customerId);
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
