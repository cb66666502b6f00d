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
import { settleStorefront } from '../shared/core/redeem/resume-redemption.ts';
import { createConfiguredStore } from '../shared/services/configured-store.ts';
import { openShopLoyalty } from '../shared/services/shop-loyalty.ts';
import {
  type Deadlines,
  openLoad,
  openWithLedger,
  runInTime,
  storefrontOf,
  toBatchResponse,
  toMessages,
  withTelemetry,
} from './wiring.ts';

/** A whole batch. Fewer while the service is slow. */
const PARALLEL = 10;

/** Writes balances and the codes of redeemed rewards to the store. */
export function createBalanceWorker(connector: Connector) {
  const { metafieldNamespace, customerIdIn } = storefrontOf(connector);
  const { environment, sqs, telemetry, secrets, ledger, pauses, rateOf } = openWithLedger(
    connector,
    'sync-balances',
    ['SOURCE_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL', 'WORKERS'],
    WORKER_BUDGET,
    createCallRate,
    'balances',
  );
  const load = openLoad(connector, 'balances', {
    ledger,
    most: PARALLEL,
    workers: environment.WORKERS,
  });
  const limits = { pauses, rateOf, onEnd: load.learn };
  const shops = new Map(
    connector.shops.map((shop) => [shop.domain, openShopLoyalty(connector, secrets, shop, limits)]),
  );
  const store = createConfiguredStore(connector, secrets);
  const dependencies = {
    ledger,
    pauses,
    load,
    queue: createSqsEventQueue(sqs, { balances: environment.SOURCE_QUEUE_URL }),
    source: createSqsSourceQueue(sqs, environment.SOURCE_QUEUE_URL),
    deadLetters: createSqsDeadLetters(sqs, environment.DEAD_LETTER_QUEUE_URL, 'balances'),
    telemetry,
    now: () => new Date(),
    random: Math.random,
    retryWindowDays: connector.retryWindowDays,
    hasNeighbours: connector.shops.length > 1,
    stuckAfterMinutes: OLDEST_MESSAGE_MINUTES,
    retentionDays: connector.orderRetentionDays,
    customerIdIn,
    shops,
  };

  async function work(event: SQSEvent, { work: deadline, store: storeDeadline }: Deadlines) {
    const inTime = store.until(storeDeadline);
    const balances = inTime.balancesIn(metafieldNamespace);
    const batch = { ...dependencies, store: inTime, customers: inTime, balances, deadline };
    return toBatchResponse(await runBatch(toMessages(event), batch, settleStorefront));
  }
  return withTelemetry<SQSEvent, SQSBatchResponse>(telemetry, (event, context) =>
    runInTime(context.getRemainingTimeInMillis(), (deadlines) => work(event, deadlines)),
  );
}
