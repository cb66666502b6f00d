import { renderTable } from '../../scripts/connector/ground/terminal/print-document.ts';
import type { Bar, Figure } from '../bench.ts';

const COLUMNS = ['figure', 'this connector', 'floor', 'ratio', 'spread', 'bar', 'met'] as const;

/** A figure as a row of the table. */
export function figureRow(figure: Figure): readonly string[] {
  const { key, value, unit, floor, ratio, spread, bar } = figure;
  return [
    key,
    `${short(value)} ${unit}`,
    floor === undefined ? '' : short(floor),
    ratio ? `${short(ratio.median)} ×` : '',
    spreadText(ratio ?? spread),
    bar ? barText(bar) : '',
    bar ? (isMet(figure, bar) ? 'yes' : 'NO') : '',
  ];
}

export function isMet({ value, ratio }: Pick<Figure, 'value' | 'ratio'>, bar: Bar): boolean {
  const held = bar.of === 'ratio' ? ratio?.median : value;
  if (held === undefined) throw new Error('a bar on a ratio that was not measured');
  return held <= bar.limit;
}

const barText = ({ limit, of }: Bar): string => `≤ ${plain(limit)}${of === 'ratio' ? ' ×' : ''}`;

function spreadText(spread: { readonly low: number; readonly high: number } | undefined): string {
  return spread ? `${short(spread.low)} to ${short(spread.high)}` : '';
}

/** Three digits: more would suggest a precision that was not measured. */
function short(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return plain(Math.round(value));
  return value.toPrecision(3);
}

function plain(value: number): string {
  return value.toLocaleString('en-US').replaceAll(',', ' ');
}

/** For a terminal, with the notes of a figure below it. */
export function printFigures(figures: readonly Figure[], width: number): string {
  if (figures.length === 0) return '';
  const isText = new Set<string>(['figure', 'bar', 'met']);
  const table = {
    columns: COLUMNS.map((title) => ({
      title,
      align: isText.has(title) ? ('left' as const) : ('right' as const),
    })),
    rows: figures.map((figure) => ({ cells: figureRow(figure), detail: figure.note ?? '' })),
  };
  return renderTable(table, new Date(), { width, style: (_, text) => text });
}

/** The document with the figures of this run between its marks. */
export function putFigures(
  document: string,
  run: RunDescription,
  figures: readonly Figure[],
): string {
  const begin = '<!-- figures: written by npm run bench -- --write-docs -->';
  const end = '<!-- end of figures -->';
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error('docs/performance.md has lost its marks for figures');
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${COLUMNS.slice(1)
    .map(() => '---:|')
    .join('')}`;
  const text = [
    `Measured on ${run.at.slice(0, 10)}, ${run.machine}.\n`,
    line(COLUMNS),
    rule,
    ...figures.map((figure) => line(figureRow(figure))),
    '',
    ...notes(figures),
  ].join('\n');
  return `${document.slice(0, from)}${begin}\n\n${text}\n\n${document.slice(to)}`;
}

/** One line for all figures that have the same note. */
function notes(figures: readonly Figure[]): readonly string[] {
  const noted = figures.filter(({ note }) => note !== undefined);
  return [...Map.groupBy(noted, ({ note }) => note)].map(
    ([note, same]) => `- ${same.map(({ key }) => `\`${key}\``).join(', ')}: ${note}`,
  );
}

export interface RunDescription {
  /** ISO 8601. */
  readonly at: string;
  readonly machine: string;
  readonly quick: boolean;
}

/** Every figure by its key, so that runs can be compared. */
export function toJson(run: RunDescription, figures: readonly Figure[]): string {
  const named = figures.map(({ key, ...figure }) => [
    key,
    { ...figure, ...(figure.bar && { met: isMet(figure, figure.bar) }) },
  ]);
  return `${JSON.stringify({ ...run, figures: Object.fromEntries(named) }, null, 2)}\n`;
}
