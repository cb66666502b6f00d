import { setTimeout as sleep } from 'node:timers/promises';
import middy from '@middy/core';
import type {
  Context,
  LambdaFunctionURLEvent,
  LambdaFunctionURLResult,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import {
  createDynamoDbCalls,
  createSecretsCalls,
  createSqsCalls,
  type JsonServiceSettings,
  settingsFromEnvironment,
  WORKER_BUDGET,
} from '../shared/aws/aws-client.ts';
import { createDynamoDbLedger } from '../shared/aws/dynamodb-ledger.ts';
import { createDynamoDbRateLimit } from '../shared/aws/dynamodb-rate-limit.ts';
import { createEmfTelemetry, type EmfTelemetry } from '../shared/aws/emf-telemetry.ts';
import { createSqsDeadLetters, createSqsSourceQueue } from '../shared/aws/sqs-queues.ts';
import type { Connector, Shop } from '../shared/config/connector-config.ts';
import type { Storefront } from '../shared/config/connector-settings.ts';
import type { Service, StorefrontService } from '../shared/config/metrics.ts';
import { runBatch, type Settle } from '../shared/core/batch/run-batch.ts';
import {
  type CallRate,
  type CallRateSettings,
  createCallRate,
  type ShopperRateSettings,
} from '../shared/core/calls/rate-limit.ts';
import { createShopLoad } from '../shared/core/calls/shop-load.ts';
import { createPauses } from '../shared/core/calls/shop-pause.ts';
import type { QueueFamily, ReceivedMessage } from '../shared/core/events/event.ts';
import { errorFields } from '../shared/core/events/telemetry.ts';
import { createShopSecrets } from '../shared/services/shop-secrets.ts';

/** What every function has. `names`: the variables of its environment beside those of all. */
export function openFunction<const Name extends string>(
  { deployment }: Connector,
  service: Service | StorefrontService,
  names: readonly Name[],
  budget: Parameters<typeof settingsFromEnvironment>[0],
) {
  const environment = readEnvironment([...names, 'SECRETS_PREFIX', 'METRICS_NAMESPACE']);
  const { METRICS_NAMESPACE: namespace, SECRETS_PREFIX: prefix } = environment;
  const aws = settingsFromEnvironment(budget);
  const telemetry = createEmfTelemetry({ namespace, service, monitoring: deployment.monitoring });
  const secrets = createShopSecrets(createSecretsCalls(aws), prefix, telemetry);
  return { environment, aws, sqs: createSqsCalls(aws), telemetry, secrets };
}

/**
 * The same with the ledger, and what it says about calls to the loyalty service: whether a shop is paused, and whose
 * turn it is. `create`: how calls wait for their turn.
 */
export function openWithLedger<const Name extends string>(
  connector: Connector,
  service: Service | StorefrontService,
  names: readonly Name[],
  budget: Parameters<typeof settingsFromEnvironment>[0],
  create: (settings: CallRateSettings & ShopperRateSettings) => CallRate,
  queue?: QueueFamily,
) {
  const opened = openFunction(connector, service, [...names, 'LEDGER_TABLE'], budget);
  const { environment, aws, telemetry } = opened;
  const table = environment.LEDGER_TABLE;
  const ledger = createDynamoDbLedger({
    client: createDynamoDbCalls(aws),
    table,
    onDamagedItem: (entity, attributes) =>
      telemetry.log('error', 'an item of the ledger is damaged', {
        entity,
        attributes: attributes.join(','),
      }),
  });
  const observed = new Set(
    connector.shops.filter(({ mode }) => mode === 'observe').map(({ domain }) => domain),
  );
  const observes = (shop: string) => observed.has(shop);
  const forShoppers = service === 'storefront';
  const pauses = createPauses({ ledger, telemetry, queue, observes, forShoppers });
  return { ...opened, ledger, pauses, rateOf: openCallRates(connector, aws, table, create) };
}

/**
 * What the workers of all queues have. `names`: the variables of the environment beside those of all workers; `most`:
 * groups of a shop worked on side by side, fewer while its service is slow.
 */
export function openWorker<const Name extends string>(
  connector: Connector,
  queue: QueueFamily,
  names: readonly Name[],
  most: number,
) {
  const opened = openWithLedger(
    connector,
    `sync-${queue}`,
    [...names, 'SOURCE_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL', 'WORKERS'],
    WORKER_BUDGET,
    createCallRate,
    queue,
  );
  const { environment, sqs, telemetry, ledger, pauses, rateOf } = opened;
  const hasNeighbours = connector.shops.length > 1;
  const load = createShopLoad({
    ...{ queue, ledger, most },
    workers: hasNeighbours ? Number(environment.WORKERS) : undefined,
    now: Date.now,
    random: Math.random,
  });
  return {
    ...opened,
    limits: { pauses, rateOf, onEnd: load.learn },
    common: {
      ...{ ledger, pauses, load, telemetry, hasNeighbours },
      source: createSqsSourceQueue(sqs, environment.SOURCE_QUEUE_URL),
      deadLetters: createSqsDeadLetters(sqs, environment.DEAD_LETTER_QUEUE_URL, queue),
      now: () => new Date(),
      random: Math.random,
      retryWindowDays: connector.retryWindowDays,
    },
    /** Its handler. `inTime`: all that a batch needs, under its deadlines. */
    handle: <Deps>(
      inTime: (deadlines: Deadlines) => Parameters<typeof runBatch<Deps>>[1],
      settle: Settle<Deps>,
    ) =>
      withTelemetry<SQSEvent, SQSBatchResponse>(telemetry, (event, context) =>
        runInTime(context.getRemainingTimeInMillis(), async (deadlines) =>
          toBatchResponse(await runBatch(toMessages(event), inTime(deadlines), settle)),
        ),
      ),
  };
}

/** The named variables of the environment; throws once, with all that are missing. */
export function readEnvironment<const Name extends string>(
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const { env } = process;
  const missing = names.filter((name) => !env[name]);
  if (missing.length > 0) {
    throw new Error(`not set in the function's environment: ${missing.join(', ')}`);
  }
  return Object.fromEntries(names.map((name) => [name, env[name]])) as Record<Name, string>;
}

/** The functions of the storefront are deployed only where it is configured. */
export function storefrontOf({ storefront }: Connector): Storefront {
  if (storefront) return storefront;
  throw new Error('connector.config.ts has no storefront, but a function of it is running');
}

/** One rate limit for each loyalty account; none, and no call to AWS, unless the settings limit the calls. */
function openCallRates(
  { loyalty }: Connector,
  aws: JsonServiceSettings,
  table: string,
  create: (settings: CallRateSettings & ShopperRateSettings) => CallRate,
) {
  const { callsPerSecond: perSecond } = loyalty;
  if (perSecond === undefined) return () => undefined;
  const client = createDynamoDbCalls(aws);
  const rates = new Map<string, CallRate>();
  return ({ domain, rules }: Shop): CallRate | undefined => {
    const account = rules.sharedAccount ? SHARED_ACCOUNT : domain;
    const known = rates.get(account);
    if (known) return known;
    const item = { client, table, account };
    const shared = createDynamoDbRateLimit(item);
    const shoppers = createDynamoDbRateLimit({ ...item, of: 'shoppers' });
    const rate = create({ perSecond, shared, shoppers, now: Date.now, pause: sleep });
    rates.set(account, rate);
    return rate;
  };
}

/** Not a domain, so no shop has it. */
const SHARED_ACCOUNT = '*';

/**
 * The middleware of every handler: a fault is logged without its message, which may quote what was
 * being read, and the metrics are written at the end of every invocation: a frozen process would lose
 * them. The time budget differs by function: see `runInTime`.
 * See docs/decisions/0032-a-cold-start-loads-only-what-an-event-needs.md.
 */
export function withTelemetry<Event, Result>(
  telemetry: EmfTelemetry,
  handle: (event: Event, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<Result>,
) {
  return middy(handle).use({
    after: () => telemetry.flush(),
    onError({ error }) {
      telemetry.log('error', 'an invocation broke off', errorFields(error));
      telemetry.flush();
    },
  });
}

/** Within a shopper's request: how long a redemption waits for the loyalty service. */
export const REDEEM_MS = 12_000;

/**
 * Within a shopper's request: how long it waits for the store. A worker makes the code if the time was
 * too short.
 */
export const STORE_MS = 18_000;

/** Within a till's request: how long it waits for the store to say that the customer is its own. */
export const LOOK_UP_MS = 4_000;

/** What is left of a worker's time when work stops: enough to delay what is unfinished. */
export const RESERVE_MS = 12_000;
/**
 * The part of the working time after which the store is not asked any more. The rest is enough to send
 * and record what is known by then.
 */
const STORE_SHARE = 2 / 3;

interface WorkerTime {
  /** Until work is no longer begun or waited for. */
  readonly workMs: number;
  /** Until answers of the store are no longer waited for. */
  readonly storeMs: number;
}

export function shareOutTime(remainingMs: number): WorkerTime {
  const workMs = Math.max(Math.floor(remainingMs) - RESERVE_MS, 1);
  return { workMs, storeMs: Math.max(Math.floor(workMs * STORE_SHARE), 1) };
}

interface Deadlines {
  readonly work: AbortSignal;
  readonly store: AbortSignal;
}

/**
 * Runs one batch under its deadlines. Their timers end with the batch: `AbortSignal.timeout` would keep
 * each batch in memory until its time was over.
 */
export async function runInTime<Result>(
  remainingMs: number,
  run: (deadlines: Deadlines) => Promise<Result>,
): Promise<Result> {
  const { workMs, storeMs } = shareOutTime(remainingMs);
  const work = new AbortController();
  const store = new AbortController();
  const timers = [setTimeout(() => work.abort(), workMs), setTimeout(() => store.abort(), storeMs)];
  try {
    return await run({ work: work.signal, store: store.signal });
  } finally {
    timers.forEach(clearTimeout);
  }
}

/**
 * Function URLs and HTTP APIs use the same event. Lambda decides which bodies are base64; here they are raw bytes,
 * because senders sign the bytes. Decoded when they are needed: most of a flood is refused by its headers.
 */
export function toHttpRequest(event: LambdaFunctionURLEvent) {
  let body: Buffer | undefined;
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: event.rawQueryString,
    headers: event.headers,
    get body() {
      body ??= Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
      return body;
    },
  };
}

export function toLambdaAnswer(answer: {
  readonly status: number;
  readonly text: string;
}): LambdaFunctionURLResult {
  return {
    statusCode: answer.status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: `${answer.text}\n`,
  };
}

export function toMessages(event: SQSEvent): readonly ReceivedMessage[] {
  return event.Records.map(({ messageId, receiptHandle, body, attributes }) => ({
    messageId,
    receiptHandle,
    body,
    // Always set on a FIFO queue; elsewhere every message is its own group.
    groupId: attributes.MessageGroupId ?? messageId,
    attempts: Number(attributes.ApproximateReceiveCount),
    sequenceNumber: attributes.SequenceNumber ?? '0',
  }));
}

/** Lambda deletes all other messages from the queue. */
function toBatchResponse(left: readonly string[]): SQSBatchResponse {
  return { batchItemFailures: left.map((itemIdentifier) => ({ itemIdentifier })) };
}
