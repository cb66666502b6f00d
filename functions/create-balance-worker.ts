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
import { createSqsBalanceQueue } from '../shared/aws/sqs-balance-queue.ts';
import { createSqsDeadLetters } from '../shared/aws/sqs-dead-letters.ts';
import { createSqsRedemptionQueue } from '../shared/aws/sqs-redemption-queue.ts';
import { createSqsSourceQueue } from '../shared/aws/sqs-source-queue.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { runStorefrontBatch } from '../shared/core/batch/run-storefront-batch.ts';
import { createCircuitBreaker } from '../shared/core/sync/circuit-breaker.ts';
import { createLoyaltyClient } from '../shared/loyalty/client.ts';
import { createConfiguredStore } from '../shared/services/configured-store.ts';
import { loyaltyAddress } from '../shared/services/loyalty-address.ts';
import { createShopSecrets } from '../shared/services/shop-secrets.ts';
import { flushTelemetry } from './flush-telemetry.ts';
import { readEnvironment } from './read-environment.ts';
import { storefrontOf } from './storefront-of.ts';
import { createWatchedLedger } from './watched-ledger.ts';
import { type Deadlines, runInTime } from './worker-time.ts';

/** Brings balances and the codes of redeemed rewards from their queue into the store. */
export function createBalanceWorker(connector: Connector) {
  const { metafieldNamespace, compensateLostRedemptions } = storefrontOf(connector);
  const { cashbackAddIs } = connector.loyalty.assumptions;
  const environment = readEnvironment([
    'SOURCE_QUEUE_URL',
    'DEAD_LETTER_QUEUE_URL',
    'LEDGER_TABLE',
    'SECRETS_PREFIX',
    'METRICS_NAMESPACE',
  ]);
  const aws = settingsFromEnvironment(WORKER_BUDGET);
  const sqs = createSqsCalls(aws);
  const telemetry = createEmfTelemetry({
    namespace: environment.METRICS_NAMESPACE,
    service: 'sync-balances',
  });
  const secrets = createShopSecrets(createSecretsCalls(aws), environment.SECRETS_PREFIX, telemetry);
  const shops = new Map(
    connector.shops.map(({ domain, path }) => {
      const credentials = secrets.loyalty(path);
      const loyalty = createLoyaltyClient({
        baseUrl: loyaltyAddress(connector),
        credentials: () => credentials.get(),
      });
      return [domain, { loyalty, breaker: createCircuitBreaker() }];
    }),
  );
  const store = createConfiguredStore(connector, secrets);
  const world = {
    ledger: createWatchedLedger(aws, environment.LEDGER_TABLE, telemetry),
    queue: createSqsBalanceQueue(sqs, environment.SOURCE_QUEUE_URL),
    redemptions: createSqsRedemptionQueue(sqs, environment.SOURCE_QUEUE_URL),
    source: createSqsSourceQueue(sqs, environment.SOURCE_QUEUE_URL),
    deadLetters: createSqsDeadLetters(sqs, environment.DEAD_LETTER_QUEUE_URL),
    telemetry,
    now: () => new Date(),
    random: Math.random,
    retryWindowDays: connector.retryWindowDays,
    retentionDays: connector.orderRetentionDays,
    cashbackAddIs: compensateLostRedemptions ? cashbackAddIs : undefined,
    knowsShop: (domain: string) => shops.has(domain),
    tiersOf: (domain: string) => {
      const shop = shops.get(domain);
      if (!shop) throw new Error('a balance of an unknown shop was not parked');
      return shop;
    },
  };

  async function work(event: SQSEvent, { work: deadline, store: storeDeadline }: Deadlines) {
    const storeInTime = store.until(storeDeadline);
    const left = await runStorefrontBatch(toMessages(event), {
      ...world,
      balances: storeInTime.balancesIn(metafieldNamespace),
      rewardsOf: (domain) => {
        const shop = shops.get(domain);
        return shop && { ...shop, store: storeInTime };
      },
      deadline,
    });
    return toBatchResponse(left);
  }
  return middy((event: SQSEvent, context: Pick<Context, 'getRemainingTimeInMillis'>) =>
    runInTime(context.getRemainingTimeInMillis(), (deadlines) => work(event, deadlines)),
  ).use(flushTelemetry(telemetry));
}
