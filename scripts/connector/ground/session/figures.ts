import {
  CloudWatchClient,
  type MetricDataQuery,
  paginateGetMetricData,
} from '@aws-sdk/client-cloudwatch';
import * as v from 'valibot';
import type { WrittenMetric } from '../../../../shared/config/metrics.ts';
import type { Deployment } from './deployment.ts';

/** CloudWatch, or its replacement on this machine. */
export function openFigures({ aws, output, sandbox }: Deployment, now: Date): ReadFigures {
  if (!sandbox) {
    return createCloudWatchFigures(new CloudWatchClient(aws), output('MetricsNamespace'), now);
  }
  return createLocalFigures(async (since) => {
    const answer = await fetch(`${sandbox.metricsAddress}?since=${since.getTime()}`);
    return answer.json();
  });
}

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

type Points = readonly Point[];

/** What was written for each figure since that moment, in the requested order. */
export type ReadFigures = (
  wanted: readonly WantedFigure[],
  since: Date,
) => Promise<readonly Points[]>;

const CHARTED = ['received', 'applied', 'retried', 'rejected'] as const;

const SUMS = [
  ...CHARTED,
  /** Unchanged, superseded or skipped. */
  'no-change',
  'misconfigured',
  'crash',
  'signatures-refused',
  'unknown-topic',
  'older-secret-used',
] as const satisfies readonly WrittenMetric[];

type Counted = (typeof SUMS)[number];

/** One value for each period, the oldest first; the last period is the current one. */
export interface Chart extends Readonly<Record<(typeof CHARTED)[number], readonly number[]>> {
  /** ISO 8601: when the first period begins. */
  readonly from: string;
  readonly everySeconds: number;
  /** Milliseconds from the change in one system to the answer of the other; null: nothing was applied. */
  readonly p50: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}

/** Trouble that was counted in the last hour. */
export interface Sign {
  /** Epoch milliseconds, in CloudWatch to the minute. */
  readonly lastAt: number;
  readonly acceptedSince: number;
  /** How much of it came later than what was accepted last. */
  readonly sinceAccepted: number;
}

type SignOf = 'misconfigured' | 'crash' | 'signatures-refused';

export interface LastHour extends Readonly<Record<Counted, number>> {
  readonly signs: Readonly<Partial<Record<SignOf, Sign>>>;
  /** From the change in one system to the answer of the other; undefined when nothing was applied. */
  readonly latencyMs: { readonly p50: number; readonly p99: number } | undefined;
  readonly chart: Chart;
}

const HOUR_SECONDS = 3_600;
const QUARTER_SECONDS = 900;

/** All figures of the last hour that `status` shows, in one request: 14 metrics. */
export async function readLastHour(readFigures: ReadFigures, now: Date): Promise<LastHour> {
  const since = new Date(now.getTime() - HOUR_SECONDS * 1000);
  const [p50 = [], p99 = [], minuteP50 = [], minuteP99 = [], ...found] = await readFigures(
    [...latencyEvery(HOUR_SECONDS), ...latencyEvery(60), ...sumsEvery(60, SUMS)],
    since,
  );
  const points = named(SUMS, (_, index) => found[index] ?? []);
  const settled = [...points.applied, ...points['no-change']];
  // CloudWatch chooses where periods begin, so an hour may span two: the worse percentile is shown,
  // because percentiles cannot be combined.
  const [median, slowest] = [worstOf(p50), worstOf(p99)];
  return {
    ...named(SUMS, (metric) => sumOf(points[metric])),
    signs: {
      ...signOf('misconfigured', settled),
      ...signOf('crash', settled),
      ...signOf('signatures-refused', points.received),
    },
    latencyMs: median === null || slowest === null ? undefined : { p50: median, p99: slowest },
    chart: chartOf(now, 60, 60, { ...points, p50: minuteP50, p99: minuteP99 }),
  };

  function signOf(metric: SignOf, accepted: Points): LastHour['signs'] {
    const seen = points[metric].filter(({ value }) => value > 0);
    if (seen.length === 0) return {};
    const [lastAt, acceptedAt] = [lastOf(seen), lastOf(accepted.filter(({ value }) => value > 0))];
    const acceptedSince = sumOf(accepted.filter(({ at }) => at > lastAt));
    const sinceAccepted = sumOf(seen.filter(({ at }) => at > acceptedAt));
    return { [metric]: { lastAt, acceptedSince, sinceAccepted } };
  }
}

/** The last day by quarters of an hour, in one request: 6 metrics. */
export async function readLastDay(readFigures: ReadFigures, now: Date): Promise<Chart> {
  const [p50 = [], p99 = [], ...found] = await readFigures(
    [...latencyEvery(QUARTER_SECONDS), ...sumsEvery(QUARTER_SECONDS, CHARTED)],
    new Date(startOf(now, QUARTER_SECONDS, 96)),
  );
  const counts = named(CHARTED, (_, index) => found[index] ?? []);
  return chartOf(now, QUARTER_SECONDS, 96, { ...counts, p50, p99 });
}

const latencyEvery = (everySeconds: number): readonly WantedFigure[] =>
  (['p50', 'p99'] as const).map((statistic) => ({ metric: 'latency-ms', statistic, everySeconds }));

const sumsEvery = (everySeconds: number, metrics: readonly Counted[]): readonly WantedFigure[] =>
  metrics.map((metric) => ({ metric, statistic: 'Sum', everySeconds }));

function named<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name, index: number) => Value,
): Readonly<Record<Name, Value>> {
  const values = names.map((name, index) => [name, read(name, index)]);
  return Object.fromEntries(values) as Record<Name, Value>;
}

const sumOf = (points: Points): number => points.reduce((sum, { value }) => sum + value, 0);

const worstOf = (points: Points): number | null =>
  points.length === 0 ? null : Math.max(...points.map(({ value }) => value));

const lastOf = (points: Points): number =>
  points.reduce((last, { at }) => Math.max(last, at), Number.NEGATIVE_INFINITY);

/** Of so many periods until now, in epoch milliseconds. They begin on the clock, as those of CloudWatch do. */
function startOf(now: Date, everySeconds: number, periods: number): number {
  const everyMs = everySeconds * 1000;
  return (Math.floor(now.getTime() / everyMs) - (periods - 1)) * everyMs;
}

function chartOf(
  now: Date,
  everySeconds: number,
  periods: number,
  points: Readonly<Record<(typeof CHARTED)[number] | 'p50' | 'p99', Points>>,
): Chart {
  const from = startOf(now, everySeconds, periods);
  const inPeriods = (all: Points) => {
    const found: Point[][] = Array.from({ length: periods }, () => []);
    for (const point of all) {
      found[Math.floor((point.at - from) / everySeconds / 1000)]?.push(point);
    }
    return found;
  };
  return {
    from: new Date(from).toISOString(),
    everySeconds,
    ...named(CHARTED, (metric) => inPeriods(points[metric]).map(sumOf)),
    p50: inPeriods(points.p50).map(worstOf),
    p99: inPeriods(points.p99).map(worstOf),
  };
}

/** The figures from CloudWatch, in one request: it accepts 500 queries. */
export function createCloudWatchFigures(
  client: CloudWatchClient,
  Namespace: string,
  now: Date,
): ReadFigures {
  return (wanted, since) => {
    const queries = wanted.map(({ metric: MetricName, statistic: Stat, everySeconds: Period }) => ({
      Metric: { Namespace, MetricName },
      ...{ Period, Stat },
    }));
    return ask(client, queries, since, now);
  };
}

/** SQS writes its own metrics once a minute, and they arrive some minutes late. */
const AGE_WITHIN_SECONDS = 900;

/** Seconds that each queue's oldest message has waited; undefined when SQS has no recent value. */
export async function readOldestAges(
  client: CloudWatchClient,
  queueNames: readonly string[],
  now: Date,
): Promise<readonly (number | undefined)[]> {
  const queries = queueNames.map((Value) => ({
    Metric: {
      ...{ Namespace: 'AWS/SQS', MetricName: 'ApproximateAgeOfOldestMessage' },
      Dimensions: [{ Name: 'QueueName', Value }],
    },
    ...{ Period: 60, Stat: 'Maximum' },
  }));
  const since = new Date(now.getTime() - AGE_WITHIN_SECONDS * 1000);
  const answers = await ask(client, queries, since, now);
  return answers.map(([newest]) => newest?.value);
}

/** The points of each query, the newest first. */
async function ask(
  client: CloudWatchClient,
  queries: readonly NonNullable<MetricDataQuery['MetricStat']>[],
  since: Date,
  now: Date,
): Promise<readonly Points[]> {
  const points: Point[][] = queries.map(() => []);
  const pages = paginateGetMetricData(
    { client },
    {
      MetricDataQueries: queries.map((MetricStat, index) => ({ Id: `q${index}`, MetricStat })),
      ...{ StartTime: since, EndTime: now, ScanBy: 'TimestampDescending' },
    },
  );
  for await (const { MetricDataResults: results = [] } of pages) {
    for (const { Id = '', Values = [], Timestamps = [] } of results) {
      const found = Values.map((value, index) => ({
        at: Timestamps[index]?.getTime() ?? 0,
        value,
      }));
      points[Number(Id.slice(1))]?.push(...found);
    }
  }
  return points;
}

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
