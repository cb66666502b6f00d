import middy from '@middy/core';
import type { Context, SQSEvent } from 'aws-lambda';
import { WORKER_BUDGET } from '../shared/aws/call-budget.ts';
import { createEmfTelemetry } from '../shared/aws/emf-telemetry.ts';
import {
  createSecretsCalls,
  createSqsCalls,
  settingsFromEnvironment,
} from '../shared/aws/function-clients.ts';
import { toBatchResponse, toMessages } from '../shared/aws/lambda-sqs.ts';
import { createSqsDeadLetters } from '../shared/aws/sqs-dead-letters.ts';
import { createSqsEventQueue } from '../shared/aws/sqs-event-queue.ts';
import { createSqsSourceQueue } from '../shared/aws/sqs-source-queue.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import type { Service } from '../shared/config/metrics.ts';
import { runBatch } from '../shared/core/batch/run-batch.ts';
import { createCircuitBreaker } from '../shared/core/sync/circuit-breaker.ts';
import { handleTask } from '../shared/core/sync/handle-task.ts';
import type { Store } from '../shared/core/sync/store-reader.ts';
import { syncEntity } from '../shared/core/sync/sync-entity.ts';
import { createLoyaltyClient } from '../shared/loyalty/client.ts';
import { createConfiguredStore } from '../shared/services/configured-store.ts';
import { loyaltyAddress } from '../shared/services/loyalty-address.ts';
import { createShopSecrets } from '../shared/services/shop-secrets.ts';
import { createEventReader, decodeMessage } from '../shared/shopify/webhooks/read-event.ts';
import { flushTelemetry } from './flush-telemetry.ts';
import { readEnvironment } from './read-environment.ts';
import { createWatchedLedger } from './watched-ledger.ts';
import { type Deadlines, runInTime } from './worker-time.ts';

/** Entities worked on side by side: enough to hide latency, few enough to be kind to the service. */
const PARALLEL = 5;

/** Settles one queue's batches. The three workers differ in their queue and nothing else. */
export function createWorker(connector: Connector, service: Service, given?: Store) {
  const environment = readEnvironment([
    'ORDERS_QUEUE_URL',
    'PRODUCTS_QUEUE_URL',
    'COUPONS_QUEUE_URL',
    'SOURCE_QUEUE_URL',
    'DEAD_LETTER_QUEUE_URL',
    'LEDGER_TABLE',
    'SECRETS_PREFIX',
    'METRICS_NAMESPACE',
  ]);
  const aws = settingsFromEnvironment(WORKER_BUDGET);
  const sqs = createSqsCalls(aws);
  const telemetry = createEmfTelemetry({ namespace: environment.METRICS_NAMESPACE, service });
  const secrets = createShopSecrets(createSecretsCalls(aws), environment.SECRETS_PREFIX, telemetry);
  const shops = new Map(
    connector.shops.map(({ domain, path, rules }) => {
      const credentials = secrets.loyalty(path);
      const loyalty = createLoyaltyClient({
        baseUrl: loyaltyAddress(connector),
        credentials: () => credentials.get(),
      });
      const { assumptions } = connector.loyalty;
      return [domain, { loyalty, breaker: createCircuitBreaker(), rules, assumptions }];
    }),
  );
  const store = given ?? createConfiguredStore(connector, secrets);
  const world = {
    ledger: createWatchedLedger(aws, environment.LEDGER_TABLE, telemetry),
    queue: createSqsEventQueue(sqs, {
      orders: environment.ORDERS_QUEUE_URL,
      products: environment.PRODUCTS_QUEUE_URL,
      coupons: environment.COUPONS_QUEUE_URL,
    }),
    source: createSqsSourceQueue(sqs, environment.SOURCE_QUEUE_URL),
    deadLetters: createSqsDeadLetters(sqs, environment.DEAD_LETTER_QUEUE_URL),
    telemetry,
    now: () => new Date(),
    random: Math.random,
    parallel: PARALLEL,
    retryWindowDays: connector.retryWindowDays,
    orderRetentionDays: connector.orderRetentionDays,
    shop: (domain: string) => {
      const shop = shops.get(domain);
      if (!shop) throw new Error('an event of an unknown shop was not parked');
      return shop;
    },
    decode: decodeMessage,
    read: createEventReader(new Set(shops.keys())),
  };

  async function work(event: SQSEvent, { work: deadline, store: storeDeadline }: Deadlines) {
    const batch = { ...world, store: store.until(storeDeadline), deadline };
    const left = await runBatch(toMessages(event), {
      ...batch,
      syncEntity: (key, candidate, entry) => syncEntity(key, candidate, entry, batch),
      handleTask: (candidate, task) => handleTask(candidate.event, task, batch),
    });
    return toBatchResponse(left);
  }
  return middy((event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
    runInTime(context.getRemainingTimeInMillis(), (deadlines) => work(event, deadlines)),
  ).use(flushTelemetry(telemetry));
}
