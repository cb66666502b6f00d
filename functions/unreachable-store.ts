import type { Store } from '../shared/sync/store-reader.ts';

/**
 * Stands where the Admin API will: events that need the store wait on their queue, with this reason,
 * until a release that can ask it. Nothing is lost and nothing is guessed.
 */
const unavailable = async () =>
  ({ kind: 'unavailable', why: 'admin-api-not-connected', afterSeconds: 900 }) as const;

export const unreachableStore: Store = {
  readOrder: unavailable,
  readProduct: unavailable,
  readCoupon: unavailable,
  readDiscount: unavailable,
};
