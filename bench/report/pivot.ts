import type { Figure } from '../bench.ts';

export interface Pivot {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Figures of one bench whose keys end in what they are of (`growth.lines.10.worker`): a row for what
 * stands before it, a column for each ending.
 */
export function pivotOf(bench: string, figures: readonly Figure[]): Pivot {
  const cells = new Map<string, Map<string, string>>();
  const endings = new Set<string>();
  for (const { key, value, unit } of figures) {
    if (!key.startsWith(`${bench}.`)) continue;
    const end = key.lastIndexOf('.');
    const row = key.slice(bench.length + 1, end);
    const ending = key.slice(end + 1);
    endings.add(ending);
    const cell = `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)}${shortUnit(unit)}`;
    cells.set(row, (cells.get(row) ?? new Map<string, string>()).set(ending, cell));
  }
  const columns = [...endings];
  return {
    columns: [bench, ...columns],
    rows: [...cells].map(([row, of]) => [row, ...columns.map((column) => of.get(column) ?? '')]),
  };
}

function shortUnit(unit: string): string {
  if (unit.startsWith('%')) return ' %';
  if (unit === 'ms CPU') return ' ms';
  if (unit === 'KiB') return ' KiB';
  return unit.startsWith('MB') ? ' MB' : '';
}
