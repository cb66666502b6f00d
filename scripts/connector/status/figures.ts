import type { Connector } from '../../../shared/config/connector-config.ts';
import type { WrittenMetric } from '../../../shared/config/metrics.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { LastHour, SignOf } from './status-model.ts';

/** One metric of the functions (shared/aws/emf-telemetry.ts). */
export interface WantedFigure {
  readonly metric: WrittenMetric;
  readonly statistic: 'Sum' | 'p50' | 'p99';
}

export interface Point {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly value: number;
}

/** What was written for each figure in the last hour, in the requested order. */
export type ReadFigures = (
  wanted: readonly WantedFigure[],
) => Promise<readonly (readonly Point[])[]>;

const FAMILIES: readonly QueueFamily[] = ['orders', 'products', 'coupons'];

/** The queues of a deployment: balances only where the storefront is deployed. */
export function deployedFamilies({
  storefront,
}: Pick<Connector, 'storefront'>): readonly QueueFamily[] {
  return storefront ? [...FAMILIES, 'balances'] : FAMILIES;
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

/** All figures of the last hour that `status` shows, in one request. */
export async function readLastHour(readFigures: ReadFigures): Promise<LastHour> {
  const [p50 = [], p99 = [], ...sums] = await readFigures([
    { metric: 'latency-ms', statistic: 'p50' },
    { metric: 'latency-ms', statistic: 'p99' },
    ...SUMS.map((metric) => ({ metric, statistic: 'Sum' as const })),
  ]);
  const points = Object.fromEntries(
    SUMS.map((metric, index) => [metric, sums[index] ?? []]),
  ) as Record<(typeof SUMS)[number], readonly Point[]>;
  const counted = Object.fromEntries(
    SUMS.map((metric) => [metric, sumOf(points[metric])]),
  ) as Record<(typeof SUMS)[number], number>;
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
    signs,
    latencyMs: isTimed ? { p50: worst(p50), p99: worst(p99) } : undefined,
  };

  function signOf(metric: SignOf, accepted: readonly Point[]): LastHour['signs'] {
    const seen = points[metric].filter(({ value }) => value > 0).map(({ at }) => at);
    if (seen.length === 0) return {};
    const lastAt = Math.max(...seen);
    return { [metric]: { lastAt, acceptedSince: sumOf(accepted.filter(({ at }) => at > lastAt)) } };
  }
}

function sumOf(points: readonly Point[]): number {
  return points.reduce((sum, { value }) => sum + value, 0);
}

/** One figure that a function of the local stack wrote. */
interface Sample extends Point {
  readonly name: string;
}

/** Answers the same queries as CloudWatch from the metrics of the local stack. */
export function createLocalFigures(readMetrics: () => Promise<unknown>): ReadFigures {
  return async (wanted) => {
    const samples = readSamples(await readMetrics());
    return wanted.map((figure) => evaluate(figure, samples));
  };
}

function evaluate(
  { metric, statistic }: WantedFigure,
  samples: readonly Sample[],
): readonly Point[] {
  const found = samples.filter(({ name }) => name === metric);
  const [first] = found;
  if (statistic === 'Sum' || !first) return found;
  const values = found.map(({ value }) => value);
  return [{ at: first.at, value: percentile(values, statistic === 'p50' ? 0.5 : 0.99) }];
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
  if (!isRecord(value) || typeof value.name !== 'string') return false;
  return typeof value.value === 'number' && typeof value.at === 'number';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
