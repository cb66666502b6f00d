import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { WORKER_BUDGET } from '../shared/aws/aws-client.ts';
import {
  createSqsDeadLetters,
  createSqsEventQueue,
  createSqsSourceQueue,
} from '../shared/aws/sqs-queues.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { OLDEST_MESSAGE_MINUTES } from '../shared/config/metrics.ts';
import { runBatch } from '../shared/core/batch/run-batch.ts';
import { createCallRate } from '../shared/core/calls/rate-limit.ts';
import type { StoreQueueFamily } from '../shared/core/events/event.ts';
import type { Store } from '../shared/core/store/store.ts';
import { settleEntities } from '../shared/core/sync/settle-entities.ts';
import { openShopLoyalty } from '../shared/services/shop-loyalty.ts';
import { createEventReader } from '../shared/shopify/webhooks/read-event.ts';
import { createLazyStore } from './lazy-store.ts';
import {
  type Deadlines,
  openLoad,
  openWithLedger,
  runInTime,
  toBatchResponse,
  toMessages,
  withTelemetry,
} from './wiring.ts';

/** Entities of a shop worked on side by side at most: enough to hide latency. Fewer while its service is slow. */
export const PARALLEL = 5;

/**
 * Settles the batches of one queue. The three workers differ only in their queue. `given`: the store of
 * a test.
 */
export function createWorker(connector: Connector, queue: StoreQueueFamily, given?: Store) {
  const { environment, sqs, telemetry, secrets, ledger, pauses, rateOf } = openWithLedger(
    connector,
    `sync-${queue}`,
    [
      'ORDERS_QUEUE_URL',
      'PRODUCTS_QUEUE_URL',
      'COUPONS_QUEUE_URL',
      'SOURCE_QUEUE_URL',
      'DEAD_LETTER_QUEUE_URL',
      'WORKERS',
    ],
    WORKER_BUDGET,
    createCallRate,
    queue,
  );
  const load = openLoad(connector, queue, { ledger, most: PARALLEL, workers: environment.WORKERS });
  const limits = { pauses, rateOf, onEnd: load.learn };
  const { assumptions } = connector.loyalty;
  const shops = new Map(
    connector.shops.map((shop) => {
      const opened = openShopLoyalty(connector, secrets, shop, limits);
      return [shop.domain, { ...opened, rules: shop.rules, assumptions }];
    }),
  );
  const store: Store = given ?? createLazyStore(connector, secrets);
  const dependencies = {
    ledger,
    pauses,
    load,
    queue: createSqsEventQueue(sqs, {
      orders: environment.ORDERS_QUEUE_URL,
      products: environment.PRODUCTS_QUEUE_URL,
      coupons: environment.COUPONS_QUEUE_URL,
    }),
    source: createSqsSourceQueue(sqs, environment.SOURCE_QUEUE_URL),
    deadLetters: createSqsDeadLetters(sqs, environment.DEAD_LETTER_QUEUE_URL, queue),
    telemetry,
    now: () => new Date(),
    random: Math.random,
    retryWindowDays: connector.retryWindowDays,
    hasNeighbours: connector.shops.length > 1,
    stuckAfterMinutes: OLDEST_MESSAGE_MINUTES,
    orderRetentionDays: connector.orderRetentionDays,
    shop: (domain: string) => {
      const shop = shops.get(domain);
      if (!shop) throw new Error(`unknown shop: ${domain}`);
      return shop;
    },
    read: createEventReader(new Set(shops.keys())),
  };

  async function work(event: SQSEvent, { work: deadline, store: storeDeadline }: Deadlines) {
    const batch = { ...dependencies, store: store.until(storeDeadline), deadline };
    return toBatchResponse(await runBatch(toMessages(event), batch, settleEntities));
  }
  return withTelemetry<SQSEvent, SQSBatchResponse>(telemetry, (event, context) =>
    runInTime(context.getRemainingTimeInMillis(), (deadlines) => work(event, deadlines)),
  );
}
