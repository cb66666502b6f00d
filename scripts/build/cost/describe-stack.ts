import { RHYTHMS, TROUBLE } from '../../../shared/config/metrics.ts';

/** What of a stack has a price. */
export interface PricedStack {
  readonly receiverMb: number;
  readonly workerMb: number;
  readonly reconcileMb: number;
  readonly eventSources: number;
  readonly secrets: number;
  readonly keys: number;
  /** An alarm on an expression is paid for each metric in it. */
  readonly alarmMetrics: number;
  /** Of the functions' own, what an ordinary day writes; troubles write more, by the hour. */
  readonly ownMetrics: number;
  readonly dashboards: number;
  readonly reconcileRuns: number;
  readonly logRetentionDays: number;
  readonly recovery: boolean;
  readonly httpApi: boolean;
}

/** The properties that are read here, of whatever resource has them. */
interface PricedProperties {
  readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> };
  readonly MemorySize?: number;
  readonly MetricName?: string;
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
  readonly ScheduleExpression?: string;
  readonly RetentionInDays?: number;
  readonly PointInTimeRecoverySpecification?: { readonly PointInTimeRecoveryEnabled?: boolean };
}

interface Resource {
  readonly Type: string;
  readonly Properties?: PricedProperties;
}

export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
}

export function describeStack({ Resources }: StackTemplate): PricedStack {
  const all = (type: string) =>
    Object.values(Resources).flatMap(({ Type, Properties }) =>
      Type === type ? [Properties ?? {}] : [],
    );
  const functions = all('AWS::Lambda::Function');
  const memoryOf = (variable: string, set: boolean) =>
    functions.find(({ Environment }) => variable in (Environment?.Variables ?? {}) === set)
      ?.MemorySize ?? Number.NaN;
  return {
    receiverMb: memoryOf('LEDGER_TABLE', false),
    workerMb: memoryOf('SOURCE_QUEUE_URL', true),
    reconcileMb: memoryOf('WEBHOOK_ADDRESS', true),
    eventSources: all('AWS::Lambda::EventSourceMapping').length,
    secrets: all('AWS::SecretsManager::Secret').length,
    keys: all('AWS::KMS::Key').length,
    alarmMetrics: all('AWS::CloudWatch::Alarm').reduce(
      (sum, { Metrics }) => sum + (Metrics?.filter(isMetric).length ?? 1),
      0,
    ),
    ownMetrics: countOwnMetrics(all('AWS::CloudWatch::Alarm')),
    dashboards: all('AWS::CloudWatch::Dashboard').length,
    reconcileRuns: all('AWS::Events::Rule').reduce(
      (sum, { ScheduleExpression }) => sum + runsPerMonth(ScheduleExpression ?? ''),
      0,
    ),
    logRetentionDays: all('AWS::Logs::LogGroup')[0]?.RetentionInDays ?? Number.NaN,
    recovery: all('AWS::DynamoDB::Table').some(
      ({ PointInTimeRecoverySpecification: point }) => point?.PointInTimeRecoveryEnabled === true,
    ),
    httpApi: all('AWS::ApiGatewayV2::Api').length > 0,
  };
}

/** The functions write what the alarms show: all of it, or what `basic` has, and orders of watched shops. */
function countOwnMetrics(alarms: readonly PricedProperties[]): number {
  const everyday = Object.values(RHYTHMS).filter((rhythm) => rhythm === 'everyday').length;
  const isBasic = alarms.some(({ MetricName }) => MetricName === TROUBLE);
  const watched = alarms.filter(({ Metrics = [] }) =>
    JSON.stringify(Metrics).includes('"orders-received"'),
  ).length;
  return (isBasic ? 0 : everyday) + watched;
}

const isMetric = (one: { readonly MetricStat?: unknown }): boolean => one.MetricStat !== undefined;

const HOURS: Readonly<Record<string, number>> = { minute: 1 / 60, hour: 1, day: 24 };

/** `rate(1 hour)` */
function runsPerMonth(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  return (30 * 24) / (Number(count) * (HOURS[unit] ?? Number.NaN));
}
