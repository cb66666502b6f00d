import type { ReadFigures, WantedFigure } from './figures.ts';

/** One figure that a function of the local stack wrote. */
interface Sample {
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The same questions as CloudWatch answers, over the figures of the local stack's last hour. */
export function createLocalFigures(readMetrics: () => Promise<unknown>): ReadFigures {
  return async (wanted) => {
    const samples = readSamples(await readMetrics());
    return wanted.map((figure) => evaluate(figure, samples));
  };
}

function evaluate(
  { service, metric, dimensions = {}, statistic }: WantedFigure,
  samples: readonly Sample[],
): number | undefined {
  const asked = Object.entries({ service, ...dimensions });
  // As in CloudWatch: each set of dimensions is a metric of its own, and one count is in several.
  const values = samples
    .filter(({ name }) => name === metric)
    .filter((sample) => Object.keys(sample.dimensions).length === asked.length)
    .filter((sample) => asked.every(([name, value]) => sample.dimensions[name] === value))
    .map(({ value }) => value);
  if (values.length === 0) return undefined;
  if (statistic === 'Sum') return values.reduce((sum, value) => sum + value, 0);
  return percentile(values, statistic === 'p50' ? 0.5 : 0.99);
}

/** The smallest value that at least this share of all values does not exceed. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? Number.NaN;
}

function readSamples(answer: unknown): readonly Sample[] {
  const metrics = isRecord(answer) ? answer.metrics : undefined;
  return Array.isArray(metrics) ? metrics.filter(isSample) : [];
}

function isSample(value: unknown): value is Sample {
  return (
    isRecord(value) &&
    typeof value.name === 'string' &&
    typeof value.value === 'number' &&
    isRecord(value.dimensions)
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
