// The stack of a load run without queues and table: gateway, functions, store and loyalty service.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { startStack } from '../../local/stack/running-stack.ts';
import type { Ports } from '../../local/stack/start-options.ts';
import type { FunctionDescription } from '../../local/stack/template/describe-resources.ts';
import { readAssembly, type Template } from '../../local/stack/template/template.ts';
import type { Shop } from '../../shared/config/connector-config.ts';
import { answerQuestions, reportReady } from '../answering-process.ts';
import type { AwsReady } from './aws-process.ts';
import { openLineFile, writeDeliveries } from './delivery-record.ts';
import connector from './two-shops.config.ts';

export interface StackTask {
  readonly assemblyFolder: string;
  readonly stackName: string;
  readonly dataFolder: string;
  readonly logFile: string;
  readonly deliveriesFile: string;
  readonly ports: Ports;
  readonly emulators: AwsReady;
  readonly deliveriesAtOnce: number;
  /** For the eight retries, which the real store makes within four hours. */
  readonly retryTimeScale: number;
  /** For messages of a killed worker; the template has 24 minutes. */
  readonly visibilitySeconds: number;
  readonly throttled?: ThrottledShop;
}

/** Its account at the loyalty service takes so few calls, and its store has the bucket of the smallest plan. */
export interface ThrottledShop {
  readonly domain: string;
  readonly callsPerSecond: number;
}

export interface StackReady {
  /** The addresses of the stores, by shop. */
  readonly stores: Readonly<Record<string, string>>;
  readonly ledgerTable: string;
}

export interface FunctionProcess {
  /** The name of the folder in functions/. */
  readonly name: string;
  readonly pid: number;
}

export interface Progress {
  /** How many each store has created so far. */
  readonly webhooks: Readonly<Record<string, number>>;
  readonly undelivered: number;
  /** How many failed at every try. */
  readonly givenUp: number;
  /** Messages on queues, visible or not. Undefined when the queues do not answer. */
  readonly queued?: number;
  readonly dead: number;
  /** Point events that the loyalty service has not sent yet. */
  readonly pendingEvents: number;
}

export type StackQuestion =
  | { readonly kind: 'processes' | 'progress' | 'reconcile' | 'stop' }
  /** Changes how the loyalty service behaves. */
  | { readonly kind: 'loyalty'; readonly is: 'well' | 'slow' | 'down' };

const SLOW_MS = 1_000;
const RECORD_EVERY_MS = 500;

const task = JSON.parse(process.argv[2] ?? '') as StackTask;
const assembly = readAssembly(task.assemblyFolder, task.stackName);
const stack = await startStack({
  connector,
  assembly: Promise.resolve({ ...assembly, template: withVisibility(assembly.template) }),
  ports: task.ports,
  dataFolder: task.dataFolder,
  emulators: task.emulators,
  storeSettings: (shop) => ({
    deliveriesAtOnce: task.deliveriesAtOnce,
    retryPausesSeconds: [60, 120, 300, 600, 1_200, 2_400, 3_600, 6_120],
    retryTimeScale: task.retryTimeScale,
    ...(!limitOf(shop) && { bucketSize: 1_000_000, restorePerSecond: 100_000 }),
  }),
  loyaltySettings: (shop) => ({ rateLimit: { perSecond: limitOf(shop) } }),
  // Problems are expected while queues and table are down.
  onProblem: () => {},
});
const isSource = (arn: string) =>
  stack.description.eventSources.some(({ queueArn }) => queueArn === arn);
const dead = stack.description.queues.filter(({ arn }) => !isSource(arn));

const log = openLineFile(task.logFile);
stack.logs.onLine(({ text }) => {
  if (!text.startsWith('{"_aws"')) log.write(text);
});
const deliveriesFile = openLineFile(task.deliveriesFile);
const deliveries = stack.shops.map(({ store }) => writeDeliveries(deliveriesFile, store));
const record = () => {
  for (const some of deliveries) some.write();
};
setInterval(record, RECORD_EVERY_MS).unref();

const nameOf = nameFunctions(stack.description.functions);

answerQuestions<StackQuestion>(async (question) => {
  switch (question.kind) {
    case 'processes':
      return stack.functions.processes.map(({ of, pid }) => ({ name: nameOf(of), pid }));
    case 'progress':
      return readProgress();
    case 'loyalty':
      for (const { loyalty } of stack.shops) {
        loyalty.faults.clear();
        if (question.is === 'slow') loyalty.faults.add({ kind: 'latency', ms: SLOW_MS });
        if (question.is === 'down') loyalty.faults.add({ kind: 'outage' });
      }
      return undefined;
    case 'reconcile':
      for (const schedule of stack.description.schedules) {
        await stack.functions.runSchedule(schedule);
      }
      return undefined;
    case 'stop':
      record();
      return stack.stop();
  }
});
reportReady({
  stores: Object.fromEntries(stack.shops.map(({ shop, store }) => [shop.domain, store.address])),
  ledgerTable: stack.description.tables[0]?.name ?? '',
} satisfies StackReady);

/** Calls per second; 0: no limit. */
function limitOf({ domain }: Shop): number {
  return task.throttled?.domain === domain ? task.throttled.callsPerSecond : 0;
}

/** Changes only the visibility time-out of the workers' queues. */
function withVisibility(template: Template): Template {
  const resources = Object.entries(template.Resources).map(([id, resource]) => {
    const { VisibilityTimeout } = resource.Properties ?? {};
    if (resource.Type !== 'AWS::SQS::Queue' || VisibilityTimeout === undefined) {
      return [id, resource];
    }
    const properties = { ...resource.Properties, VisibilityTimeout: task.visibilitySeconds };
    return [id, { ...resource, Properties: properties }];
  });
  return { ...template, Resources: Object.fromEntries(resources) };
}

async function readProgress(): Promise<Progress> {
  const all = stack.shops.flatMap(({ store }) => store.deliveries.all());
  // Fails while queues and table restart.
  const queued = await stack.waiting().catch(() => undefined);
  return {
    webhooks: Object.fromEntries(
      stack.shops.map(({ shop, store }) => [
        shop.domain,
        store.deliveries.all().reduce((most, { n }) => Math.max(most, n), 0),
      ]),
    ),
    undelivered: all.filter(({ state }) => state === 'waiting').length,
    givenUp: all.filter(({ state }) => state === 'failed').length,
    ...(queued !== undefined && { queued }),
    dead: await countDead().catch(() => 0),
    pendingEvents: stack.shops
      .flatMap(({ loyalty }) => loyalty.events.all())
      .filter(({ delivery }) => (delivery?.state ?? 'pending') === 'pending').length,
  };
}

async function countDead(): Promise<number> {
  let count = 0;
  for (const { url } of dead) {
    const { Attributes: { ApproximateNumberOfMessages: some = '0' } = {} } = await stack.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
    );
    count += Number(some);
  }
  return count;
}

/** The template names a function's code by a hash, so the name is found by comparing bundles. */
function nameFunctions(
  functions: readonly FunctionDescription[],
): (of: FunctionDescription) => string {
  const code = (folder: string) => readFileSync(join(folder, 'index.js'), 'utf8');
  const bundles = join(task.assemblyFolder, 'bundles/assets');
  const named = new Map(readdirSync(bundles).map((name) => [code(join(bundles, name)), name]));
  const names = new Map(
    functions.map(({ name, assetKey }) => [name, named.get(code(assembly.assetFolder(assetKey)))]),
  );
  return ({ name }) => names.get(name) ?? name;
}
