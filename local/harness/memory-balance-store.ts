import type {
  BalanceChange,
  BalanceStore,
  BalanceWritten,
} from '../../shared/core/balances/balance-store.ts';

/** A store's customers and what they were given, under the same contract as the Admin API. */
export interface MemoryBalanceStore extends BalanceStore {
  readonly customers: Map<string, Pick<BalanceChange, 'points' | 'cashback' | 'tier'>>;
  /** How many customers each call was about. */
  readonly calls: number[];
  /** Before every call; what it gives is the answer for all of its customers. */
  before: (() => Promise<BalanceWritten | undefined>) | undefined;
}

export function createMemoryBalanceStore(ids: readonly string[]): MemoryBalanceStore {
  const none = { points: '', cashback: '' };
  const store: MemoryBalanceStore = {
    customers: new Map(ids.map((id) => [id, none])),
    calls: [],
    before: undefined,
    async writeBalances(_shop, changes) {
      store.calls.push(changes.length);
      const answer = await store.before?.();
      return changes.map(({ customerId, tier, ...balance }): BalanceWritten => {
        if (answer) return answer;
        const known = store.customers.get(customerId);
        if (!known) return { kind: 'unknown-customer' };
        const kept = tier === undefined ? known.tier : (tier ?? undefined);
        store.customers.set(customerId, { ...balance, ...(kept !== undefined && { tier: kept }) });
        return { kind: 'written' };
      });
    },
  };
  return store;
}
