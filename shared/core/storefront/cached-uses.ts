import type { CodeUses, RewardStore } from '../redeem/reward-store.ts';
import { createTimedCache, type TimedCache } from './timed-cache.ts';

/** Long enough for a few pages; a code that was used shows as used soon after. */
const SECONDS = 30;
const MOST = 2_000;

/**
 * Does not ask the store on every page whether codes were used: shoppers and workers share its rate
 * limit.
 */
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
  return createTimedCache<CodeUses>({ seconds: SECONDS, most: MOST, now });
}
