import type { Figure } from '../bench.ts';
import { COLUMNS, figureRow } from './figure-row.ts';
import { type Pivot, pivotOf } from './pivot.ts';
import type { RunDescription } from './write-json.ts';

/** Benches whose many figures have a table of their own. */
export const APART = ['growth', 'profile'] as const;

export const isApart = ({ key }: Pick<Figure, 'key'>): boolean =>
  APART.some((bench) => key.startsWith(`${bench}.`));

/** The document with the figures of this run in the places that are marked for them. */
export function putFigures(
  document: string,
  run: RunDescription,
  figures: readonly Figure[],
): string {
  const told = `Measured on ${run.at.slice(0, 10)}, ${run.machine}.`;
  const table = markdown(COLUMNS, figures.filter((one) => !isApart(one)).map(figureRow));
  const notes = figures
    .filter((one) => one.note !== undefined && !isApart(one))
    .map(({ key, note }) => `- **${key}**: ${note}`)
    .join('\n');
  let written = putBlock(document, 'figures', `${told}\n\n${table}\n\n${notes}`);
  for (const bench of APART) {
    written = putBlock(written, bench, pivotMarkdown(pivotOf(bench, figures)));
  }
  return written;
}

function pivotMarkdown({ columns, rows }: Pivot): string {
  return markdown(columns, rows);
}

function markdown(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${columns
    .slice(1)
    .map(() => '---:|')
    .join('')}`;
  return [line(columns), rule, ...rows.map(line)].join('\n');
}

function putBlock(document: string, name: string, text: string): string {
  const begin = `<!-- ${name}: written by npm run bench -- --write-docs -->`;
  const end = `<!-- end of ${name} -->`;
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/performance.md has lost its marks for ${name}`);
  return `${document.slice(0, from)}${begin}\n\n${text}\n\n${document.slice(to)}`;
}
