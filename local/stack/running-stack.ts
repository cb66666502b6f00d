import { join } from 'node:path';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Connector } from '../../shared/config/connector-config.ts';
import { type LoyaltySandbox, startLoyaltySandbox } from '../loyalty-sandbox/sandbox.ts';
import { startSecretsEmulator } from '../secrets-emulator.ts';
import { type StoreSandbox, startStoreSandbox } from '../store-sandbox/sandbox.ts';
import type { ServerSettings } from '../store-sandbox/settings.ts';
import { startStorefrontDemo } from '../storefront-demo/demo.ts';
import { createData } from './create-data.ts';
import { PLACE, startDynamoDb, startSqs } from './emulators.ts';
import { FunctionRunner } from './functions/function-runner.ts';
import { LogGroups } from './functions/log-groups.ts';
import { Metrics, startMetricsServer } from './functions/metrics.ts';
import { startWebServer } from './functions/web-server.ts';
import { type Key, startGateway } from './gateway/gateway.ts';
import { AccessControl } from './iam/access-control.ts';
import { type Line, startLine } from './line.ts';
import type { Ports } from './ports.ts';
import { type AwsKey, fillSecrets, openRunSecrets, pointAddresses } from './run-secrets.ts';
import { subscribe } from './store-admin.ts';
import type { Assembly } from './template/assembly.ts';
import { describeStack } from './template/describe-stack.ts';
import type { StackDescription } from './template/stack-description.ts';

/** The store begins before the functions are ready, and nobody wants to wait for it afterwards. */
const RETRY_PAUSES = Array.from({ length: 300 }, () => 1);

export interface StackOptions {
  readonly connector: Connector;
  /** What was synthesized; awaited only once the ports are known to be free. */
  readonly assembly: Promise<Assembly>;
  readonly ports: Ports;
  /** Keeps queues, ledger and sandboxes over a restart. Absent: in memory. */
  readonly dataFolder?: string;
  /** How the store behaves where it does not behave as usual: its plan, its way of sending webhooks. */
  readonly storeSettings?: Partial<ServerSettings>;
  /** Queues and table that run elsewhere already. Absent: they are started here. */
  readonly emulators?: { readonly sqs: string; readonly dynamodb: string };
  readonly onProblem: (problem: string) => void;
}

export interface RunningStack {
  readonly name: string;
  readonly description: StackDescription;
  readonly outputs: Readonly<Record<string, string>>;
  readonly webhookAddress: string;
  readonly endpoint: string;
  readonly metricsAddress: string;
  /** The pages that a shopper sees; undefined without a storefront. */
  readonly shopAddress: string | undefined;
  readonly operator: AwsKey;
  readonly webhookSecret: string;
  readonly store: StoreSandbox;
  readonly loyalty: LoyaltySandbox;
  /** The functions' way to the loyalty service. */
  readonly line: Line;
  readonly access: AccessControl;
  readonly logs: LogGroups;
  readonly metrics: Metrics;
  readonly functions: Pick<FunctionRunner, 'invoke' | 'runSchedule' | 'processes'>;
  /** As the operator, who may do everything. */
  readonly sqs: SQSClient;
  readonly dynamoDb: DynamoDB;
  /** How many messages are on their way, whoever may see them. */
  waiting(): Promise<number>;
  stop(): Promise<void>;
}

/** The whole stack on this machine. Stops again what it started when a part of it cannot start. */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return await startParts(options, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: StackOptions,
  stops: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<RunningStack> {
  const { connector, assembly: synthesis, ports, dataFolder, storeSettings, onProblem } = options;
  // Whoever is started last is stopped first.
  const started = <T extends { stop(): Promise<void> }>(part: T): T => {
    stops.push(() => part.stop());
    return part;
  };
  const [shop] = connector.shops;
  if (!shop) throw new Error('There is no shop in the settings.');
  const secrets = openRunSecrets(dataFolder);
  const metrics = new Metrics(Date.now);
  const keys = new Map<string, Key>([
    [
      secrets.operator.accessKeyId,
      { secretAccessKey: secrets.operator.secretAccessKey, caller: { kind: 'operator' } },
    ],
  ]);
  let runner: FunctionRunner | undefined;
  let access: AccessControl | undefined;
  const accessNow = () => {
    if (!access) throw new Error('asked for access before the template was read');
    return access;
  };

  const webServer = async (output: string, port: number) =>
    started(await startWebServer(() => runner?.web(output), port));
  const web = await webServer('WebhookAddress', ports.webhooks);
  const points = connector.storefront && (await webServer('PointsAddress', 0));
  const storefront = connector.storefront && (await webServer('StorefrontAddress', 0));
  const emulators = {
    sqs: options.emulators?.sqs ?? started(await startSqs(dataFolder)).endpoint,
    dynamodb: options.emulators?.dynamodb ?? started(await startDynamoDb(dataFolder)).endpoint,
    secretsmanager: '',
  };
  const gateway = started(
    await startGateway(
      {
        place: PLACE,
        keys,
        access: accessNow,
        emulators,
        invoke: (arn, event) => runner?.invoke(arn, event),
      },
      ports.gateway,
    ),
  );
  const metricsServer = started(await startMetricsServer(metrics, ports.metrics));
  const loyalty = started(
    await startLoyaltySandbox({
      port: ports.loyalty,
      settings: { credentials: secrets.loyalty },
      ...(points && { eventAddresses: pointAddresses(points.address, shop.path, secrets) }),
      ...(dataFolder !== undefined && { dataFile: join(dataFolder, 'loyalty.jsonl') }),
    }),
  );
  const store = started(
    await startStoreSandbox({
      port: ports.store,
      shop: { domain: shop.domain },
      secret: secrets.webhook.current,
      previousSecret: secrets.webhook.previous,
      accessToken: secrets.storeAccessToken,
      settings: { retryPausesSeconds: RETRY_PAUSES, ...storeSettings },
      ...(connector.healing.subscriptions === 'app-configuration' && {
        webhooksTo: `${web.address}/${shop.path}`,
      }),
      ...(dataFolder !== undefined && { dataFile: join(dataFolder, 'store.jsonl') }),
    }),
  );
  const shopPages =
    storefront &&
    started(
      await startStorefrontDemo({
        port: ports.shop,
        store,
        proxyTo: `${storefront.address}/${shop.path}`,
      }),
    );
  const line = started(await startLine(loyalty.address));

  const assembly = await synthesis;
  const description = describeStack(assembly.template, {
    ...PLACE,
    stackName: assembly.stackName,
    endpoint: gateway.address,
    webAddress: `${web.address}/`,
  });
  const told = new Set<string>();
  access = new AccessControl(description, ({ who, action, resource }) => {
    const problem = `AccessDenied: ${who} may not ${action} on ${resource}`;
    if (!told.has(problem)) onProblem(problem);
    told.add(problem);
  });
  emulators.secretsmanager = started(
    await startSecretsEmulator({ secrets: fillSecrets(description.secrets, secrets) }),
  ).endpoint;
  // A copy: the SDK notes in the object where it came from, and the state file would show that.
  const credentials = { ...secrets.operator };
  const client = { endpoint: gateway.address, region: PLACE.region, credentials };
  const sqs = new SQSClient(client);
  const dynamoDb = new DynamoDB(client);
  stops.push(async () => {
    sqs.destroy();
    dynamoDb.destroy();
  });
  await createData(description, { sqs, dynamoDb });

  const logs = new LogGroups({ access: accessNow, place: PLACE, now: Date.now });
  logs.onLine(({ text }) => metrics.take(text));
  runner = started(
    new FunctionRunner({
      stack: description,
      assembly,
      access,
      keys,
      surroundings: {
        endpoint: gateway.address,
        region: PLACE.region,
        storeAddress: store.address,
        loyaltyAddress: line.address,
      },
      logs,
      onProblem,
    }),
  );
  await runner.start();
  if (connector.healing.subscriptions === 'admin-api') {
    await subscribe(store, shop, web.address);
  }

  const sources = description.eventSources.flatMap(({ queueArn }) =>
    description.queues.filter(({ arn }) => arn === queueArn).map(({ url }) => url),
  );
  return {
    name: assembly.stackName,
    description,
    outputs: {
      ...description.outputs,
      WebhookAddress: web.address,
      ...(points && { PointsAddress: points.address }),
      ...(storefront && { StorefrontAddress: storefront.address }),
    },
    webhookAddress: `${web.address}/${shop.path}`,
    endpoint: gateway.address,
    metricsAddress: metricsServer.address,
    shopAddress: shopPages?.address,
    operator: secrets.operator,
    webhookSecret: secrets.webhook.current,
    store,
    loyalty,
    line,
    access,
    logs,
    metrics,
    functions: runner,
    sqs,
    dynamoDb,
    async waiting() {
      const counts = await Promise.all(sources.map((url) => countMessages(sqs, url)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    stop,
  };
}

async function countMessages(sqs: SQSClient, url: string): Promise<number> {
  const { Attributes: counts = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
  );
  return (
    Number(counts.ApproximateNumberOfMessages) +
    Number(counts.ApproximateNumberOfMessagesNotVisible) +
    Number(counts.ApproximateNumberOfMessagesDelayed)
  );
}
