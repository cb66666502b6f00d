import type { Connector } from '../../../shared/config/connector-config.ts';
import type { WrittenMetric } from '../../../shared/config/metrics.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { LastHour } from './status-model.ts';

/** One metric of the functions (shared/aws/emf-telemetry.ts). */
export interface WantedFigure {
  readonly metric: WrittenMetric;
  readonly statistic: 'Sum' | 'p50' | 'p99';
}

/** The figures in the requested order; undefined: no data. */
export type ReadFigures = (
  wanted: readonly WantedFigure[],
) => Promise<readonly (number | undefined)[]>;

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
  const [p50, p99, ...sums] = await readFigures([
    { metric: 'latency-ms', statistic: 'p50' },
    { metric: 'latency-ms', statistic: 'p99' },
    ...SUMS.map((metric) => ({ metric, statistic: 'Sum' as const })),
  ]);
  const counted = Object.fromEntries(
    SUMS.map((metric, index) => [metric, sums[index] ?? 0]),
  ) as Record<(typeof SUMS)[number], number>;
  const latencyMs = p50 === undefined || p99 === undefined ? undefined : { p50, p99 };
  return { ...counted, latencyMs };
}

/** One figure that a function of the local stack wrote. */
interface Sample {
  readonly name: string;
  readonly value: number;
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
): number | undefined {
  const values = samples.filter(({ name }) => name === metric).map(({ value }) => value);
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
  return isRecord(value) && typeof value.name === 'string' && typeof value.value === 'number';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
