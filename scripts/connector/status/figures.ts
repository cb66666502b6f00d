import type { WrittenMetric } from '../../../shared/config/metrics.ts';

/** One metric of the functions (shared/aws/emf-telemetry.ts). */
export interface WantedFigure {
  readonly metric: WrittenMetric;
  readonly statistic: 'Sum' | 'p50' | 'p99';
  readonly everySeconds: number;
}

export interface Point {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly value: number;
}

/** What was written for each figure since that moment, in the requested order. */
export type ReadFigures = (
  wanted: readonly WantedFigure[],
  since: Date,
) => Promise<readonly (readonly Point[])[]>;

export function sumOf(points: readonly Point[]): number {
  return points.reduce((sum, { value }) => sum + value, 0);
}
