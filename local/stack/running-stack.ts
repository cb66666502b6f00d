import type { SQS } from '@aws-sdk/client-sqs';
import type { FunctionRunner } from './functions/function-runner.ts';
import type { RunSecrets } from './run-secrets.ts';
import {
  createResources,
  createRun,
  describe,
  type Part,
  type Run,
  type StackOptions,
  startAws,
  startFunctions,
  startWebServers,
} from './start-parts.ts';
import { defineBalances, hasSandbox, startSandboxes, subscribe } from './start-sandboxes.ts';

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

async function startParts(run: Run) {
  const web = await startWebServers(run);
  const aws = await startAws(run);
  const sandboxes = await startSandboxes(run, web);
  const stack = await describe(run, aws, web);
  const { assembly, description, access } = stack;
  const { sqs, dynamoDb } = await createResources(run, aws, description);
  const { logs, runner } = await startFunctions(run, aws, sandboxes.shops, stack);
  const { connector, isNew } = run.options;
  for (const { store, shop } of isNew ? [] : sandboxes.shops) {
    if (hasSandbox(shop)) await subscribe(store, shop, web.webhooks.address, connector.healing);
    if (connector.storefront) {
      await defineBalances(store, shop.domain, connector.storefront.metafieldNamespace);
    }
  }
  const sources = description.eventSources.flatMap(({ queueArn }) =>
    description.queues.filter(({ arn }) => arn === queueArn).map(({ url }) => url),
  );
  const outputs: Readonly<Record<string, string>> = {
    ...description.outputs,
    WebhookAddress: web.webhooks.address,
    ...(web.points && { PointsAddress: web.points.address }),
    ...(web.storefront && { StorefrontAddress: web.storefront.address }),
  };
  /** Their policies are the template's; the administrator may do everything. */
  const keys: Pick<RunSecrets, 'administrator' | 'operator' | 'readOnlyOperator'> = run.secrets;
  const functions: Pick<FunctionRunner, 'invoke' | 'runSchedule' | 'processes' | 'isRunning'> =
    runner;
  return {
    ...sandboxes,
    ...sandboxes.shops[0],
    name: assembly.stackName,
    description,
    outputs,
    endpoint: aws.endpoint,
    metricsAddress: aws.metricsAddress,
    /** Which other pages the sandboxes' own lead to. */
    neighbours: run.neighbours,
    keys,
    access,
    logs,
    metrics: run.metrics,
    functions,
    /** With the administrator's key. */
    sqs,
    dynamoDb,
    /** How many messages the queues of the functions hold, visible or not. */
    async waiting() {
      const counts = await Promise.all(sources.map((url) => countMessages(sqs, url)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

/** With the members of the first shop as its own. */
export type RunningStack = Awaited<ReturnType<typeof startParts>> & Part;

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
