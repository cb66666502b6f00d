import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  type IMetric,
  MathExpression,
  Metric,
  type MetricOptions,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Connector } from '../../shared/config/connector-config.ts';
import type {
  METRICS,
  Service,
  StorefrontService,
  WrittenMetric,
} from '../../shared/config/metrics.ts';
import type { EventQueue } from '../event-queue.ts';
import type { LedgerTable } from '../ledger-table.ts';

export const WORKERS = [
  'sync-orders',
  'sync-products',
  'sync-coupons',
] as const satisfies readonly Service[];

/** What alarms and the dashboard monitor. */
export interface Monitored {
  readonly connector: Connector;
  readonly metricsNamespace: string;
  readonly queues: Readonly<Record<'orders' | 'products' | 'coupons', EventQueue>>;
  readonly functions: Readonly<Record<Service, LambdaFunction>>;
  /** Undefined where the storefront is not deployed. */
  readonly storefront:
    | {
        readonly queue: EventQueue;
        readonly functions: Readonly<Record<StorefrontService, LambdaFunction>>;
      }
    | undefined;
  /** In front of the receiver; undefined where the store calls its function URL. */
  readonly api: HttpApi | undefined;
  readonly ledger: LedgerTable;
}

/** Every queue by the name it has in alarms. */
export function allQueues({ queues, storefront }: Monitored): [string, EventQueue][] {
  return Object.entries({ ...queues, ...(storefront && { balances: storefront.queue }) });
}

export function allFunctions({ functions, storefront }: Monitored): [string, LambdaFunction][] {
  return Object.entries({ ...functions, ...storefront?.functions });
}

/** A metric has either no dimension besides `service`, or all of its details. */
type Details<Name extends WrittenMetric> =
  | Readonly<Record<(typeof METRICS)[Name][number], string>>
  | Readonly<Record<string, never>>;

/** A metric that a function writes itself, through shared/aws/emf-telemetry.ts. */
export function ownMetric<Name extends WrittenMetric>(
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

/** Adds up metrics, some of which may have no data for a period. */
export function sumOf(
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

/** The receiver as the store sees it, behind its function URL or an HTTP API. */
export function endpointMetrics({ api, functions }: Monitored): {
  readonly clientErrors: Metric;
  readonly serverErrors: Metric;
  readonly latency: Metric;
} {
  const sum = { statistic: 'Sum', period: Duration.minutes(5) };
  const p99 = { statistic: 'p99', period: Duration.minutes(5) };
  if (api) {
    return {
      clientErrors: api.metricClientError(sum),
      serverErrors: api.metricServerError(sum),
      latency: api.metricLatency(p99),
    };
  }
  const url = (name: string, options: MetricOptions) =>
    functions['receive-webhook'].metric(name, options);
  return {
    clientErrors: url('Url4xxCount', sum),
    serverErrors: url('Url5xxCount', sum),
    latency: url('UrlRequestLatency', p99),
  };
}
