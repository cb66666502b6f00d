import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import {
  HEALED_PERCENT,
  OLDEST_MESSAGE_MINUTES,
  RECONCILE_MINUTES,
  TROUBLE,
  type WrittenMetric,
} from '../../shared/config/metrics.ts';
import type { DataKey } from '../storage.ts';
import {
  type AlarmDefinition,
  absent,
  allFunctions,
  allQueues,
  atLeast,
  endpointMetrics,
  type Monitored,
  ONE_HOUR,
  ownMetric,
  publicFunctions,
  sumOf,
} from './alarm-definition.ts';

const MINUTES_5 = Duration.minutes(5);
const MINUTES_15 = Duration.minutes(15);
const HOUR = Duration.hours(1);
/** The store waits five seconds in all. */
const SLOW_MS = 3_000;
/** Anyone may call a public address; a wrong secret or token fails every request. */
const MANY_REFUSED = 5;
const MANY_REFUSED_PAGES = 20;
/** In five minutes: more than one slow moment of the loyalty service. */
const MANY_UNANSWERED = 5;
/** In five minutes, one a second: scanners of the internet send a few a day. */
const FLOOD = 300;
/** Pages of a busy shop get many 4xx answers without a fault: not logged in, too few points. */
const FLOOD_OF_PAGES = 3_000;

/** Of a metric that the functions write, in periods of five minutes where none is given. */
const ownAlarms =
  ({ metricsNamespace }: Monitored) =>
  (
    metric: WrittenMetric | typeof TROUBLE,
    condition: Parameters<typeof atLeast>[1],
    { many = 1, period }: { readonly many?: number; readonly period?: Duration } = {},
  ): Pick<AlarmDefinition, 'metric' | 'condition'> => ({
    metric: ownMetric(metricsNamespace, metric, period && { period }),
    condition: atLeast(many, condition),
  });

/** A single event, which has no recovery. */
const ONCE = { notifyOnRecovery: false } as const;

function receiverAlarms(monitored: Monitored): AlarmDefinition[] {
  const { serverErrors, latency } = endpointMetrics(monitored);
  const own = ownAlarms(monitored);
  return [
    {
      heading: 'Receiver fails',
      urgency: 'now',
      message:
        'The receiver answers webhooks with errors. The store repeats each for four hours, then gives up.',
      command: 'doctor',
      metric: serverErrors,
      condition: atLeast(1, { times: 2, outOf: ONE_HOUR }),
      level: 'both',
    },
    {
      heading: 'Receiver is slow',
      urgency: 'today',
      message: `One webhook in a hundred waits more than ${SLOW_MS / 1000} seconds for its answer. After five, the store counts it as failed and sends it again.`,
      command: 'status',
      metric: latency,
      condition: atLeast(SLOW_MS, { times: 3, outOf: 6 }),
    },
    {
      heading: 'Signatures refused',
      urgency: 'now',
      message:
        'The receiver refuses webhooks because their signature does not match the secret of their shop.',
      command: 'doctor',
      ...own('signatures-refused', { outOf: 4 }, { many: MANY_REFUSED, period: MINUTES_15 }),
    },
    {
      heading: 'Older webhook secret',
      urgency: 'today',
      message:
        'Webhooks are still signed with the older secret hours after it was changed: by the store, or by someone else.',
      command: 'status',
      // The store may use it for an hour after a change, and that hour touches two periods.
      ...own('older-secret-used', { times: 3, outOf: 24, ...ONCE }, { period: HOUR }),
    },
    {
      heading: 'Unexpected API version',
      urgency: 'today',
      message: 'The store sends webhooks in a different API version than the connector expects.',
      command: 'webhooks check',
      ...own('unexpected-api-version', { outOf: 24, ...ONCE }, { period: HOUR }),
    },
  ];
}

/**
 * What anyone can do to a public address, also by unknown paths and wrong methods. AWS counts these
 * answers: the functions write nothing about them, so that a flood does not fill the log.
 */
function floodAlarms(monitored: Monitored): AlarmDefinition[] {
  const { clientErrors } = endpointMetrics(monitored);
  const addresses = publicFunctions(monitored);
  return [
    ...addresses.map(([name, one]): AlarmDefinition => {
      const many = name === 'storefront' ? FLOOD_OF_PAGES : FLOOD;
      return {
        id: `many-refused-${name}`,
        heading: 'Many requests refused',
        urgency: 'today',
        message: `The address for ${name} refused ${many} or more requests in five minutes: a flood, or a sender with a wrong address.`,
        command: 'status',
        metric:
          name === 'webhooks'
            ? clientErrors
            : one.metric('Url4xxCount', { statistic: 'Sum', period: MINUTES_5 }),
        condition: atLeast(many, { outOf: ONE_HOUR }),
        level: 'both',
      };
    }),
    {
      heading: 'Functions throttled',
      urgency: 'now',
      message:
        'AWS rejects requests: the account, or one function, has reached its limit of simultaneous runs (concurrency).',
      command: 'doctor',
      metric: sumOf(
        addresses.map(([, one]) => one.metricThrottles({ statistic: 'Sum', period: MINUTES_5 })),
        'throttled requests',
      ),
      condition: atLeast(1, { times: 2, outOf: ONE_HOUR }),
    },
  ];
}

/** Requests of the store that a person must answer. Each is a single event without recovery. */
function noticeAlarms(monitored: Monitored): AlarmDefinition[] {
  const own = ownAlarms(monitored);
  return [
    {
      heading: 'Data request',
      urgency: 'today',
      message: 'A customer asked through the store for the personal data kept about them.',
      command: 'status',
      ...own('data-request', ONCE),
    },
    {
      heading: 'Shop redaction',
      urgency: 'today',
      message: 'The store asks to erase the data of a shop that removed the app.',
      command: 'status',
      ...own('shop-redact', ONCE),
    },
    {
      heading: 'App uninstalled',
      urgency: 'now',
      message: 'A shop removed the app, so it no longer sends webhooks.',
      command: 'doctor',
      ...own('app-uninstalled', ONCE),
    },
  ];
}

function storefrontAlarms(monitored: Monitored): AlarmDefinition[] {
  if (!monitored.storefront) return [];
  const own = ownAlarms(monitored);
  return [
    {
      heading: 'Point events refused',
      urgency: 'today',
      message: 'The connector refuses point events: their token is wrong or missing.',
      command: 'storefront setup',
      ...own('points-refused', { outOf: 4 }, { many: MANY_REFUSED, period: MINUTES_15 }),
    },
    {
      heading: 'Storefront refused',
      urgency: 'today',
      message:
        'The storefront function refuses requests: their signature or session token is not accepted.',
      command: 'doctor',
      ...own('storefront-refused', { outOf: 4 }, { many: MANY_REFUSED_PAGES, period: MINUTES_15 }),
    },
    {
      heading: 'Storefront unavailable',
      urgency: 'today',
      message:
        'Shoppers cannot see the loyalty program: the loyalty service, the store or the ledger does not answer.',
      command: 'status',
      ...own('unavailable', { times: 2, outOf: ONE_HOUR }, { many: MANY_UNANSWERED }),
    },
    {
      heading: 'Redemption pending',
      urgency: 'today',
      message:
        'A customer redeemed a reward, and the connector can neither deliver the code nor give the points back.',
      command: 'redemptions list',
      ...own('redemption-pending', { outOf: ONE_HOUR, ...ONCE }),
    },
    {
      heading: 'PIN guessing',
      urgency: 'today',
      message:
        'A staff member at the till entered many wrong PINs, or requested many that were never used. Their PINs are refused for the rest of the hour.',
      command: 'redemptions list',
      ...own('pin-guessing', { outOf: ONE_HOUR, ...ONCE }),
    },
  ];
}

const DAY = Duration.days(1);
/** One run may fail while the next is still running. */
const RUNS_MISSED = 3;
/** CloudWatch looks back at most a week. */
const WEEK_IN_DAYS = 7;
/** Half of what SQS allows ("Amazon SQS FIFO queue quotas"): beyond, it hands out nothing more. */
const MANY_IN_FLIGHT = 60_000;

function queueAlarms(monitored: Monitored): AlarmDefinition[] {
  const maximum = { statistic: 'Maximum', period: MINUTES_5 };
  return allQueues(monitored).flatMap(([name, { source, deadLetters }]): AlarmDefinition[] => [
    {
      id: `dead-letters-${name}`,
      heading: 'Dead letters',
      urgency: 'today',
      message: `The ${name} queue has dead letters: messages that could not be delivered. Decide whether to send them again or drop them.`,
      command: 'dead-letters list',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
      // A command that reads a dead letter hides it, for less than an hour.
      condition: atLeast(1, { outOf: ONE_HOUR }),
    },
    {
      id: `dead-letters-expire-${name}`,
      heading: 'Dead letters expire',
      urgency: 'today',
      message: `The ${name} queue has had dead letters for ${WEEK_IN_DAYS} days. SQS deletes them after 14 days.`,
      command: 'dead-letters list',
      // Not the age of the oldest: SQS leaves dead letters out of it that a command has read several times.
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ ...maximum, period: DAY }),
      condition: atLeast(1, { times: WEEK_IN_DAYS }),
    },
    {
      id: `oldest-message-${name}`,
      heading: 'Oldest message',
      urgency: 'now',
      message: `A message has been waiting in the ${name} queue for more than ${OLDEST_MESSAGE_MINUTES} minutes, and was hardly tried.`,
      command: 'status',
      metric: source.metricApproximateAgeOfOldestMessage(maximum),
      condition: atLeast(OLDEST_MESSAGE_MINUTES * 60, { times: 2, outOf: 3 }),
      level: 'both',
    },
    {
      id: `many-in-flight-${name}`,
      heading: 'Many messages in flight',
      urgency: 'now',
      message: `${MANY_IN_FLIGHT.toLocaleString('en')} messages of the ${name} queue are waiting for their next attempt. At ${(2 * MANY_IN_FLIGHT).toLocaleString('en')}, SQS stops delivering.`,
      command: 'status',
      metric: source.metricApproximateNumberOfMessagesNotVisible(maximum),
      condition: atLeast(MANY_IN_FLIGHT),
    },
  ]);
}

function workerAlarms(monitored: Monitored): AlarmDefinition[] {
  const own = ownAlarms(monitored);
  return [
    {
      heading: 'Messages stuck',
      urgency: 'now',
      message: `Messages keep failing for more than ${OLDEST_MESSAGE_MINUTES} minutes; the connector retries them.`,
      command: 'status',
      // A late retry waits for up to half an hour.
      ...own('stuck', { outOf: ONE_HOUR }),
    },
    {
      id: 'misconfigured',
      heading: 'Credentials or settings refused',
      urgency: 'now',
      message:
        'The loyalty service or the store refuses the credentials or the address of a shop. Nothing of that shop is synced until that is fixed.',
      command: 'doctor',
      // Workers try again at most every half hour.
      ...own('misconfigured', { outOf: ONE_HOUR }),
    },
    {
      id: 'loyalty-throttles',
      heading: 'Loyalty service throttles',
      urgency: 'today',
      message: 'The loyalty service has been asking for fewer calls for an hour.',
      command: 'status',
      ...own('throttled', { times: 10, outOf: ONE_HOUR }),
    },
    {
      id: 'waits-long',
      heading: 'Long waits',
      urgency: 'now',
      message:
        'Messages have waited for seven days, because of a pause or the rate limit. After 13 days they become dead letters.',
      command: 'status',
      // A message that waits returns at least every hour and a half.
      ...own('waits-long', { outOf: 2 * ONE_HOUR }),
    },
    {
      id: 'work-broke-off',
      heading: 'Worker errors',
      urgency: 'today',
      message: 'A worker met an unexpected error. The message stays on its queue and is retried.',
      command: 'status',
      ...own('crash', { outOf: ONE_HOUR }),
    },
    {
      heading: 'Trouble',
      urgency: 'today',
      message: 'Something needs you; the command says what.',
      command: 'status',
      ...own(TROUBLE, { outOf: ONE_HOUR }),
      level: 'basic',
    },
  ];
}

/** Metrics that AWS writes about the functions and the table. */
function awsAlarms(monitored: Monitored): AlarmDefinition[] {
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

function reconciliationAlarms(monitored: Monitored): AlarmDefinition[] {
  const own = ownAlarms(monitored);
  const untilNextRun = RECONCILE_MINUTES / 15 + 1;
  return [
    {
      heading: 'Webhooks get lost',
      urgency: 'today',
      message: `Webhooks may be getting lost: reconciliation had to send more than ${HEALED_PERCENT} % of what it compared.`,
      command: 'webhooks check',
      ...own('webhooks-lost', { outOf: untilNextRun }, { period: MINUTES_15 }),
    },
    {
      heading: 'Reconciliation missing',
      urgency: 'today',
      message: `Store and ledger should be compared every ${RECONCILE_MINUTES} minutes (reconciliation); the last ${RUNS_MISSED} runs did not finish.`,
      command: 'status',
      metric: ownMetric(monitored.metricsNamespace, 'reconciled', {
        period: Duration.minutes(RECONCILE_MINUTES),
      }),
      condition: absent(RUNS_MISSED),
    },
    {
      heading: 'Orders differ',
      urgency: 'today',
      message:
        'Orders have another amount, coupon or state in the loyalty service than in the store. The connector does not correct these by itself.',
      command: 'status',
      ...own('order-differs', ONCE),
    },
    {
      heading: 'Subscriptions wrong',
      urgency: 'today',
      message: 'Webhook subscriptions of a shop were missing or wrong, and repaired if possible.',
      command: 'webhooks check',
      ...own('subscriptions-wrong', { outOf: untilNextRun }, { period: MINUTES_15 }),
    },
  ];
}

/**
 * Every alarm notifies one topic.
 * See docs/decisions/0027-an-alarm-is-for-what-a-person-must-act-on.md.
 */
export function addAlarms(scope: Construct, monitored: Monitored, topic: ITopic): void {
  const action = new SnsAction(topic);
  const { stackName, region } = Stack.of(scope);
  const { monitoring } = monitored.connector.deployment;
  const definitions = [
    ...queueAlarms(monitored),
    ...receiverAlarms(monitored),
    ...floodAlarms(monitored),
    ...workerAlarms(monitored),
    ...awsAlarms(monitored),
    ...reconciliationAlarms(monitored),
    ...noticeAlarms(monitored),
    ...storefrontAlarms(monitored),
  ];
  for (const { condition, metric, heading, level = 'full', ...definition } of definitions) {
    if (level !== 'both' && level !== monitoring) continue;
    const id = definition.id ?? heading.toLowerCase().replaceAll(' ', '-');
    const { notifyOnRecovery, ...settings } = condition;
    const alarm = new Alarm(scope, id, {
      ...settings,
      alarmName: `${stackName}-${id}`,
      alarmDescription: [
        `Look at it ${definition.urgency}: ${definition.message}`,
        `First: npx loyalty-connector ${definition.command} --stack ${stackName} --region ${region}`,
        `Then: docs/runbook.md, "${heading}"`,
      ].join('\n'),
      metric,
    });
    alarm.addAlarmAction(action);
    if (notifyOnRecovery) alarm.addOkAction(action);
  }
}

/**
 * The topic that alarms notify. Each address confirms its subscription once, in the e-mail
 * from AWS.
 *
 * Without a key of the merchant it has none: CloudWatch may not use the one that AWS keeps for SNS, and alarms would not
 * arrive ("Encrypted SNS topics and CloudWatch alarms"). Messages hold the name of an alarm, a number and the command to
 * run: nothing personal and no secret.
 */
export function addAlarmTopic(
  scope: Construct,
  emails: readonly string[],
  key: DataKey | undefined,
): Topic {
  const stack = Stack.of(scope);
  const topic = new Topic(new Construct(scope, 'Alarms'), 'Topic', {
    enforceSSL: true,
    ...(key && { masterKey: key.key }),
  });
  const alarms = stack.formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: `${stack.stackName}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { ArnLike: { 'aws:SourceArn': alarms } },
    }),
  );
  for (const email of emails) topic.addSubscription(new EmailSubscription(email));
  return topic;
}
