import type { Store } from '../sync/store-reader.ts';
import { createTimedCache } from './timed-cache.ts';

/** Throws while the store does not say it. */
export type HasCustomer = (customerId: string) => Promise<boolean>;

const SECONDS = 600;
const MOST = 2_000;

/**
 * Whether the shop has the customer whom a till names. Shops can share a loyalty program: without this, a till could
 * read, and for a minute spend, the points of another shop's customers.
 */
export function createCustomersOfShop(
  shop: string,
  store: () => Pick<Store, 'readMember'>,
  now: () => Date,
): HasCustomer {
  const known = createTimedCache<true>({ seconds: SECONDS, most: MOST, now });
  return async (customerId) => {
    if (known.recall(customerId)) return true;
    const read = await store().readMember(shop, customerId);
    if (read.kind === 'unavailable') throw new Error('the store does not say whom it has');
    if (read.kind === 'found') known.keep(customerId, true);
    return read.kind === 'found';
  };
}
