import { printable, shorten, wrap } from './text.ts';

interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Shrinks first when the table does not fit; by default a column keeps its full text. */
  readonly shrinks?: boolean;
}

/** Colours a text; see `Terminal.style`. */
type Paint = (style: 'dim', text: string) => string;

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** A line under each row; empty for none. */
  readonly details?: readonly string[];
}

const GAP = '  ';
const LEAST_WIDTH = 8;
const DETAIL_INDENT = 7;

/** A table with a header, at most as wide as the screen. */
export function renderTable(table: Table, width: number, style: Paint): string {
  const { columns } = table;
  const rows = table.rows.map((row) => row.map(printable));
  const widths = fitWidths(columns, rows, width);
  const render = (cells: readonly string[]) =>
    columns
      .map(({ align }, index) => {
        const columnWidth = widths[index] ?? 0;
        const text = shorten(cells[index] ?? '', columnWidth);
        return align === 'right' ? text.padStart(columnWidth) : text.padEnd(columnWidth);
      })
      .join(GAP)
      .trimEnd();
  const head = style('dim', render(columns.map(({ title }) => title)));
  const lines = rows.flatMap((row, index) => {
    const detail = printable(table.details?.[index] ?? '');
    const under = wrap(detail, width - DETAIL_INDENT).map((line) =>
      style('dim', ' '.repeat(DETAIL_INDENT) + line),
    );
    return [render(row), ...under];
  });
  return [head, ...lines].join('\n');
}

function fitWidths(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  let excess = widths.reduce((sum, one) => sum + one, GAP.length * (columns.length - 1)) - width;
  while (excess > 0) {
    const widest = widestShrinking(columns, widths);
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function widestShrinking(columns: readonly Column[], widths: readonly number[]) {
  let widest: number | undefined;
  for (const [index, width] of widths.entries()) {
    if (!columns[index]?.shrinks || width <= LEAST_WIDTH) continue;
    if (widest === undefined || width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}
