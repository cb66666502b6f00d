import { Duration } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { Watched } from './watched.ts';

export interface EndpointMetrics {
  readonly refused: Metric;
  readonly failed: Metric;
  readonly slowest: Metric;
}

/** What the store sees of the receiver, whichever way its webhooks come in. */
export function endpointMetrics({ api, functions }: Watched): EndpointMetrics {
  const sum = { statistic: 'Sum', period: Duration.minutes(5) };
  const p99 = { statistic: 'p99', period: Duration.minutes(5) };
  if (api) {
    return {
      refused: api.metricClientError(sum),
      failed: api.metricServerError(sum),
      slowest: api.metricLatency(p99),
    };
  }
  const url = (name: string, options: MetricOptions) =>
    functions['receive-webhook'].metric(name, options);
  return {
    refused: url('Url4xxCount', sum),
    failed: url('Url5xxCount', sum),
    slowest: url('UrlRequestLatency', p99),
  };
}
