import type { Terminal } from '../terminal/terminal.ts';
import { spanText } from '../terminal/text.ts';
import type { Chart } from './charts.ts';

/** Of the names on the left, and of the largest values on the right. */
const BESIDE_COLUMNS = 24;

/** A line of blocks for each figure, at most as wide as the screen: then one block is several periods. */
export function printChart(terminal: Terminal, title: string, chart: Chart | undefined): void {
  if (!chart) return;
  const { from, everySeconds, received, applied, retried, rejected, p50, p99 } = chart;
  const periods = Math.ceil(received.length / Math.max(terminal.width - BESIDE_COLUMNS, 1));
  const sums = (values: readonly number[]) =>
    inGroups(values, periods).map((group) => group.reduce((sum, one) => sum + one, 0));
  const worst = (values: readonly (number | null)[]) =>
    inGroups(values, periods).map((group) => {
      const known = group.filter((one) => one !== null);
      return known.length === 0 ? null : Math.max(...known);
    });
  const minutes = (everySeconds * periods) / 60;
  terminal.line();
  terminal.table({
    columns: [
      { title },
      { title: `from ${from.slice(11, 16)} UTC, one block is ${minutes} min` },
      { title: 'most', align: 'right' },
    ],
    rows: [
      ...Object.entries({ received, applied, retried, rejected }).map(([name, values]) => [
        name,
        sparkline(sums(values)),
        String(Math.max(...sums(values))),
      ]),
      ...Object.entries({ p50, p99 }).map(([name, values]) => [
        name,
        sparkline(worst(values)),
        secondsText(Math.max(...worst(values).map((one) => one ?? 0)) || undefined),
      ]),
    ],
  });
}

function inGroups<Value>(values: readonly Value[], size: number): readonly (readonly Value[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** A dot is nothing, the lowest block is the least above it. */
export function sparkline(values: readonly (number | null)[]): string {
  const most = Math.max(...values.map((one) => one ?? 0));
  return values
    .map((one) => (one ? BLOCKS[Math.ceil((one / most) * BLOCKS.length) - 1] : '·'))
    .join('');
}

export function secondsText(milliseconds: number | undefined): string {
  if (milliseconds === undefined) return '-';
  return milliseconds < 100_000 ? `${(milliseconds / 1000).toFixed(1)} s` : spanText(milliseconds);
}
