import type {
  BalanceChange,
  BalanceStore,
  BalanceWritten,
} from '../../shared/rewards/balances/point-balance.ts';
import type {
  CodeMade,
  CreditMade,
  ProductPrices,
  RewardStore,
  WantedCode,
  WantedCredit,
} from '../../shared/rewards/redeem/reward-store.ts';
import { readAmount, ZERO } from '../../shared/store/money.ts';

/** A store's customers and their metafields. It passes the same contract suite as the Admin API. */
export interface MemoryBalanceStore extends BalanceStore {
  readonly customers: Map<string, Omit<BalanceChange, 'customerId'>>;
  /** How many customers each call was about. */
  readonly calls: number[];
  /** Called before every call; a returned value is the answer for all its customers. */
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
      return changes.map(({ customerId, tier, expiring, ...balance }): BalanceWritten => {
        if (answer) return answer;
        const known = store.customers.get(customerId);
        if (!known) return { kind: 'unknown-customer' };
        const kept = {
          tier: tier === undefined ? known.tier : tier,
          expiring: expiring === undefined ? known.expiring : expiring,
        };
        store.customers.set(customerId, {
          ...balance,
          ...(kept.tier && { tier: kept.tier }),
          ...(kept.expiring && { expiring: kept.expiring }),
        });
        return { kind: 'written' };
      });
    },
  };
  return store;
}

interface MadeCode extends WantedCode {
  readonly discountId: string;
  used: number;
}

interface GivenCredit extends WantedCredit {
  readonly id: string;
  readonly at: Date;
}

/** What happens to the next call that credits. `late`: it takes effect when `landLate` is called. */
type CreditFate = 'credited' | 'lost-answer' | 'lost-call' | 'late' | 'throttled' | 'refused';

/** A store's reward codes. It passes the same contract suite as the Admin API. */
export interface MemoryRewardStore extends RewardStore {
  readonly codes: Map<string, MadeCode>;
  /** Codes of discounts that the connector did not create. */
  readonly foreign: Set<string>;
  /** What customers bought with codes. */
  readonly orders: { readonly customerId: string; readonly at: Date; readonly codes: string[] }[];
  /** Of the products that the store sells. */
  readonly prices: Map<string, ProductPrices>;
  /** Called before every code; a returned value is the answer. */
  before: ((wanted: WantedCode) => CodeMade | undefined) | undefined;
  currency: string;
  readonly credits: GivenCredit[];
  readonly creditFates: CreditFate[];
  /** The end of a credit as the store keeps it. */
  keptEnd: (expiresAt: string) => string;
  /** The calls without an effect so far have it now. */
  landLate(): void;
}

export function createMemoryRewardStore(now = () => new Date()): MemoryRewardStore {
  let made = 0;
  const late: WantedCredit[] = [];
  const creditNow = (wanted: WantedCredit): CreditMade => {
    const id = `gid://shopify/StoreCreditAccountCreditTransaction/${store.credits.length + 1}`;
    const expiresAt = store.keptEnd(wanted.expiresAt);
    store.credits.push({ ...wanted, expiresAt, id, at: now() });
    return { kind: 'credited', transactionId: id, expiresAt };
  };
  const lost = { kind: 'unavailable', why: 'time-out' } as const;
  const store: MemoryRewardStore = {
    codes: new Map(),
    foreign: new Set(),
    orders: [],
    prices: new Map(),
    before: undefined,
    currency: 'EUR',
    credits: [],
    creditFates: [],
    keptEnd: (expiresAt) => expiresAt,
    landLate() {
      for (const wanted of late.splice(0)) creditNow(wanted);
    },
    async readCreditShop() {
      return { kind: 'read', currency: store.currency, isEnabled: true };
    },
    async credit(_shop, wanted) {
      switch (store.creditFates.shift() ?? 'credited') {
        case 'credited':
          return creditNow(wanted);
        case 'lost-answer':
          creditNow(wanted);
          return lost;
        case 'late':
          late.push(wanted);
          return lost;
        case 'lost-call':
          return lost;
        case 'throttled':
          return { kind: 'unavailable', why: 'throttled', notSent: true };
        case 'refused':
          return { kind: 'refused', code: 'CREDIT_LIMIT_EXCEEDED' };
      }
    },
    async readCredits(_shop, { customerId, currency, since }) {
      const theirs = store.credits.filter(
        (one) => one.customerId === customerId && one.currency === currency && one.at >= since,
      );
      const credits = theirs.map(({ id, expiresAt, amount, at }) => ({
        ...{ id, expiresAt, amount: readAmount(amount) ?? ZERO, createdAt: at.toISOString() },
      }));
      return { kind: 'read', credits };
    },
    async makeCode(_shop, wanted) {
      const answer = store.before?.(wanted);
      if (answer) return answer;
      const key = wanted.code.toLowerCase();
      const known = store.codes.get(key);
      if (store.foreign.has(key)) return { kind: 'taken' };
      if (known) {
        return isOwn(known, wanted)
          ? { kind: 'made', discountId: known.discountId }
          : { kind: 'taken' };
      }
      made += 1;
      const discountId = `gid://shopify/DiscountCodeNode/${made}`;
      store.codes.set(key, { ...wanted, discountId, used: 0 });
      return { kind: 'made', discountId };
    },
    async readPrices(_shop, productId) {
      const prices = store.prices.get(productId);
      return prices ? { kind: 'read', ...prices } : { kind: 'absent' };
    },
    async findCode(_shop, wanted) {
      const known = store.codes.get(wanted.code.toLowerCase());
      return known && isOwn(known, wanted)
        ? { kind: 'found', discountId: known.discountId }
        : { kind: 'absent' };
    },
    async deleteCode(_shop, discountId) {
      for (const [key, one] of store.codes) {
        if (one.discountId === discountId) store.codes.delete(key);
      }
      return { kind: 'deleted' };
    },
    async readUses(_shop, discountIds) {
      const found = [...store.codes.values()].filter((one) => discountIds.includes(one.discountId));
      return { kind: 'read', uses: new Map(found.map((one) => [one.discountId, one.used])) };
    },
    async readOrderCodes(_shop, customerId, since) {
      const theirs = store.orders.filter((one) => one.customerId === customerId && one.at >= since);
      return { kind: 'read', codes: theirs.flatMap(({ codes }) => codes) };
    },
  };
  return store;
}

function isOwn(known: MadeCode, wanted: WantedCode): boolean {
  return known.customerId === wanted.customerId && known.title === wanted.title;
}
