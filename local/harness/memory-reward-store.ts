import type { CodeMade, RewardStore, WantedCode } from '../../shared/core/redeem/reward-store.ts';

interface MadeCode extends WantedCode {
  readonly discountId: string;
  used: number;
}

/** A store's reward codes, under the same contract as the Admin API. */
export interface MemoryRewardStore extends RewardStore {
  readonly codes: Map<string, MadeCode>;
  /** Codes of discounts that are not ours. */
  readonly foreign: Set<string>;
  /** Before every code; what it gives is the answer. */
  before: ((wanted: WantedCode) => CodeMade | undefined) | undefined;
}

export function createMemoryRewardStore(): MemoryRewardStore {
  const store: MemoryRewardStore = {
    codes: new Map(),
    foreign: new Set(),
    before: undefined,
    async makeCode(_shop, wanted) {
      const answer = store.before?.(wanted);
      if (answer) return answer;
      const key = wanted.code.toLowerCase();
      const known = store.codes.get(key);
      if (store.foreign.has(key)) return { kind: 'taken' };
      if (known) {
        const isOwn = known.customerId === wanted.customerId && known.title === wanted.title;
        return isOwn ? { kind: 'made', discountId: known.discountId } : { kind: 'taken' };
      }
      const discountId = `gid://shopify/DiscountCodeNode/${store.codes.size + 1}`;
      store.codes.set(key, { ...wanted, discountId, used: 0 });
      return { kind: 'made', discountId };
    },
    async readUses(_shop, discountIds) {
      const found = [...store.codes.values()].filter((one) => discountIds.includes(one.discountId));
      return { kind: 'read', uses: new Map(found.map((one) => [one.discountId, one.used])) };
    },
  };
  return store;
}
