import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Context, LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { createPointsReceiver } from '../../functions/receive-points.ts';
import { createReceiver } from '../../functions/receive-webhook.ts';
import { createReconcile } from '../../functions/reconcile.ts';
import { createStorefrontFunction } from '../../functions/storefront.ts';
import { createBalanceWorker } from '../../functions/sync-balances.ts';
import { createWorker } from '../../functions/sync-entities.ts';
import {
  createDynamoDbClient,
  createLedgerTable,
  createSecretsClient,
  createSqsClient,
} from '../../local/harness/sdk-clients.ts';
import { startSecretsEmulator } from '../../local/secrets-emulator.ts';
import { listen, startDynamoDb, startSqs } from '../../local/stack/emulators.ts';
import { toHttpEvent, type WebRequest } from '../../local/stack/functions/web-server.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createSqsEventQueue } from '../../shared/aws/sqs-queues.ts';
import type { Connector } from '../../shared/config/connector-config.ts';
import type { QueueFamily, StoreQueueFamily } from '../../shared/core/events/event.ts';
import type { Store } from '../../shared/core/store/store.ts';
import { createScriptServer } from '../../shared/shopify/storefront-requests/serve-script.ts';
import { buildWarm, createConnectorQueues, invocationOf } from './event-source.ts';
import { LASTING } from './lasting.ts';

export const AWS_SECRET = 'aws-secret-of-this-test';

export type EmulatedAws = Awaited<ReturnType<typeof startAws>>;

/** AWS on this machine, with its clients. The environment of this process leads to it. */
export async function startAws({
  queueFolder,
  secrets = {},
}: {
  /** Where the queues are kept. Default: in memory. */
  readonly queueFolder?: string;
  readonly secrets?: Readonly<Record<string, string>>;
} = {}) {
  const emulators = {
    sqs: await startSqs(queueFolder),
    dynamodb: await startDynamoDb(),
    secretsmanager: await startSecretsEmulator({ secrets }),
  };
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'emulator',
    AWS_SECRET_ACCESS_KEY: AWS_SECRET,
    AWS_ENDPOINT_URL_SQS: emulators.sqs.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamodb.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: emulators.secretsmanager.endpoint,
  });
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const clients = {
    sqs: createSqsClient({ budget, emulator: emulators.sqs }),
    dynamoDb: createDynamoDbClient({ budget, emulator: emulators.dynamodb }),
    secrets: createSecretsClient({ budget, emulator: emulators.secretsmanager }),
  };
  return {
    ...clients,
    /** By the name in the scope of a signature. */
    endpoints: {
      sqs: emulators.sqs.endpoint,
      dynamodb: emulators.dynamodb.endpoint,
      secretsmanager: emulators.secretsmanager.endpoint,
    },
    async stop(): Promise<void> {
      for (const client of Object.values(clients)) client.destroy();
      await Promise.all(Object.values(emulators).map((emulator) => emulator.stop()));
    },
  };
}

export interface DeploymentSettings {
  /** Of the queues. */
  readonly name: string;
  readonly connector: Connector;
  readonly table: string;
  readonly secretsPrefix: string;
  /** Undefined when the Admin API, as it is deployed. */
  readonly store?: Store | undefined;
  readonly webhookAddress?: string | undefined;
}

export type Deployment = Awaited<ReturnType<typeof deployFunctions>>;

/** Queues, ledger and the real functions in this process; those of the storefront where the settings have one. */
export async function deployFunctions(
  aws: EmulatedAws,
  { name, connector, table, secretsPrefix, store, webhookAddress }: DeploymentSettings,
) {
  const queues = await createConnectorQueues(aws.sqs, aws.endpoints.sqs, name);
  const { orders, products, coupons, balances } = queues.urls;
  await createLedgerTable(aws.dynamoDb, table);
  Object.assign(process.env, {
    ORDERS_QUEUE_URL: orders.url,
    PRODUCTS_QUEUE_URL: products.url,
    COUPONS_QUEUE_URL: coupons.url,
    BALANCES_QUEUE_URL: balances.url,
    LEDGER_TABLE: table,
    SECRETS_PREFIX: secretsPrefix,
    METRICS_NAMESPACE: 'LoyaltyConnector/test',
    WEBHOOK_ADDRESS: webhookAddress ?? 'https://webhooks.example.com',
  });

  function buildWorker<Built>(family: QueueFamily, workers: number, build: () => Built): Built {
    Object.assign(process.env, {
      SOURCE_QUEUE_URL: queues.urls[family].url,
      DEAD_LETTER_QUEUE_URL: queues.urls[family].deadLetterUrl,
      WORKERS: String(workers),
    });
    return build();
  }
  const startWorker = (family: StoreQueueFamily) =>
    buildWorker(family, 10, () => buildWarm(() => createWorker(connector, family, store)));
  const functions = {
    receiver: buildWarm(() => createReceiver(connector)),
    reconcile: buildWarm(() => createReconcile(connector)),
    orders: startWorker('orders'),
    products: startWorker('products'),
    coupons: startWorker('coupons'),
    ...(connector.storefront && {
      points: buildWarm(() => createPointsReceiver(connector)),
      balances: buildWorker('balances', 2, () => buildWarm(() => createBalanceWorker(connector))),
    }),
  };

  return {
    queues,
    functions,
    table,
    ledger: createDynamoDbLedger({ client: aws.dynamoDb, table }),

    /** Enqueues an event without a webhook, as a replay does. */
    send: createSqsEventQueue(aws.sqs, {
      orders: orders.url,
      products: products.url,
      coupons: coupons.url,
      balances: balances.url,
    }).send,

    /** One batch for each worker; returns the number of messages. */
    poll: () => queues.poll(functions),

    /** Another function of the storefront. */
    startStorefront: () =>
      buildWarm(() =>
        createStorefrontFunction(connector, async () =>
          createScriptServer({ en: 'console.log("widget")' }),
        ),
      ),
  };
}

type WebFunction = (
  event: LambdaFunctionURLEvent,
  context: Context,
) => Promise<LambdaFunctionURLResult>;

/** One request to a function at a public address. */
export async function invokeWeb(name: string, handler: WebFunction, request: WebRequest) {
  const event = toHttpEvent(request, '$default') as LambdaFunctionURLEvent;
  const answer = await handler(event, invocationOf(name, name === 'storefront' ? 30 : 10));
  if (typeof answer === 'string') throw new Error(`${name} answers with a bare text`);
  const { statusCode: status = 0, body = '', headers = {} } = answer;
  return { status, body, headers: headers as Readonly<Record<string, string>> };
}

/** An address of this machine in front of a function that may be known later. */
export function serveWeb(
  answer: (request: WebRequest) => Promise<{ readonly status: number; readonly body?: string }>,
) {
  return listen(
    createServer(LASTING, async (incoming: IncomingMessage, response) => {
      const { method = '', url: target = '', headersDistinct: headers } = incoming;
      const { status, body } = await answer({
        ...{ method, target, headers },
        body: await buffer(incoming),
      });
      response.writeHead(status).end(body);
    }),
  );
}
