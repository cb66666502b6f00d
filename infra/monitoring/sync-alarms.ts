import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Service, StorefrontService, WrittenMetric } from '../../shared/config/metrics.ts';
import { type AlarmDefinition, absent, atLeast, ONE_HOUR } from './alarm-definition.ts';
import { allFunctions, allQueues, type Monitored, ownMetric, sumOf, WORKERS } from './metrics.ts';

const MINUTES_5 = Duration.minutes(5);
/** Below this number a percentage says nothing: one of three is no sign of lost webhooks. */
const LEAST_HEALED = 5;
/** One run may fail while the next is still running. */
const RUNS_MISSED = 3;
/** Leaves four days, a weekend included. */
const EXPIRY_WARNING_DAYS = 10;
/** CloudWatch looks back at most one day in periods below an hour. */
const DAY_IN_QUARTERS = 96;

export function queueAlarms(monitored: Monitored): AlarmDefinition[] {
  const { oldestMessageMinutes } = monitored.connector.alarms;
  const maximum = { statistic: 'Maximum', period: MINUTES_5 };
  return allQueues(monitored).flatMap(([name, { source, deadLetters }]): AlarmDefinition[] => [
    {
      id: `dead-letters-${name}`,
      heading: 'Dead letters',
      urgency: 'today',
      message: `The ${name} queue has dead letters: messages that could not be delivered and need a person.`,
      command: 'dead-letters list',
      // A command that reads a dead letter hides it for a while.
      metric: sumOf(
        [
          deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
          deadLetters.metricApproximateNumberOfMessagesNotVisible(maximum),
        ],
        `dead letters, ${name}`,
      ),
      condition: atLeast(1),
    },
    {
      id: `dead-letters-expire-${name}`,
      heading: 'Dead letters expire',
      urgency: 'today',
      message: `A dead letter of the ${name} queue is ${EXPIRY_WARNING_DAYS} days old: SQS deletes it after 14 days.`,
      command: 'dead-letters list',
      metric: deadLetters.metricApproximateAgeOfOldestMessage(maximum),
      condition: atLeast(EXPIRY_WARNING_DAYS * 86_400),
    },
    {
      id: `oldest-message-${name}`,
      heading: 'Oldest message',
      urgency: 'now',
      message: `A message has been waiting in the ${name} queue for more than ${oldestMessageMinutes} minutes.`,
      command: 'status',
      metric: source.metricApproximateAgeOfOldestMessage(maximum),
      condition: atLeast(oldestMessageMinutes * 60, { times: 2, outOf: 3 }),
    },
  ]);
}

export function workerAlarms({ metricsNamespace, storefront }: Monitored): AlarmDefinition[] {
  const workers = [...WORKERS, ...(storefront ? (['sync-balances'] as const) : [])];
  const callers = [
    ...workers,
    'reconcile' as const,
    ...(storefront ? (['storefront'] as const) : []),
  ];
  const sum = (
    metric: WrittenMetric,
    services: readonly (Service | StorefrontService)[] = workers,
  ) =>
    sumOf(
      services.map((service) => ownMetric(metricsNamespace, service, metric)),
      metric,
    );
  return [
    {
      id: 'misconfigured',
      heading: 'Credentials or settings refused',
      urgency: 'now',
      message:
        'The loyalty service or the store refuses the credentials or the address: nothing is synced until a person acts.',
      command: 'doctor',
      metric: sum('misconfigured', callers),
      // Workers try again at most every half hour.
      condition: atLeast(1, { outOf: ONE_HOUR }),
    },
    {
      id: 'loyalty-throttles',
      heading: 'Loyalty service throttles',
      urgency: 'today',
      message: 'The loyalty service has been asking for fewer calls for an hour.',
      command: 'status',
      metric: sum('throttled'),
      condition: atLeast(1, { times: 10, outOf: ONE_HOUR }),
    },
    {
      id: 'work-broke-off',
      heading: 'Work broke off',
      urgency: 'today',
      message: 'A worker stopped at an unexpected error; the message stays on its queue.',
      command: 'status',
      metric: sum('crash'),
      condition: atLeast(1, { outOf: ONE_HOUR }),
    },
  ];
}

/** Metrics that AWS writes about the functions and the table. */
export function awsAlarms(monitored: Monitored): AlarmDefinition[] {
  const sum = { statistic: 'Sum', period: MINUTES_5 };
  const { table, codesIndexName } = monitored.ledger;
  const functions = allFunctions(monitored);
  const index = { TableName: table.tableName, GlobalSecondaryIndexName: codesIndexName };
  return [
    ...functions.map(
      ([name, one]): AlarmDefinition => ({
        id: `function-errors-${name}`,
        heading: 'Function errors',
        urgency: 'now',
        message: `The function ${name} failed, ran out of memory or timed out.`,
        command: 'status',
        metric: one.metricErrors(sum),
        condition: atLeast(1, { outOf: ONE_HOUR }),
      }),
    ),
    {
      id: 'functions-throttled',
      heading: 'Functions throttled',
      urgency: 'now',
      message: 'AWS throttles functions because the account has no concurrency left.',
      command: 'doctor',
      metric: sumOf(
        functions.map(([, one]) => one.metricThrottles(sum)),
        'throttled invocations',
      ),
      condition: atLeast(1, { times: 2, outOf: ONE_HOUR }),
    },
    {
      id: 'ledger-throttled',
      heading: 'Ledger throttled',
      urgency: 'today',
      message: 'DynamoDB throttles reads or writes of the ledger.',
      command: 'status',
      metric: sumOf(
        [
          table.metric('ReadThrottleEvents', { ...sum, label: 'reads' }),
          table.metric('WriteThrottleEvents', { ...sum, label: 'writes' }),
          // The index is throttled separately: the codes of one discount share one key of it.
          table.metric('WriteThrottleEvents', {
            ...sum,
            dimensionsMap: index,
            label: 'index writes',
          }),
        ],
        'throttled requests',
      ),
      condition: atLeast(1, { times: 3, outOf: ONE_HOUR }),
    },
  ];
}

export function reconciliationAlarms({
  connector,
  metricsNamespace,
}: Monitored): AlarmDefinition[] {
  const { everyMinutes } = connector.healing;
  const { healedPercent } = connector.alarms;
  const metric = (name: WrittenMetric) => ownMetric(metricsNamespace, 'reconcile', name);
  const quartersToTheNextRun = Math.ceil(everyMinutes / 15) + 1;
  return [
    {
      id: 'webhooks-get-lost',
      heading: 'Webhooks get lost',
      urgency: 'today',
      message: `Webhooks get lost: reconciliation had to send more than ${healedPercent} % of what it compared.`,
      command: 'webhooks check',
      metric: new MathExpression({
        expression: `IF(FILL(healed, 0) >= ${LEAST_HEALED}, 100 * FILL(healed, 0) / looked, 0)`,
        usingMetrics: { healed: metric('healed'), looked: metric('looked-at') },
        label: 'healed, percent',
        period: Duration.minutes(Math.max(everyMinutes, 60)),
      }),
      condition: atLeast(healedPercent, { above: true }),
    },
    {
      id: 'reconciliation-missing',
      heading: 'Reconciliation missing',
      urgency: 'today',
      message: `Reconciliation runs every ${everyMinutes} minutes and has not finished ${RUNS_MISSED} times in a row.`,
      command: 'status',
      metric: metric('reconciled').with({ period: Duration.minutes(everyMinutes) }),
      condition: absent(RUNS_MISSED),
    },
    {
      id: 'orders-differ',
      heading: 'Orders differ',
      urgency: 'today',
      message:
        'The loyalty service holds another amount, coupon or state of orders than the store.',
      command: 'status',
      metric: ownMetric(metricsNamespace, 'reconcile', 'notice', { why: 'order-differs' }),
      condition: atLeast(1, { notifyOnRecovery: false }),
    },
    {
      id: 'subscriptions-wrong',
      heading: 'Subscriptions wrong',
      urgency: 'now',
      message:
        'Webhook subscriptions of a shop are missing or differ from what the connector needs.',
      command: 'webhooks check',
      metric: metric('subscriptions-wrong').with({ period: Duration.minutes(15) }),
      condition: atLeast(1, { outOf: Math.min(quartersToTheNextRun, DAY_IN_QUARTERS) }),
    },
  ];
}
