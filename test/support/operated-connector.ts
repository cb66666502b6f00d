import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, vi } from 'vitest';
import { captureOutput } from '../../local/harness/captured-output.ts';
import storefrontConnector from '../../local/harness/storefront.config.ts';
import { startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import { listen } from '../../local/stack/emulators.ts';
import { answerLogEvents } from '../../local/stack/gateway/gateway.ts';
import { startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import type { MappingRules } from '../../shared/config/mapping-settings.ts';
import { VERSION } from '../../shared/config/release.ts';
import type { StackOutputs } from '../../shared/config/stack-outputs.ts';
import { recordWaiting } from '../../shared/core/batch/waiting.ts';
import type { QueuedEvent, ReceivedMessage } from '../../shared/core/events/event.ts';
import type { RetryReason } from '../../shared/core/events/outcome.ts';
import { SECRET_PURPOSES } from '../../shared/services/shop-secrets.ts';
import observedConnector from '../fixtures/observed.config.ts';
import { BEFORE_ALL_FIXTURES } from '../fixtures/order-payload.ts';
import plainConnector from '../fixtures/project/connector.config.ts';
import { answerCaller, type ScriptedService, startAwsGateway } from './aws-gateway.ts';
import { openWarmCommands } from './connector-command.ts';
import { createConfidential } from './disclosure.ts';
import { deployFunctions, invokeWeb, serveWeb, startAws } from './emulated-deployment.ts';
import { invocationOf } from './event-source.ts';
import { createProject } from './project.ts';

type Seller = Pick<OperatedConnector, 'sell' | 'send' | 'sqs' | 'queues' | 'ledger'>;

/** A paid and fulfilled order in the store, and a message about it on the queue of orders. */
export async function placeOrder(operated: Seller, shop = SHOP): Promise<string> {
  const { id } = operated.sell();
  await tellOf(operated, 'order', id, shop);
  return id;
}

/** As a feeder tells of a change: the worker reads the store. */
export function tellOf(
  operated: Pick<OperatedConnector, 'send'>,
  kind: 'order' | 'product' | 'coupon',
  id: string,
  shop = SHOP,
): Promise<void> {
  return operated.send({
    ...{ shop, kind, id, topic: `${kind}s/updated`, deliveryId: randomUUID() },
    ...{ receivedAt: new Date().toISOString(), body: undefined },
    ...{ claim: 'changed', origin: 'reconcile' },
  });
}

/** An order whose message waits for an hour, as after this attempt. */
export async function leaveWaiting(
  operated: Seller,
  retry: RetryReason,
  begins = new Date(),
  shop = SHOP,
): Promise<void> {
  await placeOrder(operated, shop);
  const seconds = 3_600;
  const { Messages: [message] = [] } = await operated.sqs.receiveMessage({
    QueueUrl: operated.queues.urls.orders.url,
    VisibilityTimeout: seconds,
  });
  const event = { shop, kind: 'order', receivedAt: begins.toISOString() } as QueuedEvent;
  const received = {
    messageId: message?.MessageId ?? '',
    receiptHandle: message?.ReceiptHandle ?? '',
    attempts: 12,
  } as ReceivedMessage;
  await recordWaiting([{ message: received, event }], retry, { begins, seconds }, operated.ledger);
}

export const SHOP = 'example-store.myshopify.com';
const PREFIX = 'loyalty-connector/prod';
const OBSERVED_SETTINGS = resolve(PACKAGE_FOLDER, 'test/fixtures/observed.config.ts');
const STOREFRONT_SETTINGS = resolve(PACKAGE_FOLDER, 'local/harness/storefront.config.ts');

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
  hasStorefront = false,
  isObserved = false,
}: {
  /** Of the functions alone: the commands read the settings of the project. */
  readonly rules?: Partial<MappingRules>;
  /** AWS services without an emulator, by the name in a signature's scope. */
  readonly services?: Readonly<Record<string, ScriptedService>>;
  /** With the settings of the harness instead of the project's. */
  readonly hasStorefront?: boolean;
  /** With a storefront; nothing is sent. */
  readonly isObserved?: boolean;
} = {}) {
  const confidential = createConfidential();
  for (const secret of Object.values(SECRETS)) {
    for (const value of Object.values(secret)) confidential.addSecret(value);
  }
  const folder = createProject('operated-connector');
  const aws = await startAws({
    // On disk, as with `npm start -- --data DIR`: the emulator's persistence has bugs of its own.
    queueFolder: join(folder, 'queues'),
    secrets: Object.fromEntries(
      SECRET_PURPOSES.map((purpose) => [
        `${PREFIX}/example-store/${purpose}`,
        JSON.stringify(SECRETS[purpose]),
      ]),
    ),
  });
  const { sqs, secrets } = aws;
  const loyalty = await startLoyaltySandbox({ settings: { credentials: SECRETS.loyalty } });
  const store = await startStoreSandbox({
    shop: { domain: SHOP },
    accessToken: SECRETS.store.accessToken,
    secret: SECRETS.webhook.current,
    // Of the largest plan: what a test cleans up must not make the store refuse the next one.
    settings: { bucketSize: 20_000, restorePerSecond: 1_000 },
  });
  process.env.STORE_SANDBOX_ADDRESS = store.address;
  process.env.LOYALTY_SANDBOX_ADDRESS = loyalty.address;
  const ofHarness = isObserved ? observedConnector : storefrontConnector;
  const settings = hasStorefront ? ofHarness : plainConnector;
  const { queues, functions, ledger, send, poll } = await deployFunctions(aws, {
    ...{ name: 'connector', table: 'ledger', secretsPrefix: PREFIX },
    connector: {
      ...settings,
      // Fixtures have fixed dates, and the ledger of a test is made today.
      shops: settings.shops.map((shop) => ({
        ...shop,
        rules: { ...shop.rules, goLive: BEFORE_ALL_FIXTURES, ...rules },
      })),
    },
  });
  const output = captureOutput();
  const webhooks = await serveWeb((request) =>
    invokeWeb('receive-webhook', functions.receiver, request),
  );
  const metrics: object[] = [];
  const metricsServer = await listen(
    createServer((_, response) => response.end(JSON.stringify({ metrics }))),
  );
  const breaks: { faultOf?: NonNullable<Parameters<typeof startAwsGateway>[1]> } = {};
  const awsOf: Parameters<typeof startAwsGateway>[0] = {
    ...aws.endpoints,
    sts: answerCaller,
    logs: ({ text }, response) => {
      const lines = output.lines().flatMap((line) => {
        return typeof line.at === 'string'
          ? [{ at: Date.parse(line.at), text: JSON.stringify(line) }]
          : [];
      });
      const since = (_: string, from: number) => lines.filter(({ at }) => at >= from);
      response.end(answerLogEvents(since, text).body);
    },
    lambda: ({ text }, response) => {
      // It is invoked without waiting.
      void functions.reconcile(JSON.parse(text), invocationOf('reconcile', 900));
      response.writeHead(202).end();
    },
    ...services,
  };
  const gateway = await startAwsGateway(awsOf, (operation) => breaks.faultOf?.(operation));

  const { orders, products, coupons, balances } = queues.urls;
  const outputs: StackOutputs = {
    WebhookAddress: webhooks.endpoint,
    OrdersQueueUrl: orders.url,
    ProductsQueueUrl: products.url,
    CouponsQueueUrl: coupons.url,
    OrdersDeadLetterQueueUrl: orders.deadLetterUrl,
    ProductsDeadLetterQueueUrl: products.deadLetterUrl,
    CouponsDeadLetterQueueUrl: coupons.deadLetterUrl,
    ...(hasStorefront && {
      BalancesQueueUrl: balances.url,
      BalancesDeadLetterQueueUrl: balances.deadLetterUrl,
      PointsAddress: 'http://127.0.0.1:9/points',
      StorefrontAddress: 'http://127.0.0.1:9/storefront',
    }),
    LedgerTable: 'ledger',
    LogGroups: 'functions',
    SecretsPrefix: PREFIX,
    MetricsNamespace: 'LoyaltyConnector/prod',
    ReconcileFunction: 'reconcile',
    AlarmTopic: 'arn:aws:sns:us-east-1:000000000000:alarms',
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
        ...(hasStorefront && { settings: isObserved ? OBSERVED_SETTINGS : STOREFRONT_SETTINGS }),
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
    for (let idle = 0; idle < 3; ) idle = (await poll()) === 0 ? idle + 1 : 0;
  }

  return {
    folder,
    commands,
    output,
    aws,
    gateway,
    /** What breaks of the calls of commands to AWS. */
    breaks,
    outputs,
    loyalty,
    store,
    sqs,
    queues,
    metrics,
    confidential,
    ledger,
    send,

    /** A paid and fulfilled order of a new customer. */
    sell({ price = 60, email = 'ada@example.org', firstName = 'Ada', lastName = '' } = {}) {
      const customer = store.actions.createCustomer({ firstName, lastName, email });
      const lines = [{ title: 'Linen shirt', price }];
      const sold = { lines, customerId: customer.id, payment: 'paid' } as const;
      const { id, number } = store.actions.placeOrder(sold);
      store.actions.fulfilOrder({ orderId: id });
      return { id, number, customerId: customer.id };
    },

    /** Other words in the description of the stack. */
    describe,
    async secret(purpose: string): Promise<unknown> {
      const SecretId = `${PREFIX}/example-store/${purpose}`;
      const { SecretString = '' } = await secrets.send(new GetSecretValueCommand({ SecretId }));
      return JSON.parse(SecretString);
    },
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
      const parts = [gateway, webhooks, metricsServer, loyalty, store, aws];
      await Promise.all(parts.map((part) => part.stop()));
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
