import { createSqsEventQueue } from '../shared/aws/sqs-queues.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import type { StoreQueueFamily } from '../shared/core/events/event.ts';
import type { Store } from '../shared/core/store/store.ts';
import { settleEntities } from '../shared/core/sync/settle-entities.ts';
import { createPlatformReader } from '../shared/services/platforms.ts';
import { workerRewards } from '../shared/services/rewards.ts';
import { byDomain, openShopLoyalty } from '../shared/services/shop-loyalty.ts';
import { createLazyStore } from './lazy-store.ts';
import { openWorker, readEnvironment } from './wiring.ts';

/** Entities of a shop worked on side by side at most: enough to hide latency. */
export const PARALLEL = 5;

/**
 * Settles the batches of one queue. The three workers differ only in their queue. `given`: the store of
 * a test.
 */
export function createWorker(connector: Connector, queue: StoreQueueFamily, given?: Store) {
  const { environment, sqs, secrets, limits, common, handle } = openWorker(
    connector,
    queue,
    ['ORDERS_QUEUE_URL', 'PRODUCTS_QUEUE_URL', 'COUPONS_QUEUE_URL'],
    PARALLEL,
  );
  const { assumptions } = connector.loyalty;
  const hasRewards = queue === 'orders' && connector.storefront;
  const store: Store = given ?? createLazyStore(connector, secrets);
  const dependencies = {
    ...common,
    queue: createSqsEventQueue(sqs, {
      orders: environment.ORDERS_QUEUE_URL,
      products: environment.PRODUCTS_QUEUE_URL,
      coupons: environment.COUPONS_QUEUE_URL,
      ...(hasRewards && { balances: readEnvironment(['BALANCES_QUEUE_URL']).BALANCES_QUEUE_URL }),
    }),
    orderRetentionDays: connector.orderRetentionDays,
    rewards: workerRewards(connector),
    shop: byDomain(connector, (shop) => ({
      ...openShopLoyalty(connector, secrets, shop, limits),
      ...{ rules: shop.rules, assumptions },
    })),
    read: createPlatformReader(connector.shops),
  };
  return handle(({ work: deadline, store: until }) => {
    return { ...dependencies, store: store.until(until), deadline };
  }, settleEntities);
}
