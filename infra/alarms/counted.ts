import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type {
  METRICS,
  Service,
  StorefrontService,
  WrittenMetric,
} from '../../shared/config/metrics.ts';

/** The details that a metric is kept by: none, or all that it has. */
type Details<Name extends WrittenMetric> =
  | Readonly<Record<(typeof METRICS)[Name][number], string>>
  | Readonly<Record<string, never>>;

/** What a function counts itself, as shared/aws/emf-telemetry.ts writes it. */
export function counted<Name extends WrittenMetric>(
  namespace: string,
  service: Service | StorefrontService,
  metricName: Name,
  details: Details<Name> = {},
  statistic = 'Sum',
): Metric {
  return new Metric({
    namespace,
    metricName,
    dimensionsMap: { service, ...details },
    statistic,
    period: Duration.minutes(5),
  });
}

/** The sum of metrics that are not all written at the same time. */
export function total(
  metrics: readonly IMetric[],
  label: string,
  period = Duration.minutes(5),
): MathExpression {
  const ids = metrics.map((_, index) => `part${index}`);
  return new MathExpression({
    expression: ids.map((id) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`part${index}`, metric])),
    label,
    period,
  });
}
