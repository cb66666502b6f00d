import type { WrittenMetric } from '../../../shared/config/metrics.ts';
import { type ChartedCount, drawChart, latencyEvery, perCount, windowOf } from './charts.ts';
import { type Point, type ReadFigures, sumOf } from './figures.ts';
import type { LastHour, SignOf } from './status-model.ts';

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
