import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import * as v from 'valibot';
import type { WrittenMetric } from '../../../shared/config/metrics.ts';
import type { Chart, ChartedCount, LastHour, SignOf } from './status-model.ts';

/** One metric of the functions (shared/aws/emf-telemetry.ts). */
interface WantedFigure {
  readonly metric: WrittenMetric;
  readonly statistic: 'Sum' | 'p50' | 'p99';
  readonly everySeconds: number;
}

interface Point {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly value: number;
}

/** What was written for each figure since that moment, in the requested order. */
export type ReadFigures = (
  wanted: readonly WantedFigure[],
  since: Date,
) => Promise<readonly (readonly Point[])[]>;

function sumOf(points: readonly Point[]): number {
  return points.reduce((sum, { value }) => sum + value, 0);
}

const CHARTED: readonly ChartedCount[] = ['received', 'applied', 'retried', 'rejected'];

interface Window {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly everySeconds: number;
  readonly periods: number;
}

/** So many periods until now. They begin on the clock, as those of CloudWatch do. */
function windowOf(now: Date, everySeconds: number, periods: number): Window {
  const everyMs = everySeconds * 1000;
  const current = Math.floor(now.getTime() / everyMs) * everyMs;
  return { from: current - (periods - 1) * everyMs, everySeconds, periods };
}

function perCount<Value>(
  countOf: (metric: ChartedCount) => Value,
): Readonly<Record<ChartedCount, Value>> {
  return Object.fromEntries(CHARTED.map((metric) => [metric, countOf(metric)])) as Record<
    ChartedCount,
    Value
  >;
}

function latencyEvery(everySeconds: number): readonly WantedFigure[] {
  return [
    { metric: 'latency-ms', statistic: 'p50', everySeconds },
    { metric: 'latency-ms', statistic: 'p99', everySeconds },
  ];
}

const QUARTER_SECONDS = 900;

/** The last day by quarters of an hour, in one request: 6 metrics. */
export async function readLastDay(readFigures: ReadFigures, now: Date): Promise<Chart> {
  const window = windowOf(now, QUARTER_SECONDS, 96);
  const everySeconds = QUARTER_SECONDS;
  const [p50, p99, ...counts] = await readFigures(
    [
      ...latencyEvery(everySeconds),
      ...CHARTED.map((metric) => ({ metric, statistic: 'Sum', everySeconds }) as const),
    ],
    new Date(window.from),
  );
  const points = perCount((metric) => counts[CHARTED.indexOf(metric)] ?? []);
  return drawChart(window, points, { p50, p99 });
}

function drawChart(
  { from, everySeconds, periods }: Window,
  counts: Readonly<Record<ChartedCount, readonly Point[]>>,
  { p50 = [], p99 = [] }: Readonly<Record<'p50' | 'p99', readonly Point[] | undefined>>,
): Chart {
  const intoPeriods = (points: readonly Point[]) => {
    const found: Point[][] = Array.from({ length: periods }, () => []);
    for (const point of points) {
      found[Math.floor((point.at - from) / everySeconds / 1000)]?.push(point);
    }
    return found;
  };
  const worst = (points: readonly Point[]) =>
    points.length === 0 ? null : Math.max(...points.map(({ value }) => value));
  return {
    from: new Date(from).toISOString(),
    everySeconds,
    ...perCount((metric) => intoPeriods(counts[metric]).map(sumOf)),
    p50: intoPeriods(p50).map(worst),
    p99: intoPeriods(p99).map(worst),
  };
}

const SUMS = [
  'applied',
  'no-change',
  'retried',
  'rejected',
  'misconfigured',
  'crash',
  'received',
  'signatures-refused',
  'unknown-topic',
  'older-secret-used',
] as const satisfies readonly WrittenMetric[];

const HOUR_SECONDS = 3_600;
/** CloudWatch shows a figure after a minute or two: one minute alone would often be empty. */
const RATE_MINUTES = 5;

/** All figures of the last hour that `status` shows, in one request: 12 metrics, and 2 more for a chart. */
export async function readLastHour(
  readFigures: ReadFigures,
  now: Date,
  { chart = false }: { readonly chart?: boolean } = {},
): Promise<LastHour> {
  const since = new Date(now.getTime() - HOUR_SECONDS * 1000);
  const times = chart ? latencyEvery(60) : [];
  const [p50 = [], p99 = [], ...others] = await readFigures(
    [
      ...latencyEvery(HOUR_SECONDS),
      ...times,
      ...SUMS.map((metric) => ({ metric, statistic: 'Sum' as const, everySeconds: 60 })),
    ],
    since,
  );
  const sums = others.slice(times.length);
  const points = Object.fromEntries(
    SUMS.map((metric, index) => [metric, sums[index] ?? []]),
  ) as Record<(typeof SUMS)[number], readonly Point[]>;
  const counted = Object.fromEntries(
    SUMS.map((metric) => [metric, sumOf(points[metric])]),
  ) as Record<(typeof SUMS)[number], number>;
  const rateSince = now.getTime() - RATE_MINUTES * 60_000;
  const perMinute = (metric: ChartedCount) =>
    sumOf(points[metric].filter(({ at }) => at >= rateSince)) / RATE_MINUTES;
  const settled = [...points.applied, ...points['no-change']];
  const signs = {
    ...signOf('misconfigured', settled),
    ...signOf('crash', settled),
    ...signOf('retried', settled),
    ...signOf('signatures-refused', points.received),
  };
  // CloudWatch chooses where periods begin, so an hour may span two: the worse percentile is shown,
  // because percentiles cannot be combined.
  const worst = (values: readonly Point[]) => Math.max(...values.map(({ value }) => value));
  const isTimed = p50.length > 0 && p99.length > 0;
  return {
    ...counted,
    perMinute: perCount(perMinute),
    signs,
    latencyMs: isTimed ? { p50: worst(p50), p99: worst(p99) } : undefined,
    ...(chart && {
      chart: drawChart(windowOf(now, 60, 60), points, { p50: others[0], p99: others[1] }),
    }),
  };

  function signOf(metric: SignOf, accepted: readonly Point[]): LastHour['signs'] {
    const seen = points[metric].filter(({ value }) => value > 0).map(({ at }) => at);
    if (seen.length === 0) return {};
    const lastAt = Math.max(...seen);
    return { [metric]: { lastAt, acceptedSince: sumOf(accepted.filter(({ at }) => at > lastAt)) } };
  }
}

/** SQS writes its own metrics once a minute, and they arrive some minutes late. */
const AGE_WITHIN_SECONDS = 900;

/** The figures from CloudWatch, in one request: it accepts 500 queries. */
export function createCloudWatchFigures(
  client: CloudWatchClient,
  namespace: string,
  now: Date,
): ReadFigures {
  const queryOf = ({ metric, statistic, everySeconds }: WantedFigure) =>
    statisticOf(namespace, metric, {}, statistic, everySeconds);
  return (wanted, since) => ask(client, wanted.map(queryOf), since, now);
}

/** Seconds that each queue's oldest message has waited; undefined when SQS has no recent value. */
export async function readOldestAges(
  client: CloudWatchClient,
  queueNames: readonly string[],
  now: Date,
): Promise<readonly (number | undefined)[]> {
  const queries = queueNames.map((QueueName) =>
    statisticOf('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName }, 'Maximum', 60),
  );
  const since = new Date(now.getTime() - AGE_WITHIN_SECONDS * 1000);
  const answers = await ask(client, queries, since, now);
  return answers.map(([newest]) => newest?.value);
}

type Statistic = NonNullable<MetricDataQuery['MetricStat']>;

function statisticOf(
  Namespace: string,
  MetricName: string,
  dimensions: Readonly<Record<string, string>>,
  Stat: string,
  Period: number,
): Statistic {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return { Metric: { Namespace, MetricName, Dimensions }, Period, Stat };
}

/** The points of each query, the newest first. */
async function ask(
  client: CloudWatchClient,
  statistics: readonly Statistic[],
  since: Date,
  now: Date,
): Promise<readonly (readonly Point[])[]> {
  const points: Point[][] = statistics.map(() => []);
  let NextToken: string | undefined;
  do {
    const answer = await client.send(
      new GetMetricDataCommand({
        MetricDataQueries: statistics.map((MetricStat, index) => ({ Id: `q${index}`, MetricStat })),
        StartTime: since,
        EndTime: now,
        ScanBy: 'TimestampDescending',
        ...(NextToken && { NextToken }),
      }),
    );
    for (const { Id = '', Values = [], Timestamps = [] } of answer.MetricDataResults ?? []) {
      const found = Values.map((value, index) => ({
        at: Timestamps[index]?.getTime() ?? 0,
        value,
      }));
      points[Number(Id.slice(1))]?.push(...found);
    }
    NextToken = answer.NextToken;
  } while (NextToken);
  return points;
}

/** What the functions of the local stack wrote. */
const answered = v.object({
  metrics: v.array(v.object({ name: v.string(), at: v.number(), value: v.number() })),
});
type Sample = v.InferOutput<typeof answered>['metrics'][number];

/** Answers the same queries as CloudWatch from the metrics of the local stack. */
export function createLocalFigures(readMetrics: (since: Date) => Promise<unknown>): ReadFigures {
  return async (wanted, since) => {
    const answer = v.safeParse(answered, await readMetrics(since));
    if (!answer.success) throw new Error('the metrics of the local stack are not understood');
    const samples = answer.output.metrics.filter(({ at }) => at >= since.getTime());
    return wanted.map((figure) => evaluate(figure, samples, since.getTime()));
  };
}

/** Counts keep their own moments: whether something succeeded after a failure shows at once. */
function evaluate(
  { metric, statistic, everySeconds }: WantedFigure,
  samples: readonly Sample[],
  since: number,
): readonly Point[] {
  const found = samples.filter(({ name }) => name === metric);
  if (statistic === 'Sum') return found;
  const periodOf = ({ at }: Sample) => Math.floor((at - since) / everySeconds / 1000);
  return [...Map.groupBy(found, periodOf)].map(([period, inPeriod]) => ({
    at: since + period * everySeconds * 1000,
    value: percentile(
      inPeriod.map(({ value }) => value),
      statistic === 'p50' ? 0.5 : 0.99,
    ),
  }));
}

/** The smallest value that at least this share of all values does not exceed. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}
