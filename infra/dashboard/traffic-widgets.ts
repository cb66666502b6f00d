import { Duration } from 'aws-cdk-lib';
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { Service, WrittenMetric } from '../../shared/config/metrics.ts';
import { counted } from '../alarms/counted.ts';
import { type Watched, WORKERS } from '../alarms/watched.ts';
import { graph } from './graph.ts';

const MINUTE = Duration.minutes(1);

/** Orders are looked at most closely; of the others what shows whether they move. */
const OUTCOMES = {
  'sync-orders': ['applied', 'unchanged', 'superseded', 'skipped', 'retried', 'rejected'],
  'sync-products': ['applied', 'unchanged', 'retried', 'rejected'],
  'sync-coupons': ['applied', 'retried', 'rejected'],
} as const satisfies Partial<Record<Service, readonly WrittenMetric[]>>;

/** From the store to the loyalty service. */
export function trafficWidgets({ connector, metricsNamespace }: Watched): IWidget[][] {
  const received = connector.shops.flatMap(({ domain, path }) =>
    (['order', 'product', 'discount'] as const).map((kind) =>
      counted(metricsNamespace, 'receive-webhook', 'received', { shop: domain, kind }).with({
        label: `${path} ${kind}`,
        period: MINUTE,
      }),
    ),
  );
  const perWorker = (metric: WrittenMetric, statistic = 'Sum') =>
    WORKERS.map((worker) =>
      counted(metricsNamespace, worker, metric, {}, statistic).with({
        label: statistic === 'Sum' ? worker : `${worker} ${statistic}`,
        period: MINUTE,
      }),
    );
  const outcomes = WORKERS.map((worker) =>
    graph(
      `How did it end? ${worker}`,
      OUTCOMES[worker].map((metric) =>
        counted(metricsNamespace, worker, metric).with({ label: metric, period: MINUTE }),
      ),
      { unit: 'messages a minute', stacked: true },
    ),
  );
  return [
    [
      graph('In: webhooks from the store', received, { unit: 'a minute', stacked: true }),
      graph('Out: applied in the loyalty service', perWorker('applied'), {
        unit: 'a minute',
        stacked: true,
      }),
      graph(
        'From store to loyalty service',
        [...perWorker('latency-ms', 'p50'), ...perWorker('latency-ms', 'p99')],
        { unit: 'milliseconds' },
      ),
    ],
    outcomes,
  ];
}
