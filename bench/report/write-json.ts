import type { Figure } from '../bench.ts';
import { isMet } from './figure-row.ts';

export interface RunDescription {
  /** ISO 8601. */
  readonly at: string;
  readonly machine: string;
  readonly quick: boolean;
}

/** Every figure under its own key, so that two runs compare by name. */
export function toJson(run: RunDescription, figures: readonly Figure[]): string {
  const named = figures.map(({ key, ...figure }) => [
    key,
    { ...figure, ...(figure.bar && { met: isMet(figure, figure.bar) }) },
  ]);
  return `${JSON.stringify({ ...run, figures: Object.fromEntries(named) }, null, 2)}\n`;
}
