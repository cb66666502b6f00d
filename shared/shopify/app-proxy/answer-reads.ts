import { MOST_ITEMS, readCartItems } from '../../core/storefront/cart-items.ts';
import { badRequest, jsonAnswer, unavailable } from './proxy-answer.ts';
import type { ForCustomer, ForEverybody } from './route.ts';

export const me: ForCustomer = async ({ customerId, storefront }) =>
  jsonAnswer(await storefront.standing(customerId));

/** The only answer that anybody may keep: it is the same whoever asks. */
export const points: ForEverybody = async ({ parameters, storefront }) => {
  const items = readCartItems(parameters.get('items') ?? '');
  if (!items) return badRequest(`items must be 1 to ${MOST_ITEMS} of id:price:quantity.`);
  const currency = parameters.get('currency') ?? '';
  if (!/^[A-Z]{3}$/.test(currency)) return badRequest('currency must be three capital letters.');
  const earned = await storefront.points(items, currency);
  return earned.kind === 'answered'
    ? jsonAnswer(earned.value, 'everybody')
    : unavailable(earned.afterSeconds);
};

/** Kept by no cache even while nobody is logged in: the same address answers who logs in next. */
export const rewards: ForEverybody = async ({ customerId, storefront }) => {
  const listed = await storefront.rewards(customerId);
  return listed.kind === 'answered' ? jsonAnswer(listed.value) : unavailable(listed.afterSeconds);
};

export const redemptions: ForCustomer = async ({ customerId, storefront }) => {
  const listed = await storefront.redemptions(customerId);
  return listed.kind === 'redemptions'
    ? jsonAnswer({ redemptions: listed.redemptions })
    : unavailable();
};

export const quizzes: ForCustomer = async ({ customerId, storefront }) => {
  const listed = await storefront.quizzes(customerId);
  return listed.kind === 'answered'
    ? jsonAnswer({ quizzes: listed.value })
    : unavailable(listed.afterSeconds);
};
