import type { BalanceStore } from '../../core/balances/balance-store.ts';
import type { RewardStore } from '../../core/redeem/reward-store.ts';
import type { Store, StoreAnswer } from '../../core/sync/store-reader.ts';
import type { StoreWalk } from '../../core/sync/store-walk.ts';
import type { StoreOrder } from '../../store/order.ts';
import { guardQuestions } from './client/admin-answer.ts';
import {
  type AdminClient,
  type AdminClientSettings,
  type Ask,
  createAdminClient,
} from './client/admin-client.ts';
import { readCodeUses } from './discounts/read-code-uses.ts';
import { readCoupon } from './discounts/read-coupon.ts';
import { readDiscount } from './discounts/read-discount.ts';
import { walkDiscounts } from './discounts/walk-discounts.ts';
import { findAbsent, seesAllOrders } from './find-absent.ts';
import type { OrderEvidence } from './judge-absence.ts';
import type { Enrichment } from './orders/enrichment.ts';
import { readOrder } from './orders/read-order.ts';
import { walkOrders } from './orders/walk-orders.ts';
import { readProduct } from './products/read-product.ts';
import { walkProducts } from './products/walk-products.ts';
import { makeRewardCode } from './storefront/make-reward-code.ts';
import { writeBalances } from './storefront/write-balances.ts';

/** One shop as the store is asked for it. */
export interface AdminShop extends Pick<AdminClientSettings, 'secret' | 'sandboxAddress'> {
  readonly enrichment?: Enrichment | undefined;
}

export interface AdminStoreSettings
  extends Pick<AdminClientSettings, 'timeoutMs' | 'reserve' | 'now' | 'sleep' | 'random'> {
  /** Throws for a shop that is not configured. */
  readonly shop: (domain: string) => AdminShop;
}

export interface AdminStore extends Store, StoreWalk, RewardStore {
  /** What customers see of the loyalty program, as metafields of this namespace. */
  balancesIn(namespace: string): BalanceStore;
  /** With `evidence`, an order that is not there can be told from one that is not visible. */
  readOrder(shop: string, id: string, evidence?: OrderEvidence): Promise<StoreAnswer<StoreOrder>>;
  /** For questions that are not about an entity, with the same tokens and points. */
  ask(shop: string): Ask;
  /** The same store and the same tokens, giving up when the signal fires. */
  until(signal: AbortSignal): AdminStore;
}

/**
 * The store behind the Admin API. Nothing is loaded and no secret is read before the first question;
 * after it, tokens, points and connections are shared by everything in the process.
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

/** All that is asked about entities. Never rejects for an answer, whatever the store answers. */
export function questionsOf(
  ask: (domain: string) => Ask,
  enrichmentOf: (domain: string) => Enrichment,
): Questions {
  return guardQuestions<Questions>({
    readOrder: async (domain, id, evidence = {}) =>
      readOrder(ask(domain), id, enrichmentOf(domain), evidence),
    readProduct: async (domain, id) => readProduct(ask(domain), id),
    readCoupon: async (domain, code) => readCoupon(ask(domain), code),
    readDiscount: async (domain, id, from) => readDiscount(ask(domain), id, from),
    changedOrders: async (domain, span, after) =>
      walkOrders(ask(domain), span, after, enrichmentOf(domain)),
    changedProducts: async (domain, span, after) => walkProducts(ask(domain), span, after),
    changedDiscounts: async (domain, span, after) => walkDiscounts(ask(domain), span, after),
    findAbsent: async (domain, kind, ids) => findAbsent(ask(domain), kind, ids),
    seesAllOrders: async (domain) => seesAllOrders(ask(domain)),
    makeCode: async (domain, wanted) => makeRewardCode(ask(domain), wanted),
    readUses: async (domain, ids) => readCodeUses(ask(domain), ids),
  });
}
