import type { PricedStack } from './describe-stack.ts';
import { PRICES } from './prices.ts';

/**
 * What AWS gives every account each month, for ever ("Always free"); DynamoDB's requests are not in it, since
 * the table is billed by request, nor are secrets.
 */
const ALWAYS_FREE = { alarmMetrics: 10, ownMetrics: 10, dashboards: 3, sqsRequests: 1_000_000 };

/** What a webhook is assumed to cost in time and bytes. Docs/cost.md explains each. */
const WORKLOAD = {
  receiverMs: 15,
  workerMs: 170,
  /** Of a message that leads to no call. */
  idleWorkerMs: 15,
  /** At quiet times a FIFO event source hands over single messages. */
  messagesPerBatch: 1,
  /** Sending, receiving and deleting. */
  queueRequests: 3,
  /** Of an order that is sent: its shop's control record, its entry, and two of its customer. Two for no change. */
  ledgerReads: 4,
  /** Two for what is sent, one for no change. */
  ledgerWrites: 2,
  webhooksPerEntity: 4,
  ledgerItemKb: 1,
  logKb: 1.5,
  /** A process keeps a secret for five minutes. */
  secretCallsPerProcess: 30 * 24 * 12,
  reconcileSeconds: 10,
} as const;

/** Lambda asks an idle queue by five connections that wait 20 s each. */
const IDLE_REQUESTS_PER_QUEUE = (5 * 30 * 86_400) / 20;

export interface CostLine {
  readonly what: string;
  /** US dollars a month. */
  readonly dollars: number;
}

export interface MonthlyCost {
  readonly perWebhook: readonly CostLine[];
  /** Paid without a single webhook, too. */
  readonly fixed: readonly CostLine[];
  readonly total: number;
}

const KB_PER_GB = 1_000_000;

export function monthlyCost(
  stack: PricedStack,
  webhooks: number,
  { orderRetentionDays }: { readonly orderRetentionDays: number },
): MonthlyCost {
  const { dynamoDb, cloudWatch, secret } = PRICES;
  const work = WORKLOAD;
  const batches = webhooks / work.messagesPerBatch;
  const entities = (webhooks / work.webhooksPerEntity) * (orderRetentionDays / 30);
  const ledgerGb = (entities * work.ledgerItemKb) / KB_PER_GB;
  const logGb = (webhooks * work.logKb) / KB_PER_GB;
  const storage = dynamoDb.storagePerGbMonth + (stack.recovery ? dynamoDb.recoveryPerGbMonth : 0);
  // One process of each function that stays warm; each reads one secret (the receiver) or two.
  const processes = 1 + 2 * stack.eventSources;
  const secretCalls = Math.min(3 * webhooks, processes * work.secretCallsPerProcess);

  const perWebhook = [
    { what: 'Lambda, receiver', dollars: run(webhooks, work.receiverMs, stack.receiverMb) },
    { what: 'Lambda, workers', dollars: run(batches, work.workerMs, stack.workerMb) },
    { what: 'SQS', dollars: webhooks * work.queueRequests * PRICES.sqsFifoPerRequest },
    {
      what: 'DynamoDB, requests',
      dollars:
        webhooks * (work.ledgerReads * dynamoDb.perRead + work.ledgerWrites * dynamoDb.perWrite),
    },
    { what: 'DynamoDB, storage and recovery, once full', dollars: ledgerGb * storage },
    {
      what: 'CloudWatch, logs',
      dollars:
        logGb *
        (cloudWatch.logPerGb + (cloudWatch.logStoragePerGbMonth * stack.logRetentionDays) / 30),
    },
    { what: 'Secrets Manager, calls', dollars: secretCalls * secret.perCall },
    ...(stack.httpApi ? [{ what: 'HTTP API', dollars: webhooks * PRICES.httpApiPerRequest }] : []),
  ];
  const fixed = [
    {
      what: `asking ${stack.eventSources} queues for work`,
      dollars: stack.eventSources * IDLE_REQUESTS_PER_QUEUE * PRICES.sqsFifoPerRequest,
    },
    {
      what: `alarms (${stack.alarmMetrics} metrics)`,
      dollars: stack.alarmMetrics * cloudWatch.alarmPerMetric,
    },
    {
      what: `figures of its own (${stack.ownMetrics} metrics)`,
      dollars: stack.ownMetrics * cloudWatch.metricPerMonth,
    },
    { what: 'dashboard', dollars: stack.dashboards * cloudWatch.dashboardPerMonth },
    { what: `${stack.secrets} secrets`, dollars: stack.secrets * secret.perMonth },
    { what: 'keys', dollars: stack.keys * PRICES.keyPerMonth },
    {
      what: `reconcile (${Math.round(stack.reconcileRuns)} runs)`,
      dollars: run(stack.reconcileRuns, work.reconcileSeconds * 1000, stack.reconcileMb),
    },
  ];
  const paid = fixed.filter(({ dollars }) => dollars > 0);
  return { perWebhook, fixed: paid, total: sum([...perWebhook, ...paid]) };
}

function run(times: number, ms: number, mb: number): number {
  const { perRequest, perGbSecondArm } = PRICES.lambda;
  return times * (perRequest + ((ms / 1000) * mb * perGbSecondArm) / 1024);
}

/** What was counted while something happened in a store. */
export interface CountedWork {
  readonly deliveries: number;
  /** Of the deliveries and of reconcile. */
  readonly messages: number;
  readonly queueRequests: number;
  readonly ledgerReads: number;
  readonly ledgerWrites: number;
  /** To the loyalty service. */
  readonly calls: number;
}

/** US dollars, with the times and bytes that a month is counted with. */
export function costOfWork(stack: PricedStack, work: CountedWork): number {
  const { dynamoDb, cloudWatch, sqsFifoPerRequest } = PRICES;
  const { receiverMs, workerMs, idleWorkerMs, logKb } = WORKLOAD;
  return (
    run(work.deliveries, receiverMs, stack.receiverMb) +
    run(work.calls, workerMs, stack.workerMb) +
    run(work.messages - work.calls, idleWorkerMs, stack.workerMb) +
    work.queueRequests * sqsFifoPerRequest +
    work.ledgerReads * dynamoDb.perRead +
    work.ledgerWrites * dynamoDb.perWrite +
    ((work.messages * logKb) / KB_PER_GB) * cloudWatch.logPerGb
  );
}

/** The fixed part in an account in which nothing else uses the free tier. */
export function fixedAfterFreeTier(stack: PricedStack): number {
  const beyond = (count: number, free: number) => Math.max(count - free, 0);
  const { cloudWatch, secret } = PRICES;
  const polls = stack.eventSources * IDLE_REQUESTS_PER_QUEUE;
  return (
    beyond(polls, ALWAYS_FREE.sqsRequests) * PRICES.sqsFifoPerRequest +
    beyond(stack.alarmMetrics, ALWAYS_FREE.alarmMetrics) * cloudWatch.alarmPerMetric +
    beyond(stack.ownMetrics, ALWAYS_FREE.ownMetrics) * cloudWatch.metricPerMonth +
    beyond(stack.dashboards, ALWAYS_FREE.dashboards) * cloudWatch.dashboardPerMonth +
    stack.secrets * secret.perMonth +
    stack.keys * PRICES.keyPerMonth
  );
}

export function sum(lines: readonly CostLine[]): number {
  return lines.reduce((total, { dollars }) => total + dollars, 0);
}
