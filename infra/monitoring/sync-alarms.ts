import { Duration } from 'aws-cdk-lib';
import {
  HEALED_PERCENT,
  OLDEST_MESSAGE_MINUTES,
  RECONCILE_MINUTES,
  TROUBLE,
} from '../../shared/config/metrics.ts';
import {
  type AlarmDefinition,
  absent,
  allFunctions,
  allQueues,
  atLeast,
  type Monitored,
  ONE_HOUR,
  ownMetric,
  sumOf,
} from './alarm-definition.ts';

const MINUTES_5 = Duration.minutes(5);
const DAY = Duration.days(1);
/** One run may fail while the next is still running. */
const RUNS_MISSED = 3;
/** CloudWatch looks back at most a week. */
const WEEK_IN_DAYS = 7;
/** Half of what SQS allows ("Amazon SQS FIFO queue quotas"): beyond, it hands out nothing more. */
const MANY_IN_FLIGHT = 60_000;

export function queueAlarms(monitored: Monitored): AlarmDefinition[] {
  const maximum = { statistic: 'Maximum', period: MINUTES_5 };
  return allQueues(monitored).flatMap(([name, { source, deadLetters }]): AlarmDefinition[] => [
    {
      id: `dead-letters-${name}`,
      heading: 'Dead letters',
      urgency: 'today',
      message: `The ${name} queue has dead letters: messages that could not be delivered and need a person.`,
      command: 'dead-letters list',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
      // A command that reads a dead letter hides it, for less than an hour.
      condition: atLeast(1, { outOf: ONE_HOUR }),
    },
    {
      id: `dead-letters-expire-${name}`,
      heading: 'Dead letters expire',
      urgency: 'today',
      message: `The ${name} queue has had dead letters on each of the last ${WEEK_IN_DAYS} days: SQS deletes a dead letter after 14 days.`,
      command: 'dead-letters list',
      // Not the age of the oldest: SQS leaves dead letters out of it that a command has read several times.
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ ...maximum, period: DAY }),
      condition: atLeast(1, { times: WEEK_IN_DAYS }),
    },
    {
      id: `oldest-message-${name}`,
      heading: 'Oldest message',
      urgency: 'now',
      message: `A message has been waiting in the ${name} queue for more than ${OLDEST_MESSAGE_MINUTES} minutes.`,
      command: 'status',
      metric: source.metricApproximateAgeOfOldestMessage(maximum),
      condition: atLeast(OLDEST_MESSAGE_MINUTES * 60, { times: 2, outOf: 3 }),
      level: 'both',
    },
    {
      id: `many-in-flight-${name}`,
      heading: 'Many messages in flight',
      urgency: 'now',
      message: `${MANY_IN_FLIGHT} messages of the ${name} queue wait for their next attempt: at twice as many SQS hands out nothing more.`,
      command: 'status',
      metric: source.metricApproximateNumberOfMessagesNotVisible(maximum),
      condition: atLeast(MANY_IN_FLIGHT),
    },
  ]);
}

export function workerAlarms({ metricsNamespace }: Monitored): AlarmDefinition[] {
  return [
    {
      heading: 'Messages stuck',
      urgency: 'now',
      message: `Messages have been failing and retried for more than ${OLDEST_MESSAGE_MINUTES} minutes.`,
      command: 'status',
      metric: ownMetric(metricsNamespace, 'stuck'),
      // A late retry waits for up to half an hour.
      condition: atLeast(1, { outOf: ONE_HOUR }),
    },
    {
      id: 'misconfigured',
      heading: 'Credentials or settings refused',
      urgency: 'now',
      message:
        'The loyalty service or the store refuses the credentials or the address: nothing is synced until a person acts.',
      command: 'doctor',
      metric: ownMetric(metricsNamespace, 'misconfigured'),
      // Workers try again at most every half hour.
      condition: atLeast(1, { outOf: ONE_HOUR }),
    },
    {
      id: 'loyalty-throttles',
      heading: 'Loyalty service throttles',
      urgency: 'today',
      message: 'The loyalty service has been asking for fewer calls for an hour.',
      command: 'status',
      metric: ownMetric(metricsNamespace, 'throttled'),
      condition: atLeast(1, { times: 10, outOf: ONE_HOUR }),
    },
    {
      id: 'waits-long',
      heading: 'Waits for long',
      urgency: 'now',
      message:
        'Messages have waited for seven days, in a paused shop or for the rate limit: they become dead letters after 13.',
      command: 'status',
      metric: ownMetric(metricsNamespace, 'waits-long'),
      // A message that waits returns at least every hour and a half.
      condition: atLeast(1, { outOf: 2 * ONE_HOUR }),
    },
    {
      heading: 'Work broke off',
      urgency: 'today',
      message: 'A worker stopped at an unexpected error; the message stays on its queue.',
      command: 'status',
      metric: ownMetric(metricsNamespace, 'crash'),
      condition: atLeast(1, { outOf: ONE_HOUR }),
    },
    {
      heading: 'Trouble',
      urgency: 'today',
      message: 'Something needs a person.',
      command: 'status',
      metric: ownMetric(metricsNamespace, TROUBLE),
      condition: atLeast(1, { outOf: ONE_HOUR }),
      level: 'basic',
    },
  ];
}

/** Metrics that AWS writes about the functions and the table. */
export function awsAlarms(monitored: Monitored): AlarmDefinition[] {
  const sum = { statistic: 'Sum', period: MINUTES_5 };
  const { table, indexNames } = monitored.ledger;
  return [
    ...allFunctions(monitored)
      // Its errors and time-outs are 5xx answers, which have their own alarm.
      .filter(([name]) => name !== 'receive-webhook')
      .map(
        ([name, one]): AlarmDefinition => ({
          id: `function-errors-${name}`,
          heading: 'Function errors',
          urgency: 'now',
          message: `The function ${name} failed, ran out of memory or timed out.`,
          command: 'status',
          metric: one.metricErrors(sum),
          condition: atLeast(1, { outOf: ONE_HOUR }),
          // Of the others, the age of a queue or the receiver's own alarm shows it.
          level: name === 'reconcile' ? 'both' : 'full',
        }),
      ),
    {
      heading: 'Ledger throttled',
      urgency: 'today',
      message: 'DynamoDB throttles reads or writes of the ledger.',
      command: 'status',
      metric: sumOf(
        [
          table.metric('ReadThrottleEvents', { ...sum, label: 'reads' }),
          table.metric('WriteThrottleEvents', { ...sum, label: 'writes' }),
          // Throttled separately: the codes of one discount share a key of their index, and all dead letters one of theirs.
          ...indexNames.map((name) =>
            table.metric('WriteThrottleEvents', {
              ...sum,
              dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: name },
              label: `writes of ${name}`,
            }),
          ),
        ],
        'throttled requests',
      ),
      condition: atLeast(1, { times: 3, outOf: ONE_HOUR }),
    },
  ];
}

export function reconciliationAlarms({ metricsNamespace }: Monitored): AlarmDefinition[] {
  const untilNextRun = RECONCILE_MINUTES / 15 + 1;
  const quarters = { period: Duration.minutes(15) };
  return [
    {
      heading: 'Webhooks get lost',
      urgency: 'today',
      message: `Webhooks get lost: reconciliation had to send more than ${HEALED_PERCENT} % of what it compared.`,
      command: 'webhooks check',
      metric: ownMetric(metricsNamespace, 'webhooks-lost', quarters),
      condition: atLeast(1, { outOf: untilNextRun }),
    },
    {
      heading: 'Reconciliation missing',
      urgency: 'today',
      message: `Reconciliation runs every ${RECONCILE_MINUTES} minutes and has not finished ${RUNS_MISSED} times in a row.`,
      command: 'status',
      metric: ownMetric(metricsNamespace, 'reconciled', {
        period: Duration.minutes(RECONCILE_MINUTES),
      }),
      condition: absent(RUNS_MISSED),
    },
    {
      heading: 'Orders differ',
      urgency: 'today',
      message:
        'The loyalty service holds another amount, coupon or state of orders than the store.',
      command: 'status',
      metric: ownMetric(metricsNamespace, 'order-differs'),
      condition: atLeast(1, { notifyOnRecovery: false }),
    },
    {
      heading: 'Subscriptions wrong',
      urgency: 'now',
      message:
        'Webhook subscriptions of a shop are missing or differ from what the connector needs.',
      command: 'webhooks check',
      metric: ownMetric(metricsNamespace, 'subscriptions-wrong', quarters),
      condition: atLeast(1, { outOf: untilNextRun }),
    },
  ];
}
