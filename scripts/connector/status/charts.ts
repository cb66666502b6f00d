import { type Point, type ReadFigures, sumOf, type WantedFigure } from './figures.ts';

const CHARTED = ['received', 'applied', 'retried', 'rejected'] as const;
export type ChartedCount = (typeof CHARTED)[number];

/** One value for each period, the oldest first; the last period is the current one. */
export interface Chart extends Readonly<Record<ChartedCount, readonly number[]>> {
  /** ISO 8601: when the first period begins. */
  readonly from: string;
  readonly everySeconds: number;
  /** Milliseconds from the change in one system to the answer of the other; null: nothing was applied. */
  readonly p50: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}

interface Window {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly everySeconds: number;
  readonly periods: number;
}

/** So many periods until now. They begin on the clock, as those of CloudWatch do. */
export function windowOf(now: Date, everySeconds: number, periods: number): Window {
  const everyMs = everySeconds * 1000;
  const current = Math.floor(now.getTime() / everyMs) * everyMs;
  return { from: current - (periods - 1) * everyMs, everySeconds, periods };
}

export function perCount<Value>(
  countOf: (metric: ChartedCount) => Value,
): Readonly<Record<ChartedCount, Value>> {
  return Object.fromEntries(CHARTED.map((metric) => [metric, countOf(metric)])) as Record<
    ChartedCount,
    Value
  >;
}

export function latencyEvery(everySeconds: number): readonly WantedFigure[] {
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

export function drawChart(
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
