import { Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LegendPosition,
  Metric,
  PeriodOverride,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { WrittenMetric } from '../../shared/config/metrics.ts';
import {
  allFunctions,
  allQueues,
  endpointMetrics,
  type Monitored,
  ownMetric,
} from './alarm-definition.ts';
import type { Alarms } from './alarms.ts';

const MINUTE = Duration.minutes(1);
const SUM = { statistic: 'Sum', period: MINUTE };
const MAXIMUM = { statistic: 'Maximum', period: MINUTE };

/**
 * One screen from top to bottom: alarms, traffic, queues, functions, and the command for each alarm. At most
 * 50 metrics: a dashboard with more is never free.
 */
export class ConnectorDashboard extends Construct {
  /** In the AWS console. */
  readonly address: string;

  constructor(scope: Construct, id: string, props: { monitored: Monitored; alarms: Alarms }) {
    super(scope, id);
    const { monitored, alarms } = props;
    const { stackName, region } = Stack.of(this);
    new Dashboard(this, 'Dashboard', {
      dashboardName: stackName,
      defaultInterval: Duration.hours(3),
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        ...alarmStates(alarms),
        trafficGraphs(monitored),
        queueGraphs(monitored),
        functionGraphs(monitored),
        capacityGraphs(monitored),
        [commandTable(this, alarms)],
      ],
    });
    this.address = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${stackName}`;
  }
}

/** An alarm widget takes 100 ("Dashboard body structure and syntax"); each shop may have one. */
const ALARMS_PER_WIDGET = 100;

function alarmStates({ all }: Alarms): IWidget[][] {
  const starts = all.flatMap((_, index) => (index % ALARMS_PER_WIDGET === 0 ? [index] : []));
  return starts.map((start) => {
    const alarms = all.slice(start, start + ALARMS_PER_WIDGET);
    return [new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 6 })];
  });
}

/** Empty with `monitoring: 'basic'`, which does not write these figures. */
function trafficGraphs({ metricsNamespace }: Monitored): IWidget[] {
  const own = (metric: WrittenMetric, statistic = 'Sum', label: string = metric) =>
    ownMetric(metricsNamespace, metric, { statistic, label, period: MINUTE });
  return [
    graph('Webhooks received from the store', [own('received')], { unit: 'a minute' }),
    graph(
      'Outcomes',
      (['applied', 'no-change', 'retried', 'rejected'] as const).map((metric) => own(metric)),
      { unit: 'messages a minute', stacked: true },
    ),
    graph(
      'Time from the change in one system to the other',
      [own('latency-ms', 'p50', 'p50'), own('latency-ms', 'p99', 'p99')],
      { unit: 'milliseconds' },
    ),
  ];
}

function queueGraphs(monitored: Monitored): IWidget[] {
  const queues = allQueues(monitored);
  return [
    graph(
      'Messages waiting in the queues',
      queues.map(([label, { source }]) =>
        source.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label }),
      ),
      {
        unit: 'messages',
        right: queues.map(([name, { source }]) =>
          source.metricApproximateNumberOfMessagesNotVisible({
            ...MAXIMUM,
            label: `${name} in flight (right)`,
          }),
        ),
      },
    ),
    graph(
      'Age of the oldest message',
      queues.map(([label, { source }]) =>
        source.metricApproximateAgeOfOldestMessage({ ...MAXIMUM, label }),
      ),
      { unit: 'seconds' },
    ),
    graph(
      'Dead letters: these need a person',
      queues.map(([label, { deadLetters }]) =>
        deadLetters.metricApproximateNumberOfMessagesVisible({ ...MAXIMUM, label }),
      ),
      { unit: 'messages' },
    ),
  ];
}

function functionGraphs(monitored: Monitored): IWidget[] {
  const { clientErrors, serverErrors, latency } = endpointMetrics(monitored);
  return [
    graph(
      'Webhooks answered with an error',
      [
        clientErrors.with({ label: '4xx', period: MINUTE }),
        serverErrors.with({ label: '5xx', period: MINUTE }),
      ],
      { unit: 'a minute' },
    ),
    graph(
      'Duration of functions: the store waits 5000 ms for the receiver',
      [
        latency.with({ label: 'webhooks p99', period: MINUTE }),
        ...allFunctions(monitored).map(([name, one]) =>
          one.metricDuration({ ...MAXIMUM, label: `${name} longest` }),
        ),
      ],
      { unit: 'milliseconds' },
    ),
    graph(
      'Errors and time-outs of functions',
      allFunctions(monitored).map(([label, one]) => one.metricErrors({ ...SUM, label })),
      { unit: 'a minute', stacked: true },
    ),
  ];
}

function capacityGraphs({ ledger: { table } }: Monitored): IWidget[] {
  // Without dimensions the metric is that of the whole account: all functions share one quota.
  const account = (metricName: string, statistic: string, label: string) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic, label, period: MINUTE });
  return [
    graph(
      'Concurrency of the whole account',
      [account('ConcurrentExecutions', 'Maximum', 'running')],
      { unit: 'functions', right: [account('Throttles', 'Sum', 'throttled (right)')], width: 12 },
    ),
    graph(
      'Ledger',
      [
        table.metricConsumedReadCapacityUnits({ ...SUM, label: 'read units' }),
        table.metricConsumedWriteCapacityUnits({ ...SUM, label: 'write units' }),
      ],
      {
        unit: 'units a minute',
        right: (['ReadThrottleEvents', 'WriteThrottleEvents'] as const).map((name) =>
          table.metric(name, { ...SUM, label: `${name} (right)` }),
        ),
        width: 12,
      },
    ),
  ];
}

function commandTable(scope: Construct, { definitions }: Alarms): TextWidget {
  const { stackName, region } = Stack.of(scope);
  const byHeading = new Map(definitions.map((alarm) => [alarm.heading, alarm]));
  const markdown = [
    `**What to do:** run \`export CONNECTOR_STACK=${stackName} AWS_REGION=${region}\`, then`,
    '`npx loyalty-connector status`. docs/runbook.md has a section for each alarm.',
    '',
    '| alarm | what happened | first command |',
    '|---|---|---|',
    ...[...byHeading].map(
      ([heading, { message, command }]) =>
        `| ${heading} | ${message} | \`npx loyalty-connector ${command}\` |`,
    ),
  ].join('\n');
  return new TextWidget({ markdown, width: 24, height: 4 + byHeading.size });
}

interface GraphOptions {
  readonly unit: string;
  readonly stacked?: boolean;
  readonly right?: readonly IMetric[];
  /** Of 24 in a row. */
  readonly width?: number;
}

function graph(title: string, left: readonly IMetric[], options: GraphOptions): GraphWidget {
  const { unit, stacked = false, right = [], width = 8 } = options;
  return new GraphWidget({
    title,
    left: [...left],
    right: [...right],
    leftYAxis: { min: 0, label: unit, showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
    stacked,
    period: MINUTE,
    legendPosition: LegendPosition.BOTTOM,
    width,
    height: 6,
  });
}
