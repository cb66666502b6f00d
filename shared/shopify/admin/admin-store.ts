import type { CustomerSearch } from '../../core/balances/find-customer.ts';
import type { BalanceStore } from '../../core/balances/point-balance.ts';
import type { RewardStore } from '../../core/redeem/reward-store.ts';
import type { Store, StoreAnswer, StoreWalk } from '../../core/store/store.ts';
import type { StoreOrder } from '../../store/order.ts';
import { findAbsent, type OrderEvidence, seesAllOrders } from './absence.ts';
import { failure, ifLikeSchema, unavailable } from './client/admin-answer.ts';
import {
  type AdminClient,
  type AdminClientSettings,
  type Ask,
  createAdminClient,
} from './client/admin-client.ts';
import {
  readCodeUses,
  readCoupon,
  readDiscount,
  walkDiscounts,
} from './discounts/read-discounts.ts';
import type { Enrichment } from './orders/enrichment.ts';
import { readOrder, walkOrders } from './orders/read-orders.ts';
import { readProduct, readProductPrices, walkProducts } from './products/read-products.ts';
import { readMember } from './read-member.ts';
import { findCustomer } from './storefront/find-customer.ts';
import { deleteRewardCode, findRewardCode, makeRewardCode } from './storefront/make-reward-code.ts';
import { writeBalances } from './storefront/write-balances.ts';

export interface AdminShop extends Pick<AdminClientSettings, 'secret' | 'sandboxAddress'> {
  readonly enrichment?: Enrichment | undefined;
}

export interface AdminStoreSettings
  extends Pick<AdminClientSettings, 'timeoutMs' | 'reserve' | 'now' | 'sleep' | 'random'> {
  /** Throws for a shop that is not configured. */
  readonly shop: (domain: string) => AdminShop;
}

export interface AdminStore extends Store, StoreWalk, RewardStore, CustomerSearch {
  /** Writes customers' balances as metafields of this namespace. */
  balancesIn(namespace: string): BalanceStore;
  /** `evidence` helps to distinguish a deleted order from one that is not visible. */
  readOrder(shop: string, id: string, evidence?: OrderEvidence): Promise<StoreAnswer<StoreOrder>>;
  /** For queries that are not about an entity, with the same tokens and query cost points. */
  ask(shop: string): Ask;
  /** The same store and tokens, with calls that end when the signal fires. */
  until(signal: AbortSignal): AdminStore;
}

/**
 * The store behind the Admin API. No secret is read before the first query; after it, everything in the
 * process shares tokens, query cost points and connections.
 */
export function createAdminStore(settings: AdminStoreSettings): AdminStore {
  const shops = new Map<string, { readonly client: AdminClient; readonly shop: AdminShop }>();

  function clientOf(domain: string) {
    const known = shops.get(domain);
    if (known) return known;
    const { shop: find, ...rest } = settings;
    const shop = find(domain);
    const { secret, sandboxAddress } = shop;
    const client = createAdminClient({ ...rest, shop: domain, secret, sandboxAddress });
    const made = { client, shop };
    shops.set(domain, made);
    return made;
  }

  function storeUntil(signal: AbortSignal | undefined): AdminStore {
    const ask = (domain: string) => clientOf(domain).client.until(signal);
    const enrichmentOf = (domain: string) => clientOf(domain).shop.enrichment ?? {};
    return {
      ...questionsOf(ask, enrichmentOf),
      balancesIn: (namespace) => ({
        writeBalances: async (domain, changes) => writeBalances(ask(domain), namespace, changes),
      }),
      ask,
      until: storeUntil,
    };
  }

  return storeUntil(undefined);
}

type Questions = Omit<AdminStore, 'balancesIn' | 'ask' | 'until'>;

/** The promises never reject because of an answer of the store. */
export function questionsOf(
  ask: (domain: string) => Ask,
  enrichmentOf: (domain: string) => Enrichment,
): Questions {
  return guardQuestions<Questions>({
    readOrder: async (domain, id, evidence = {}) =>
      readOrder(ask(domain), id, enrichmentOf(domain), evidence),
    readProduct: async (domain, id) => readProduct(ask(domain), id),
    readCoupon: async (domain, code) => readCoupon(ask(domain), code),
    readMember: async (domain, id) => readMember(ask(domain), id, enrichmentOf(domain)),
    readDiscount: async (domain, id, from) => readDiscount(ask(domain), id, from),
    changedOrders: async (domain, span, after) =>
      walkOrders(ask(domain), span, after, enrichmentOf(domain)),
    changedProducts: async (domain, span, after) => walkProducts(ask(domain), span, after),
    changedDiscounts: async (domain, span, after) => walkDiscounts(ask(domain), span, after),
    findAbsent: async (domain, kind, ids) => findAbsent(ask(domain), kind, ids),
    seesAllOrders: async (domain) => seesAllOrders(ask(domain)),
    makeCode: async (domain, wanted) => makeRewardCode(ask(domain), wanted),
    findCode: async (domain, wanted) => findRewardCode(ask(domain), wanted),
    deleteCode: async (domain, discountId) => deleteRewardCode(ask(domain), discountId),
    readPrices: async (domain, productId) => readProductPrices(ask(domain), productId),
    findCustomer: async (domain, email) => findCustomer(ask(domain), email),
    readUses: async (domain, ids) => readCodeUses(ask(domain), ids),
  });
}

type Question = (...given: never[]) => Promise<unknown>;

/** Turns an answer that differs from the schema into `unavailable`. */
function guardQuestions<Q extends { readonly [Name in keyof Q]: Question }>(questions: Q): Q {
  const guarded = Object.entries<Question>(questions).map(([name, ask]) => [
    name,
    (...given: never[]) =>
      ifLikeSchema(() => ask(...given), unavailable(failure('unreadable-answer'))),
  ]);
  return Object.fromEntries(guarded) as Q;
}
