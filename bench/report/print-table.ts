import { renderTable } from '../../scripts/connector/terminal/table.ts';
import type { Figure } from '../bench.ts';
import { COLUMNS, figureRow } from './figure-row.ts';

/** For a terminal; what a figure was measured on stands below it. */
export function printTable(figures: readonly Figure[], width: number): string {
  return renderTable(
    {
      columns: COLUMNS.map((title, index) => ({
        title: title.toUpperCase(),
        ...(index > 0 && index < 6 && { align: 'right' as const }),
      })),
      rows: figures.map(figureRow),
      details: figures.map(({ note = '' }) => note),
    },
    width,
    (_, text) => text,
  );
}
