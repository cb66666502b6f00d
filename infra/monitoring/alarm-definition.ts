import { Duration } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  type MetricOptions,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Connector } from '../../shared/config/connector-config.ts';
import type {
  Service,
  StorefrontService,
  TROUBLE,
  WrittenMetric,
} from '../../shared/config/metrics.ts';
import type { EventQueue, LedgerTable } from '../storage.ts';

export interface AlarmDefinition {
  /** Follows the name of the stack in the alarm's name: `dead-letters-orders`. Default: the heading's. */
  readonly id?: string;
  /** The heading in docs/runbook.md; alarms about the same problem share one. */
  readonly heading: string;
  /** `now`: points are being lost or delayed. `today`: a person must act, but not at night. */
  readonly urgency: 'now' | 'today';
  /** One sentence for the e-mail: what happened. */
  readonly message: string;
  /** The command to run first, without `npx loyalty-connector`. */
  readonly command: string;
  readonly metric: IMetric;
  readonly condition: Condition;
  /** Which setting of `deployment.monitoring` has it. Default: `full`. */
  readonly level?: 'full' | 'basic' | 'both';
}

interface Condition {
  readonly threshold: number;
  readonly comparisonOperator: ComparisonOperator;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: TreatMissingData;
  /** False for an alarm about a single event, which has no recovery. */
  readonly notifyOnRecovery: boolean;
}

interface ConditionOptions {
  readonly times: number;
  /** Default: as many as `times`. */
  readonly outOf: number;
  readonly notifyOnRecovery: boolean;
}

/**
 * The metric is at or above the threshold in `times` of the last `outOf` periods. Missing data is
 * fine: most metrics are written only when there is something to count.
 */
export function atLeast(
  threshold: number,
  { times = 1, outOf, notifyOnRecovery = true }: Partial<ConditionOptions> = {},
): Condition {
  return {
    threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: outOf ?? times,
    datapointsToAlarm: times,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    notifyOnRecovery,
  };
}

/** The metric is zero or missing in each of the last periods. */
export function absent(periods: number): Condition {
  return {
    threshold: 1,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    evaluationPeriods: periods,
    datapointsToAlarm: periods,
    treatMissingData: TreatMissingData.BREACHING,
    notifyOnRecovery: true,
  };
}

/** Periods of five minutes: the alarm recovers only after an hour without the problem. */
export const ONE_HOUR = 12;

export interface Monitored {
  readonly connector: Connector;
  readonly metricsNamespace: string;
  readonly queues: Readonly<Record<'orders' | 'products' | 'coupons', EventQueue>>;
  readonly functions: Readonly<Record<Exclude<Service, 'announce'>, LambdaFunction>> &
    Partial<Record<'announce', LambdaFunction>>;
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
