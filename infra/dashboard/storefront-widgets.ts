import { Duration } from 'aws-cdk-lib';
import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { StorefrontService, WrittenMetric } from '../../shared/config/metrics.ts';
import { counted } from '../alarms/counted.ts';
import type { Watched } from '../alarms/watched.ts';
import { graph } from './graph.ts';

const MINUTE = Duration.minutes(1);

/** The way back, where it is deployed: what shoppers hear, and what comes into the store. */
export function storefrontWidgets({ metricsNamespace, storefront }: Watched): IWidget[][] {
  if (!storefront) return [];
  const { functions } = storefront;
  const each = (service: StorefrontService, metrics: readonly WrittenMetric[]) =>
    metrics.map((metric) =>
      counted(metricsNamespace, service, metric).with({ label: metric, period: MINUTE }),
    );
  return [
    [
      graph('What shoppers hear', each('storefront', ['served', 'unavailable', 'too-many']), {
        unit: 'answers a minute',
        stacked: true,
      }),
      graph(
        'How did it end? sync-balances: balances and redemptions',
        each('sync-balances', ['applied', 'unchanged', 'handled', 'retried', 'rejected']),
        { unit: 'messages a minute', stacked: true },
      ),
      graph(
        'Time of the storefront: a page waits for it',
        [
          functions.storefront.metric('UrlRequestLatency', {
            ...{ statistic: 'p99', period: MINUTE, label: 'storefront p99' },
          }),
          functions['sync-balances'].metricDuration({
            ...{ statistic: 'Maximum', period: MINUTE, label: 'sync-balances longest' },
          }),
        ],
        { unit: 'milliseconds' },
      ),
    ],
  ];
}
