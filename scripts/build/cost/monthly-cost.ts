import type { PricedStack } from './describe-stack.ts';
import { IDLE_REQUESTS_PER_QUEUE, PRICES, WORKLOAD } from './prices.ts';

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
  const { lambda, dynamoDb, cloudWatch, secret } = PRICES;
  const work = WORKLOAD;
  const batches = webhooks / work.messagesPerBatch;
  const run = (times: number, ms: number, mb: number) =>
    times * (lambda.perRequest + ((ms / 1000) * mb * lambda.perGbSecondArm) / 1024);
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
      what: `figures of its own (${work.metricsWritten} metrics)`,
      dollars: work.metricsWritten * cloudWatch.metricPerMonth,
    },
    { what: 'dashboard', dollars: stack.dashboards * cloudWatch.dashboardPerMonth },
    { what: `${stack.secrets} secrets`, dollars: stack.secrets * secret.perMonth },
    { what: 'key of the alarm topic', dollars: stack.keys * PRICES.keyPerMonth },
    {
      what: `reconcile (${Math.round(stack.reconcileRuns)} runs)`,
      dollars: run(stack.reconcileRuns, work.reconcileSeconds * 1000, stack.reconcileMb),
    },
  ];
  return { perWebhook, fixed, total: sum([...perWebhook, ...fixed]) };
}

export function sum(lines: readonly CostLine[]): number {
  return lines.reduce((total, { dollars }) => total + dollars, 0);
}
