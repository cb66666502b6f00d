import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, vi } from 'vitest';
import { captureOutput } from '../../local/harness/captured-output.ts';
import {
  createDynamoDbClient,
  createLedgerTable,
  createSecretsClient,
  createSqsClient,
} from '../../local/harness/sdk-clients.ts';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import { startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import { startSecretsEmulator } from '../../local/secrets-emulator.ts';
import { listen, startDynamoDb, startSqs } from '../../local/stack/emulators.ts';
import { startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createSqsEventQueue } from '../../shared/aws/sqs-queues.ts';
import type { MappingRules } from '../../shared/config/mapping-settings.ts';
import { VERSION } from '../../shared/config/release.ts';
import type { StackOutputs } from '../../shared/config/stack-outputs.ts';
import { recordWaiting } from '../../shared/core/batch/waiting.ts';
import type { QueuedEvent, ReceivedMessage } from '../../shared/core/events/event.ts';
import type { RetryReason } from '../../shared/core/events/outcome.ts';
import { SECRET_PURPOSES } from '../../shared/services/shop-secrets.ts';
import { BEFORE_ALL_FIXTURES } from '../fixtures/order-payload.ts';
import connector from '../fixtures/project/connector.config.ts';
import { answerCaller, type ScriptedService, startAwsGateway } from './aws-gateway.ts';
import { openWarmCommands } from './connector-command.ts';
import { createConfidential } from './disclosure.ts';
import { createConnectorQueues, invocationOf, startFunctions } from './event-source.ts';
import { createProject } from './project.ts';

/** A paid and fulfilled order in the store, and a message about it on the queue of orders. */
export async function placeOrder(operated: OperatedConnector): Promise<string> {
  const { actions } = operated.store;
  const { id: customerId } = actions.createCustomer({ firstName: 'Ada', email: 'ada@example.org' });
  const lines = [{ title: 'Linen shirt', price: 60 }];
  const order = actions.placeOrder({ lines, customerId, payment: 'paid' });
  actions.fulfilOrder({ orderId: order.id });
  await tellOf(operated, 'order', order.id);
  return order.id;
}

/** As a feeder tells of a change: the worker reads the store. */
export function tellOf(
  operated: OperatedConnector,
  kind: 'order' | 'product' | 'coupon',
  id: string,
): Promise<void> {
  return operated.send({
    ...{ shop: SHOP, kind, id, topic: `${kind}s/updated`, deliveryId: randomUUID() },
    ...{ receivedAt: new Date().toISOString(), body: undefined },
    ...{ claim: 'changed', origin: 'reconcile' },
  });
}

/** An order whose message waits for an hour, as after this attempt. */
export async function leaveWaiting(
  operated: OperatedConnector,
  retry: RetryReason,
  begins = new Date(),
): Promise<void> {
  await placeOrder(operated);
  const seconds = 3_600;
  const { Messages: [message] = [] } = await operated.sqs.receiveMessage({
    QueueUrl: operated.queues.urls.orders.url,
    VisibilityTimeout: seconds,
  });
  const event = { shop: SHOP, kind: 'order', receivedAt: begins.toISOString() } as QueuedEvent;
  const received = {
    messageId: message?.MessageId ?? '',
    receiptHandle: message?.ReceiptHandle ?? '',
    attempts: 12,
  } as ReceivedMessage;
  await recordWaiting([{ message: received, event }], retry, { begins, seconds }, operated.ledger);
}

export const SHOP = 'example-store.myshopify.com';
const PREFIX = 'loyalty-connector/prod';

export const SECRETS = {
  webhook: { current: 'webhook-secret-7c1e92' },
  loyalty: { token: 'loyalty-token-5b1d70', key: 'loyalty-key-93f2c8' },
  store: { accessToken: 'shpat_store-token-41aa07' },
};

export type OperatedConnector = Awaited<ReturnType<typeof openOperatedConnector>>;

/**
 * A whole connector as the operator's commands meet it, described as `npm start` describes it: emulated
 * AWS behind one address, both sandboxes, and the real functions behind the webhook address.
 */
export async function openOperatedConnector({
  services = {},
  rules = {},
}: {
  /** Of the functions alone: the commands read the settings of the project. */
  readonly rules?: Partial<MappingRules>;
  /** AWS services without an emulator, by the name in a signature's scope. */
  readonly services?: Readonly<Record<string, ScriptedService>>;
} = {}) {
  const confidential = createConfidential();
  for (const secret of Object.values(SECRETS)) {
    for (const value of Object.values(secret)) confidential.addSecret(value);
  }
  const folder = createProject('operated-connector');
  const emulators = {
    // On disk, as with `npm start -- --data DIR`: the emulator's persistence has bugs of its own.
    sqs: await startSqs(join(folder, 'queues')),
    dynamodb: await startDynamoDb(),
    secretsmanager: await startSecretsEmulator({
      secrets: Object.fromEntries(
        SECRET_PURPOSES.map((purpose) => [
          `${PREFIX}/example-store/${purpose}`,
          JSON.stringify(SECRETS[purpose]),
        ]),
      ),
    }),
  };
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const sqs = createSqsClient({ budget, emulator: emulators.sqs });
  const dynamoDb = createDynamoDbClient({ budget, emulator: emulators.dynamodb });
  const secrets = createSecretsClient({ budget, emulator: emulators.secretsmanager });
  const queues = await createConnectorQueues(sqs, emulators.sqs.endpoint, 'connector');
  await createLedgerTable(dynamoDb, 'ledger');
  const loyalty = await startLoyaltySandbox({ settings: { credentials: SECRETS.loyalty } });
  const store = await startStoreSandbox({
    shop: { domain: SHOP },
    accessToken: SECRETS.store.accessToken,
    secret: SECRETS.webhook.current,
    // Of the largest plan: what a test cleans up must not make the store refuse the next one.
    settings: { bucketSize: 20_000, restorePerSecond: 1_000 },
  });

  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'emulator',
    AWS_SECRET_ACCESS_KEY: 'emulator',
    AWS_ENDPOINT_URL_SQS: emulators.sqs.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamodb.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: emulators.secretsmanager.endpoint,
    STORE_SANDBOX_ADDRESS: store.address,
    LOYALTY_SANDBOX_ADDRESS: loyalty.address,
  });
  const functions = startFunctions({
    connector: {
      ...connector,
      // Fixtures have fixed dates, and the ledger of a test is made today.
      shops: connector.shops.map((shop) => ({
        ...shop,
        rules: { ...shop.rules, goLive: BEFORE_ALL_FIXTURES, ...rules },
      })),
    },
    store: undefined,
    queues: queues.urls,
    table: 'ledger',
    secretsPrefix: PREFIX,
  });
  const output = captureOutput();
  const webhooks = await listen(serveReceiver(functions.receiver));
  const metrics: object[] = [];
  const metricsServer = await listen(
    createServer((_, response) => response.end(JSON.stringify({ metrics }))),
  );
  const gateway = await startAwsGateway({
    ...Object.fromEntries(Object.entries(emulators).map(([name, one]) => [name, one.endpoint])),
    sts: answerCaller,
    lambda: ({ text }, response) => {
      // It is invoked without waiting.
      void functions.reconcile(JSON.parse(text), invocationOf('reconcile', 900));
      response.writeHead(202).end();
    },
    ...services,
  });

  const outputs: StackOutputs = {
    WebhookAddress: webhooks.endpoint,
    OrdersQueueUrl: queues.urls.orders.url,
    ProductsQueueUrl: queues.urls.products.url,
    CouponsQueueUrl: queues.urls.coupons.url,
    OrdersDeadLetterQueueUrl: queues.urls.orders.deadLetterUrl,
    ProductsDeadLetterQueueUrl: queues.urls.products.deadLetterUrl,
    CouponsDeadLetterQueueUrl: queues.urls.coupons.deadLetterUrl,
    LedgerTable: 'ledger',
    SecretsPrefix: PREFIX,
    MetricsNamespace: 'LoyaltyConnector/prod',
    ReconcileFunction: 'reconcile',
    AlarmTopic: 'arn:aws:sns:us-east-1:000000000000:alarms',
    Dashboard: 'https://example.com/dashboard',
    Concurrency: '{"orders":10,"products":5,"coupons":5}',
    OperatorPolicy: 'arn:aws:iam::000000000000:policy/prod-operator',
    ReadOnlyOperatorPolicy: 'arn:aws:iam::000000000000:policy/prod-read-only',
    NextCommand: 'npx loyalty-connector doctor',
    Version: VERSION,
  };
  await mkdir(join(folder, '.connector'));
  const describe = (changes: object = {}) =>
    writeFile(
      join(folder, '.connector', 'stack.json'),
      JSON.stringify({
        pid: process.pid,
        stack: 'loyalty-connector-prod',
        stage: 'prod',
        region: 'us-east-1',
        endpoint: gateway.endpoint,
        credentials: { accessKeyId: 'operator', secretAccessKey: 'operator-secret' },
        outputs,
        storeAddress: store.address,
        loyaltyAddress: loyalty.address,
        metricsAddress: metricsServer.endpoint,
        ...changes,
      }),
    );
  await describe();
  const commands = openWarmCommands(folder);

  /** Works on what the queues hold. */
  async function work(): Promise<void> {
    for (let idle = 0; idle < 3; ) idle = (await queues.poll(functions)) === 0 ? idle + 1 : 0;
  }

  return {
    folder,
    commands,
    gateway,
    outputs,
    loyalty,
    store,
    sqs,
    queues,
    metrics,
    confidential,
    ledger: createDynamoDbLedger({ client: dynamoDb, table: 'ledger' }),
    /** Enqueues what came through no webhook, as a feeder does. */
    send: createSqsEventQueue(sqs, {
      orders: queues.urls.orders.url,
      products: queues.urls.products.url,
      coupons: queues.urls.coupons.url,
    }).send,
    /** Other words in the description of the stack. */
    describe,
    secret: (purpose: string) => readSecretText(secrets, `${PREFIX}/example-store/${purpose}`),
    keepSecret: (purpose: string, text: string) =>
      secrets.send(
        new PutSecretValueCommand({
          SecretId: `${PREFIX}/example-store/${purpose}`,
          SecretString: text,
        }),
      ),

    /** One command, as a person types it; whatever it says must tell no secret. */
    async run(line: string, input?: string) {
      const run = await commands.run(line.split(' '), input);
      const told = confidential.disclosedIn([run.stdout, run.stderr]);
      if (told.length > 0) throw new Error(`"${line}" told what must not be told: ${told.length}`);
      return run;
    },

    work,

    /** The workers work as long as the command runs, as in a deployment. */
    atWork: <Value>(command: Promise<Value>) => workDuring(command, work),

    async close(): Promise<void> {
      output.stop();
      commands.stop();
      const parts = [gateway, webhooks, metricsServer, loyalty, store, ...Object.values(emulators)];
      await Promise.all(parts.map((part) => part.stop()));
      for (const client of [sqs, dynamoDb, secrets]) client.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The same one for all tests of a file, with time for commands that are processes of their own. */
export function useOperatedConnector(
  options: Parameters<typeof openOperatedConnector>[0] = {},
): OperatedConnector {
  vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });
  const connector = {} as OperatedConnector;
  beforeAll(async () => {
    Object.assign(connector, await openOperatedConnector(options));
  });
  afterAll(() => connector.close());
  return connector;
}

/** The receiver behind an address of this machine, as its function URL would hand requests over. */
function serveReceiver(receiver: ReturnType<typeof startFunctions>['receiver']) {
  return createServer(async (request, response) => {
    const plain = { path: '', shop: '', topic: '', webhookId: '', triggeredAt: '', secret: '' };
    const event = toFunctionUrlEvent({ ...plain, body: await buffer(request) });
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const http = { ...event.requestContext.http, method: request.method ?? '' };
    const answer = await receiver(
      {
        ...event,
        rawPath: request.url ?? '',
        headers: Object.fromEntries(headers),
        requestContext: { ...event.requestContext, http },
      },
      invocationOf('receive-webhook', 10),
    );
    const { statusCode = 500, body = '' } = typeof answer === 'object' ? answer : {};
    response.writeHead(statusCode);
    response.end(body);
  });
}

async function readSecretText(client: SecretsManagerClient, name: string): Promise<unknown> {
  const { SecretString: text = '' } = await client.send(
    new GetSecretValueCommand({ SecretId: name }),
  );
  return JSON.parse(text);
}

export async function workDuring<Value>(
  command: Promise<Value>,
  work: () => Promise<void>,
): Promise<Value> {
  let isOver = false;
  const ended = command.finally(() => {
    isOver = true;
  });
  while (!isOver) await work();
  await work();
  return ended;
}
