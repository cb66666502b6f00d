import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { SQS } from '@aws-sdk/client-sqs';
import type { Neighbours } from '../sandbox-kit/pages/layout.ts';
import type { FunctionRunner } from './functions/function-runner.ts';
import type { LogGroups } from './functions/log-groups.ts';
import type { Metrics } from './functions/metrics.ts';
import type { AccessControl } from './iam/access-control.ts';
import type { AwsKey } from './run-secrets.ts';
import {
  type Aws,
  createResources,
  createRun,
  describe,
  type Part,
  type Run,
  type Stack,
  type StackOptions,
  startAws,
  startFunctions,
  startWebServers,
  type WebServers,
} from './start-parts.ts';
import {
  defineBalances,
  hasSandbox,
  type RunningShop,
  type Sandboxes,
  startSandboxes,
  subscribe,
} from './start-sandboxes.ts';
import type { StackDescription } from './template/describe-resources.ts';

/** With the members of the first shop as its own. */
export interface RunningStack extends RunningShop, Sandboxes {
  readonly name: string;
  readonly description: StackDescription;
  readonly outputs: Readonly<Record<string, string>>;
  readonly endpoint: string;
  readonly metricsAddress: string;
  /** Which other pages the sandboxes' own lead to. */
  readonly neighbours: Neighbours;
  /** Their policies are the template's; the administrator may do everything. */
  readonly keys: Readonly<Record<'administrator' | 'operator' | 'readOnlyOperator', AwsKey>>;
  readonly access: AccessControl;
  readonly logs: LogGroups;
  readonly metrics: Metrics;
  readonly functions: Pick<FunctionRunner, 'invoke' | 'runSchedule' | 'processes' | 'isRunning'>;
  /** With the administrator's key. */
  readonly sqs: SQS;
  readonly dynamoDb: DynamoDB;
  /** How many messages the queues of the functions hold, visible or not. */
  waiting(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the whole stack on this machine. If a part cannot start, stops those that were started. */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const parts: Part[] = [];
  const stop = async () => {
    for (const part of parts.splice(0).reverse()) await part.stop();
  };
  try {
    return { ...(await startParts(createRun(options, parts))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(run: Run): Promise<Omit<RunningStack, 'stop'>> {
  const web = await startWebServers(run);
  const aws = await startAws(run);
  const sandboxes = await startSandboxes(run, web);
  const stack = await describe(run, aws, web);
  const clients = await createResources(run, aws, stack.description);
  const logs = await startFunctions(run, aws, sandboxes.shops, stack);
  const { connector, isNew } = run.options;
  if (!isNew) {
    for (const { store, shop } of sandboxes.shops.filter((one) => hasSandbox(one.shop))) {
      await subscribe(store, shop, web.webhooks.address, connector.healing);
    }
  }
  if (connector.storefront && !isNew) {
    const { metafieldNamespace } = connector.storefront;
    for (const { store, shop } of sandboxes.shops) {
      await defineBalances(store, shop.domain, metafieldNamespace);
    }
  }
  return toRunningStack(run, { web, aws, sandboxes, clients, logs, ...stack });
}

interface Started extends Stack {
  readonly web: WebServers;
  readonly aws: Aws;
  readonly sandboxes: Sandboxes;
  readonly clients: Pick<RunningStack, 'sqs' | 'dynamoDb'>;
  readonly logs: LogGroups;
}

function toRunningStack(
  { secrets, metrics, neighbours, runner }: Run,
  { web, aws, sandboxes, clients, logs, assembly, description, access }: Started,
): Omit<RunningStack, 'stop'> {
  if (!runner) throw new Error('the functions were not started');
  const sources = description.eventSources.flatMap(({ queueArn }) =>
    description.queues.filter(({ arn }) => arn === queueArn).map(({ url }) => url),
  );
  return {
    ...sandboxes,
    ...sandboxes.shops[0],
    ...clients,
    name: assembly.stackName,
    description,
    outputs: {
      ...description.outputs,
      WebhookAddress: web.webhooks.address,
      ...(web.points && { PointsAddress: web.points.address }),
      ...(web.storefront && { StorefrontAddress: web.storefront.address }),
    },
    endpoint: aws.endpoint,
    metricsAddress: aws.metricsAddress,
    neighbours,
    keys: secrets,
    access,
    logs,
    metrics,
    functions: runner,
    async waiting() {
      const counts = await Promise.all(sources.map((url) => countMessages(clients.sqs, url)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

async function countMessages(sqs: SQS, url: string): Promise<number> {
  const { Attributes: counts = {} } = await sqs.getQueueAttributes({
    QueueUrl: url,
    AttributeNames: ['All'],
  });
  return (
    Number(counts.ApproximateNumberOfMessages) +
    Number(counts.ApproximateNumberOfMessagesNotVisible) +
    Number(counts.ApproximateNumberOfMessagesDelayed)
  );
}
