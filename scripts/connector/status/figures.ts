import type { Connector } from '../../../shared/config/connector-config.ts';
import type { Dimensions, Metric } from '../../../shared/core/batch/telemetry.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { LastHour, WorkerHour } from './status-model.ts';

/** One metric of the functions (shared/aws/emf-telemetry.ts). */
export interface WantedFigure {
  readonly service: string;
  readonly metric: Metric;
  /** Beyond `service`; none: over all of them. */
  readonly dimensions?: Dimensions;
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

const OUTCOMES = [
  'applied',
  'unchanged',
  'superseded',
  'skipped',
  'handled',
  'retried',
  'rejected',
  'misconfigured',
  'crash',
] as const satisfies readonly Metric[];

const RECEIVER = 'receive-webhook';

const receiverFigures = [
  { service: RECEIVER, metric: 'received', statistic: 'Sum' },
  { service: RECEIVER, metric: 'refused', dimensions: { why: 'signature' }, statistic: 'Sum' },
  { service: RECEIVER, metric: 'unknown-topic', statistic: 'Sum' },
  { service: RECEIVER, metric: 'older-secret-used', statistic: 'Sum' },
] as const satisfies readonly WantedFigure[];

/** All figures of the last hour that `status` shows, in one request. */
export async function readLastHour(
  readFigures: ReadFigures,
  families: readonly QueueFamily[],
): Promise<LastHour> {
  const perWorker = families.map(workerFigures);
  const figures = await readFigures([...receiverFigures, ...perWorker.flat()]);
  const [received = 0, badSignatures = 0, unknownTopics = 0, olderSecretUsed = 0] = figures;
  let start = receiverFigures.length;
  const workers = families.map((family, index) => {
    const size = perWorker[index]?.length ?? 0;
    start += size;
    return workerHour(family, figures.slice(start - size, start));
  });
  return { workers, receiver: { received, badSignatures, unknownTopics, olderSecretUsed } };
}

function workerFigures(family: QueueFamily): readonly WantedFigure[] {
  const service = `sync-${family}`;
  return [
    { service, metric: 'latency-ms', statistic: 'p50' },
    { service, metric: 'latency-ms', statistic: 'p99' },
    ...OUTCOMES.map((metric): WantedFigure => ({ service, metric, statistic: 'Sum' })),
  ];
}

function workerHour(
  family: QueueFamily,
  [p50, p99, ...sums]: readonly (number | undefined)[],
): WorkerHour {
  const counted = Object.fromEntries(
    OUTCOMES.map((metric, index) => [metric, sums[index] ?? 0]),
  ) as Record<(typeof OUTCOMES)[number], number>;
  const latencyMs = p50 === undefined || p99 === undefined ? undefined : { p50, p99 };
  return { family, ...counted, latencyMs };
}

/** One figure that a function of the local stack wrote. */
interface Sample {
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
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
  { service, metric, dimensions = {}, statistic }: WantedFigure,
  samples: readonly Sample[],
): number | undefined {
  const asked = Object.entries({ service, ...dimensions });
  // As in CloudWatch: each set of dimensions is a separate metric, and one count is in several.
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
