import * as v from 'valibot';
import type { Point, ReadFigures, WantedFigure } from './figures.ts';

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
