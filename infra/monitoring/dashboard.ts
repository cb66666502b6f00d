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
import type { Service, StorefrontService, WrittenMetric } from '../../shared/config/metrics.ts';
import type { Alarms } from './alarms.ts';
import {
  allFunctions,
  allQueues,
  endpointMetrics,
  type Monitored,
  ownMetric,
  WORKERS,
} from './metrics.ts';

const MINUTE = Duration.minutes(1);
const SUM = { statistic: 'Sum', period: MINUTE };
const MAXIMUM = { statistic: 'Maximum', period: MINUTE };

/** The outcomes shown for each worker: all for orders, fewer for the others, so that 50 metrics suffice. */
const OUTCOMES = {
  'sync-orders': ['applied', 'unchanged', 'superseded', 'skipped', 'retried', 'rejected'],
  'sync-products': ['applied', 'unchanged', 'retried', 'rejected'],
  'sync-coupons': ['applied', 'retried', 'rejected'],
} as const satisfies Partial<Record<Service, readonly WrittenMetric[]>>;

/** One screen from top to bottom: alarms, traffic, queues, functions, and the command for each alarm. */
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
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms.all], width: 24, height: 6 })],
        ...trafficGraphs(monitored),
        ...storefrontGraphs(monitored),
        queueGraphs(monitored),
        functionGraphs(monitored),
        capacityGraphs(monitored),
        [commandTable(this, alarms)],
      ],
    });
    this.address = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${stackName}`;
  }
}

function trafficGraphs({ connector, metricsNamespace }: Monitored): IWidget[][] {
  const received = connector.shops.flatMap(({ domain, path }) =>
    (['order', 'product', 'discount'] as const).map((kind) =>
      ownMetric(metricsNamespace, 'receive-webhook', 'received', { shop: domain, kind }).with({
        label: `${path} ${kind}`,
        period: MINUTE,
      }),
    ),
  );
  const perWorker = (metric: WrittenMetric, statistic = 'Sum') =>
    WORKERS.map((worker) =>
      ownMetric(metricsNamespace, worker, metric, {}, statistic).with({
        label: statistic === 'Sum' ? worker : `${worker} ${statistic}`,
        period: MINUTE,
      }),
    );
  return [
    [
      graph('Webhooks received from the store', received, { unit: 'a minute', stacked: true }),
      graph('Applied in the loyalty service', perWorker('applied'), {
        unit: 'a minute',
        stacked: true,
      }),
      graph(
        'Time from the store to the loyalty service',
        [...perWorker('latency-ms', 'p50'), ...perWorker('latency-ms', 'p99')],
        { unit: 'milliseconds' },
      ),
    ],
    WORKERS.map((worker) =>
      graph(`Outcomes of ${worker}`, perMinute(metricsNamespace, worker, OUTCOMES[worker]), {
        unit: 'messages a minute',
        stacked: true,
      }),
    ),
  ];
}

function storefrontGraphs({ metricsNamespace, storefront }: Monitored): IWidget[][] {
  if (!storefront) return [];
  const { functions } = storefront;
  return [
    [
      graph(
        'Answers to shoppers',
        perMinute(metricsNamespace, 'storefront', ['served', 'unavailable', 'too-many']),
        { unit: 'answers a minute', stacked: true },
      ),
      graph(
        'Outcomes of sync-balances: balances and redemptions',
        perMinute(metricsNamespace, 'sync-balances', [
          ...(['applied', 'unchanged', 'handled', 'retried', 'rejected'] as const),
        ]),
        {
          unit: 'messages a minute',
          stacked: true,
          right: [
            ownMetric(metricsNamespace, 'sync-balances', 'balances-repaired').with({
              label: 'balances repaired at night (right)',
            }),
          ],
        },
      ),
      graph(
        'Duration of storefront functions: a page waits for storefront',
        [
          functions.storefront.metric('UrlRequestLatency', {
            ...{ statistic: 'p99', period: MINUTE, label: 'storefront p99' },
          }),
          functions['sync-balances'].metricDuration({ ...MAXIMUM, label: 'sync-balances longest' }),
        ],
        { unit: 'milliseconds' },
      ),
    ],
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
      { unit: 'messages' },
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
        latency.with({ label: 'receive-webhook p99', period: MINUTE }),
        ...WORKERS.map((worker) =>
          monitored.functions[worker].metricDuration({ ...MAXIMUM, label: `${worker} longest` }),
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

function capacityGraphs({ metricsNamespace, ledger: { table } }: Monitored): IWidget[] {
  // Without dimensions the metric is that of the whole account: all functions share one quota.
  const account = (metricName: string, statistic: string, label: string) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic, label, period: MINUTE });
  return [
    graph(
      'Concurrency of the whole account',
      [account('ConcurrentExecutions', 'Maximum', 'running')],
      { unit: 'functions', right: [account('Throttles', 'Sum', 'throttled (right)')] },
    ),
    graph(
      'Found by reconciliation',
      [
        ownMetric(metricsNamespace, 'reconcile', 'looked-at').with({ label: 'compared' }),
        ...(['order', 'product', 'coupon'] as const).map((kind) =>
          ownMetric(metricsNamespace, 'reconcile', 'healed', { kind }).with({
            label: `healed ${kind}`,
          }),
        ),
      ],
      {
        unit: 'entities a run',
        right: [
          ownMetric(metricsNamespace, 'reconcile', 'oldest-healed-ms', {}, 'Maximum').with({
            label: 'oldest healed, ms (right)',
          }),
        ],
      },
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

function perMinute(
  namespace: string,
  service: Service | StorefrontService,
  metrics: readonly WrittenMetric[],
): IMetric[] {
  return metrics.map((metric) =>
    ownMetric(namespace, service, metric).with({ label: metric, period: MINUTE }),
  );
}

/** Three graphs side by side fill the width of 24. */
function graph(
  title: string,
  left: readonly IMetric[],
  options: {
    readonly unit: string;
    readonly stacked?: boolean;
    readonly right?: readonly IMetric[];
  },
): GraphWidget {
  const { unit, stacked = false, right = [] } = options;
  return new GraphWidget({
    title,
    left: [...left],
    right: [...right],
    leftYAxis: { min: 0, label: unit, showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
    stacked,
    period: MINUTE,
    legendPosition: LegendPosition.BOTTOM,
    width: 8,
    height: 6,
  });
}
