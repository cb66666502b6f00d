import {
  type CreateTableCommandInput,
  DynamoDB,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { QueueNameExists, SQS, SQSServiceException } from '@aws-sdk/client-sqs';
import type { Connector, Shop } from '../../shared/config/connector-config.ts';
import type { PartialSettings } from '../loyalty-sandbox/settings.ts';
import type { Neighbours } from '../sandbox-kit/pages/layout.ts';
import { startSecretsEmulator } from '../secrets-emulator.ts';
import type { ServerSettings } from '../store-sandbox/settings.ts';
import { PLACE, startDynamoDb, startSqs } from './emulators.ts';
import { FunctionRunner, type RunnerParts } from './functions/function-runner.ts';
import { LogGroups } from './functions/log-groups.ts';
import { Metrics, startMetricsServer } from './functions/metrics.ts';
import { startWebServer } from './functions/web-server.ts';
import { type Key, startGateway } from './gateway/gateway.ts';
import { AccessControl } from './iam/access-control.ts';
import { type AwsKey, fillSecrets, openRunSecrets, type RunSecrets } from './run-secrets.ts';
import type { Ports } from './start-options.ts';
import type { QueueDescription, StackDescription } from './template/describe-resources.ts';
import { policyName } from './template/describe-resources.ts';
import { describeStack } from './template/describe-stack.ts';
import type { Assembly } from './template/template.ts';

/** Creates the queues and tables of the template; keeps those that an earlier run created. */
export async function createData(
  { queues, tables }: Pick<StackDescription, 'queues' | 'tables'>,
  clients: { readonly sqs: SQS; readonly dynamoDb: DynamoDB },
): Promise<void> {
  // The target of a redrive policy must exist first.
  const inOrder = queues.toSorted((a, b) => redrives(a) - redrives(b));
  for (const queue of inOrder) await createQueue(clients.sqs, queue);
  for (const { name, creation } of tables) {
    const input = { TableName: name, ...creation } as unknown as CreateTableCommandInput;
    await clients.dynamoDb.createTable(input).catch((error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error;
    });
  }
}

const redrives = ({ attributes }: QueueDescription): number =>
  attributes.RedrivePolicy === undefined ? 0 : 1;

/** fauxqs uses a longer error name than SQS, which the SDK does not map to its class. */
const isNameTaken = (error: unknown): boolean =>
  error instanceof QueueNameExists ||
  (error instanceof SQSServiceException && error.name.endsWith('.QueueNameExists'));

async function createQueue(client: SQS, { name, url, attributes }: QueueDescription) {
  try {
    await client.createQueue({ QueueName: name, Attributes: attributes });
  } catch (error) {
    if (!isNameTaken(error)) throw error;
    // CloudFormation would update the queue, too, when the template has changed.
    const { FifoQueue: _, ...changeable } = attributes;
    await client.setQueueAttributes({ QueueUrl: url, Attributes: changeable });
  }
}

export interface StackOptions {
  readonly connector: Connector;
  /** The result of the synthesis; awaited only after the ports turned out to be free. */
  readonly assembly: Promise<Assembly>;
  readonly ports: Ports;
  /** Keeps queues, ledger and sandboxes across restarts. Absent: in memory. */
  readonly dataFolder?: string;
  /** As after a first deployment: the secrets are not set, and neither side sends webhooks yet. */
  readonly isNew?: boolean;
  /** Keeps what `setup` stored. Absent: each start has the secrets of its sandboxes. */
  readonly secretsFile?: string | undefined;
  /** Differences from the default settings of a shop's store, such as its plan. */
  readonly storeSettings?: (shop: Shop) => Partial<ServerSettings>;
  /** The same for its account at the loyalty service. */
  readonly loyaltySettings?: (shop: Shop) => PartialSettings;
  /** Emulators that already run in another process. Absent: they are started here. */
  readonly emulators?: { readonly sqs: string; readonly dynamodb: string };
  /** How many functions run at once. Absent: AWS's default for an account. */
  readonly quota?: number;
  /** What a function is started with; by default what Lambda, the template and this machine say. */
  readonly environmentOf?: RunnerParts['environmentOf'];
  readonly onProblem: (problem: string) => void;
}

export interface Part {
  stop(): Promise<void>;
}

/** What the steps of the start share. */
export interface Run {
  readonly options: StackOptions;
  readonly secrets: RunSecrets;
  readonly metrics: Metrics;
  /** Of the first shop; filled as the parts start. */
  readonly neighbours: Neighbours;
  readonly keys: Map<string, Key>;
  /** Registers the part to be stopped. Parts stop in the reverse order of their start. */
  readonly started: <T extends Part>(part: T) => T;
  /** Set after the template is read; servers listen earlier and answer 503 until then. */
  runner?: FunctionRunner;
  access?: AccessControl;
  logs?: LogGroups;
}

export function createRun(options: StackOptions, parts: Part[]): Run {
  const secrets = openRunSecrets(options.dataFolder);
  const { accessKeyId, secretAccessKey } = secrets.administrator;
  return {
    options,
    secrets,
    metrics: new Metrics(Date.now),
    neighbours: {},
    keys: new Map([[accessKeyId, { secretAccessKey, caller: { kind: 'administrator' } }]]),
    started: (part) => {
      parts.push(part);
      return part;
    },
  };
}

function accessOf({ access }: Run): AccessControl {
  if (!access) throw new Error('the template was not read yet');
  return access;
}

export type WebServers = Awaited<ReturnType<typeof startWebServers>>;
type Aws = Awaited<ReturnType<typeof startAws>>;

/** The public addresses of the functions. */
export async function startWebServers(run: Run) {
  const { connector, ports } = run.options;
  const start = async (output: string, port: number) =>
    run.started(await startWebServer(() => run.runner?.publicEndpoint(output), port));
  return {
    webhooks: await start('WebhookAddress', ports.webhooks),
    points: connector.storefront && (await start('PointsAddress', 0)),
    storefront: connector.storefront && (await start('StorefrontAddress', 0)),
  };
}

export async function startAws(run: Run) {
  const { dataFolder, ports, emulators: given } = run.options;
  const emulators = {
    sqs: given?.sqs ?? run.started(await startSqs(dataFolder)).endpoint,
    dynamodb: given?.dynamodb ?? run.started(await startDynamoDb(dataFolder)).endpoint,
    // Set after the template has named the secrets.
    secretsmanager: '',
  };
  const gateway = await startGateway(
    {
      place: PLACE,
      keys: run.keys,
      access: () => accessOf(run),
      emulators,
      invoke: (arn, event) => run.runner?.invoke(arn, event),
      linesOf: (group, since) => run.logs?.since(group, since) ?? [],
    },
    ports.gateway,
  );
  const { address: endpoint } = run.started(gateway);
  const metricsServer = run.started(await startMetricsServer(run.metrics, ports.metrics));
  return { endpoint, emulators, metricsAddress: metricsServer.address };
}

/** Awaits the synthesis and reads the template: its resources and its permissions. */
export async function describe(run: Run, { endpoint }: Aws, { webhooks }: WebServers) {
  const assembly = await run.options.assembly;
  const description = describeStack(assembly.template, {
    ...PLACE,
    stackName: assembly.stackName,
    endpoint,
    webAddress: `${webhooks.address}/`,
  });
  const reported = new Set<string>();
  const access = new AccessControl(description, ({ who, action, resource }) => {
    const problem = `AccessDenied: ${who} may not ${action} on ${resource}`;
    if (!reported.has(problem)) run.options.onProblem(problem);
    reported.add(problem);
  });
  run.access = access;
  const person = ({ accessKeyId, secretAccessKey }: AwsKey, policyArn = '') =>
    run.keys.set(accessKeyId, {
      secretAccessKey,
      caller: { kind: 'role', role: policyName(policyArn) },
    });
  person(run.secrets.operator, description.outputs.OperatorPolicy);
  person(run.secrets.readOnlyOperator, description.outputs.ReadOnlyOperatorPolicy);
  return { assembly, description, access };
}

/** Creates the secrets, the queues and the table. */
export async function createResources(
  run: Run,
  { endpoint, emulators }: Aws,
  description: StackDescription,
) {
  const { isNew, connector, secretsFile: file } = run.options;
  const prefix = description.outputs.SecretsPrefix ?? '';
  const secrets = isNew ? {} : fillSecrets(prefix, run.secrets, connector);
  const { createdAt } = run.secrets;
  emulators.secretsmanager = run.started(
    await startSecretsEmulator({ secrets, createdAt, file }),
  ).endpoint;
  // A copy, because the SDK adds a field to the object, which the state file would show.
  const credentials = { ...run.secrets.administrator };
  const client = { endpoint, region: PLACE.region, credentials };
  const clients = { sqs: new SQS(client), dynamoDb: new DynamoDB(client) };
  run.started({
    async stop() {
      clients.sqs.destroy();
      clients.dynamoDb.destroy();
    },
  });
  await createData(description, clients);
  return clients;
}

export async function startFunctions(
  run: Run,
  { endpoint }: Aws,
  shops: readonly Readonly<Record<'store' | 'loyalty', { readonly address: string }>>[],
  { assembly, description, access }: Awaited<ReturnType<typeof describe>>,
) {
  const logs = new LogGroups({ access: () => access, place: PLACE, now: Date.now });
  logs.onLine(({ text }) => run.metrics.addLine(text));
  run.logs = logs;
  const runner = run.started(
    new FunctionRunner({
      stack: description,
      assembly,
      access,
      keys: run.keys,
      addresses: {
        endpoint,
        region: PLACE.region,
        storeAddress: shops.map(({ store }) => store.address).join(' '),
        loyaltyAddress: shops.map(({ loyalty }) => loyalty.address).join(' '),
      },
      logs,
      environmentOf: run.options.environmentOf ?? ((_, environment) => environment),
      quota: run.options.quota,
      onProblem: run.options.onProblem,
    }),
  );
  run.runner = runner;
  await runner.start();
  return { logs, runner };
}
