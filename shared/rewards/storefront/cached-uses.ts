import { createTimedCache, type TimedCache } from '../../core/calls/call-loyalty.ts';
import type { Store } from '../../core/store/store.ts';
import type { CodeUses, RewardStore } from '../redeem/reward-store.ts';

/** Long enough for a few pages; a code that was used shows as used soon after. */
const USES_SECONDS = 30;
const MOST_USES = 2_000;

/** Does not ask on every page whether codes were used: shoppers and workers share the store's rate limit. */
export function withCachedUses(store: RewardStore, kept: TimedCache<CodeUses>): RewardStore {
  return {
    ...store,
    async readUses(shop, discountIds) {
      const key = JSON.stringify([shop, discountIds]);
      const known = kept.recall(key);
      if (known) return known;
      const uses = await store.readUses(shop, discountIds);
      if (uses.kind === 'read') kept.keep(key, uses);
      return uses;
    },
  };
}

export function createUsesCache(now: () => Date): TimedCache<CodeUses> {
  return createTimedCache<CodeUses>({ seconds: USES_SECONDS, most: MOST_USES, now });
}

/** How long to wait; undefined for a request that may go ahead. */
export type RateLimit = (key: string, now: Date) => { readonly afterSeconds: number } | undefined;

/** More than are active at once; beyond that, the keys that were idle longest start again. */
const MOST_KEYS = 5_000;

/**
 * So many requests per minute for each key, refilled evenly; bursts are allowed. State of one process,
 * of which there may be several: it protects the loyalty service from a faulty page, and is not an
 * exact quota.
 */
export function createRateLimit(perMinute: number): RateLimit {
  const buckets = new Map<string, { left: number; at: number }>();
  const perMs = perMinute / 60_000;
  return (key, now) => {
    const at = now.getTime();
    const before = buckets.get(key) ?? { left: perMinute, at };
    const regained = Math.max(at - before.at, 0) * perMs;
    const left = Math.min(before.left + regained, perMinute);
    const allowed = left >= 1;
    buckets.delete(key);
    buckets.set(key, { left: allowed ? left - 1 : left, at });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= MOST_KEYS) break;
      buckets.delete(oldest);
    }
    return allowed ? undefined : { afterSeconds: Math.ceil((1 - left) / perMs / 1000) };
  };
}

/** Throws while the store does not say it. */
export type HasCustomer = (customerId: string) => Promise<boolean>;

const CUSTOMERS_SECONDS = 600;
const MOST_CUSTOMERS = 2_000;

/**
 * Whether the shop has the customer whom a till names. Shops can share a loyalty program: without this, a till could
 * read, and for a minute spend, the points of another shop's customers.
 */
export function createCustomersOfShop(
  shop: string,
  store: () => Pick<Store, 'readMember'>,
  now: () => Date,
): HasCustomer {
  const known = createTimedCache<true>({ seconds: CUSTOMERS_SECONDS, most: MOST_CUSTOMERS, now });
  return async (customerId) => {
    if (known.recall(customerId)) return true;
    const read = await store().readMember(shop, customerId);
    if (read.kind === 'unavailable') throw new Error('the store does not say whom it has');
    if (read.kind === 'found') known.keep(customerId, true);
    return read.kind === 'found';
  };
}
