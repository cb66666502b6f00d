import type { Connector } from '../../../shared/config/connector-config.ts';
import type { Dimensions, Metric } from '../../../shared/core/batch/telemetry.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { LastHour, WorkerHour } from './status-model.ts';

/** One figure out of what the functions count (shared/aws/emf-telemetry.ts). */
export interface WantedFigure {
  readonly service: string;
  readonly metric: Metric;
  /** Beyond `service`; none: over all of them. */
  readonly dimensions?: Dimensions;
  readonly statistic: 'Sum' | 'p50' | 'p99';
}

/** The figures in the order asked for; undefined: nothing was counted. */
export type ReadFigures = (
  wanted: readonly WantedFigure[],
) => Promise<readonly (number | undefined)[]>;

const FAMILIES: readonly QueueFamily[] = ['orders', 'products', 'coupons'];

/** Those of a deployment: balances only where the way back into the store is deployed. */
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

/** Everything that `status` tells of the last hour, in one question. */
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
