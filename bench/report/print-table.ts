import { renderTable } from '../../scripts/connector/terminal/table.ts';
import type { Figure } from '../bench.ts';
import { COLUMNS, figureRow } from './figure-row.ts';
import { pivotOf } from './pivot.ts';
import { APART, isApart } from './write-docs.ts';

/** For a terminal: what a figure was measured on stands below it, what belongs together apart. */
export function printFigures(figures: readonly Figure[], width: number): string {
  const apart = APART.map((bench) => pivotOf(bench, figures)).filter(({ rows }) => rows.length > 0);
  const main = figures.filter((one) => !isApart(one));
  return [
    ...(main.length > 0 ? [mainTable(main, width)] : []),
    ...apart.map(({ columns, rows }) => table(columns, rows, width)),
  ].join('\n');
}

function mainTable(figures: readonly Figure[], width: number): string {
  return table(
    COLUMNS,
    figures.map(figureRow),
    width,
    figures.map(({ note = '' }) => note),
  );
}

function table(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  details: readonly string[] = [],
): string {
  const isText = new Set(['bar', 'met']);
  return renderTable(
    {
      columns: columns.map((title, index) => ({
        title: title.toUpperCase(),
        align: index === 0 || isText.has(title) ? 'left' : 'right',
      })),
      rows,
      details,
    },
    width,
    (_, text) => text,
  );
}
