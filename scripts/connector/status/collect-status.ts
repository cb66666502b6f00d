import { setTimeout as sleep } from 'node:timers/promises';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { listNotices } from '../../../shared/aws/read-ledger.ts';
import type { Connector, Shop } from '../../../shared/config/connector-config.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { isOpenDoubt } from '../../../shared/core/ledger/entry.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { readFindings } from '../../../shared/core/reconcile/deep-scan.ts';
import { readLastReconcile, sumOf } from '../../../shared/core/reconcile/last-reconcile.ts';
import { type Deployment, QUEUE_OUTPUTS } from '../deployment/deployment.ts';
import { readPauses } from '../pause/read-pauses.ts';
import { readWaiting, type WaitingInShop } from '../pause/waiting-messages.ts';
import { readCredentials } from '../secrets/read-secret.ts';
import { readSubscriptions } from '../webhooks/webhooks.ts';
import {
  createCloudWatchFigures,
  createLocalFigures,
  type ReadFigures,
  readLastDay,
  readLastHour,
  readOldestAges,
} from './figures.ts';
import type { Known, QueueStatus, ReconcileStatus, Status, WaitingStatus } from './status-model.ts';

const NO_FIGURES = {
  kind: 'unknown',
  why: "deployment.monitoring is 'basic', which writes no figures",
} as const;

/** Of each shop. More would say no more, and take longer than a person waits. */
const MOST_WAITING = 1_000;

/** Reads all parts in parallel; a part that cannot be read is shown as unknown. */
export async function collectStatus(
  deployment: Deployment,
  explain: (error: unknown) => string,
  { now, charts }: { readonly now: Date; readonly charts: boolean },
): Promise<Status> {
  const { aws, output, connector } = deployment;
  const { readFigures, readAges } = metricsOf(deployment, now);
  const client = new DynamoDB(aws);
  const ledger = () => ({
    ...{ client, table: output('LedgerTable'), pause: sleep, random: Math.random },
  });
  const attempt = async <Value>(read: () => Promise<Value>): Promise<Known<Value>> => {
    try {
      return known(await read());
    } catch (error) {
      return { kind: 'unknown', why: explain(error) };
    }
  };
  const shops = connector.shops.map(({ domain }) => domain);
  const figures = async <Value>(read: () => Promise<Value>) =>
    connector.deployment.monitoring === 'basic' ? NO_FIGURES : attempt(read);
  const [
    counts,
    ages,
    lastHour,
    lastDay,
    waiting,
    reconcile,
    notices,
    pauses,
    credentials,
    subscriptions,
  ] = await Promise.all([
    attempt(() => readQueues(new SQSClient(aws), deployment)),
    attempt(readAges),
    figures(() => readLastHour(readFigures, now, { chart: charts })),
    charts ? figures(() => readLastDay(readFigures, now)) : undefined,
    attempt(() => readWaiting(deployment, shops, now, MOST_WAITING)),
    attempt(() => readReconciles(createDynamoDbLedger(ledger()), connector.shops)),
    attempt(async () => {
      const notices = shops.map((shop) => listNotices(ledger(), shop));
      return (await Promise.all(notices)).flat();
    }),
    attempt(() => readPauses(createDynamoDbLedger(ledger()), connector.shops, now)),
    readCredentials(
      new SecretsManagerClient(aws),
      output('SecretsPrefix'),
      connector.shops,
      explain,
    ),
    readSubscriptions(deployment),
  ]);
  const queues = counts.kind === 'known' ? known(withAges(counts.value, ages)) : counts;
  return {
    at: now.toISOString(),
    queues,
    lastHour,
    ...(lastDay && { lastDay }),
    waiting: waiting.kind === 'known' ? known(groupWaiting(waiting.value, queues)) : waiting,
    reconcile,
    notices,
    pauses,
    credentials,
    subscriptions,
  };
}

const known = <Value>(value: Value): Known<Value> => ({ kind: 'known', value });

/** By shop and by what they wait for. Where a queue is empty, its records are those of settled messages. */
function groupWaiting(
  waiting: readonly WaitingInShop[],
  queues: Status['queues'],
): readonly WaitingStatus[] {
  const empty = new Set(
    queues.kind === 'unknown'
      ? []
      : queues.value.filter((one) => one.waiting + one.inFlight === 0).map(({ family }) => family),
  );
  const left = waiting.filter(({ queue }) => !empty.has(queue));
  const groups = Map.groupBy(left, ({ shop, waitsFor }) => `${waitsFor} ${shop}`);
  return [...groups.values()].flatMap((messages) => {
    const [next] = messages;
    if (!next) return [];
    const since = Math.min(...messages.map((one) => one.since));
    return {
      ...{ shop: next.shop, waitsFor: next.waitsFor, messages: messages.length },
      since: new Date(since).toISOString(),
      nextTry: new Date(next.until).toISOString(),
      whys: [...new Set(messages.map(({ why }) => why))],
    };
  });
}

/** CloudWatch, or its replacement on this machine. */
export function metricsOf(
  { aws, output, sandbox, connector }: Deployment,
  now: Date,
): { readonly readFigures: ReadFigures; readonly readAges: () => Promise<Ages> } {
  if (sandbox) {
    return {
      readFigures: createLocalFigures(async (since) => {
        const answer = await fetch(`${sandbox.metricsAddress}?since=${since.getTime()}`);
        return answer.json();
      }),
      // SQS itself reports no age, and there is no CloudWatch here.
      readAges: async () => ({}),
    };
  }
  const client = new CloudWatchClient(aws);
  return {
    readFigures: createCloudWatchFigures(client, output('MetricsNamespace'), now),
    async readAges() {
      const families = deployedFamilies(connector);
      const names = families.map((family) => nameOf(output(QUEUE_OUTPUTS[family].queue)));
      const ages = await readOldestAges(client, names, now);
      return Object.fromEntries(families.map((family, index) => [family, ages[index]]));
    },
  };
}

const nameOf = (queueUrl: string) => queueUrl.slice(queueUrl.lastIndexOf('/') + 1);

/** The last reconcile run of every shop, from the ledger. */
async function readReconciles(
  ledger: Pick<Ledger, 'readMany'>,
  shops: readonly Shop[],
): Promise<readonly ReconcileStatus[]> {
  return Promise.all(
    shops.map(async ({ domain: shop }) => {
      const [last, ordersRead, { doubt }] = await Promise.all([
        readLastReconcile(ledger, shop),
        readFindings(ledger, shop),
        readControl(ledger, shop),
      ]);
      return {
        shop,
        endedAt: last?.endedAt,
        looked: sumOf(last?.lookedAt),
        healed: sumOf(last?.healed),
        rolledOut: sumOf(last?.rolledOut),
        stopped: (last?.stopped ?? []).map(({ kind, why }) => `${kind} ${why}`),
        balances: last?.balances,
        ordersRead,
        recoversSince: isOpenDoubt(doubt) ? new Date(doubt.until).toISOString() : undefined,
      };
    }),
  );
}

const FAMILIES: readonly QueueFamily[] = ['orders', 'products', 'coupons'];

/** The queues of a deployment: balances only where the storefront is deployed. */
export function deployedFamilies({
  storefront,
}: Pick<Connector, 'storefront'>): readonly QueueFamily[] {
  return storefront ? [...FAMILIES, 'balances'] : FAMILIES;
}

type QueueCounts = Omit<QueueStatus, 'oldestSeconds' | 'oldestWhy'>;

export async function readQueues(
  client: SQSClient,
  { output, connector }: Pick<Deployment, 'output' | 'connector'>,
): Promise<readonly QueueCounts[]> {
  return Promise.all(
    deployedFamilies(connector).map(async (family) => {
      const [source, dead] = await Promise.all([
        count(client, output(QUEUE_OUTPUTS[family].queue)),
        count(client, output(QUEUE_OUTPUTS[family].letters)),
      ]);
      return { family, ...source, dead: dead.waiting + dead.inFlight };
    }),
  );
}

/** Seconds that the oldest message of each queue has waited; undefined when there is no recent value. */
type Ages = Readonly<Partial<Record<QueueFamily, number | undefined>>>;

/** Counts are useful without ages, but not the reverse. */
export function withAges(counts: readonly QueueCounts[], ages: Known<Ages>): QueueStatus[] {
  return counts.map((queue) => {
    if (queue.waiting + queue.inFlight === 0) return { ...queue, oldestSeconds: 0 };
    return ages.kind === 'known'
      ? { ...queue, oldestSeconds: ages.value[queue.family] }
      : { ...queue, oldestSeconds: undefined, oldestWhy: ages.why };
  });
}

async function count(client: SQSClient, queueUrl: string) {
  const { Attributes: found = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    }),
  );
  const number = (text: string | undefined) => Number(text ?? 0);
  return {
    waiting:
      number(found.ApproximateNumberOfMessages) + number(found.ApproximateNumberOfMessagesDelayed),
    inFlight: number(found.ApproximateNumberOfMessagesNotVisible),
  };
}
