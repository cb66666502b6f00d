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
  Service,
  StorefrontService,
  TROUBLE,
  WrittenMetric,
} from '../../shared/config/metrics.ts';
import type { EventQueue } from '../event-queue.ts';
import type { LedgerTable } from '../ledger-table.ts';

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

/** The functions that anyone may call, by what they take. */
export function publicFunctions({ functions, storefront }: Monitored): [string, LambdaFunction][] {
  return Object.entries({
    webhooks: functions['receive-webhook'],
    ...(storefront && {
      points: storefront.functions['receive-points'],
      storefront: storefront.functions.storefront,
    }),
  });
}

/** A metric that the functions write themselves, through shared/aws/emf-telemetry.ts. */
export function ownMetric(
  namespace: string,
  metricName: WrittenMetric | typeof TROUBLE,
  options: MetricOptions = {},
): Metric {
  return new Metric({
    namespace,
    metricName,
    statistic: 'Sum',
    period: Duration.minutes(5),
    ...options,
  });
}

/** Adds up metrics, some of which may have no data for a period. */
export function sumOf(
  metrics: readonly IMetric[],
  label: string,
  period = Duration.minutes(5),
): IMetric {
  const [first] = metrics;
  if (first && metrics.length === 1) return first;
  const ids = metrics.map((_, index) => `part${index}`);
  return new MathExpression({
    expression: ids.map((id) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`part${index}`, metric])),
    label,
    period,
  });
}

/** The address for webhooks as the store sees it: a function URL or an HTTP API. */
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
