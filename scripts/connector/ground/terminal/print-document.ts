import {
  type Block,
  type Cell,
  type Column,
  completeLine,
  type Document,
  type FactsBlock,
  isEmpty,
  type ShownFinding,
  type Suggestion,
  type TableBlock,
  type TimelineBlock,
  TONE_OF,
} from './document.ts';
import { type LinePlace, lineText } from './line.ts';
import type { Terminal } from './terminal.ts';
import { printable, relativeTime, shorten, utcText, wrap } from './text.ts';

export interface PrintSettings {
  /** Where the suggested commands run; undefined where there is no deployment. */
  readonly place?: LinePlace | undefined;
  /** Also what is folded away on a page. */
  readonly full?: boolean | undefined;
  readonly now: Date;
}

const STYLES = { ok: 'green', pending: 'yellow', bad: 'red', soft: 'dim', info: 'dim' } as const;

export function printDocument(
  terminal: Terminal,
  { title, verdict, blocks, next = [] }: Document,
  settings: PrintSettings,
): void {
  terminal.line(terminal.style('bold', printable(title)));
  if (verdict) {
    terminal.line();
    const style = STYLES[TONE_OF[verdict.kind]];
    terminal.line(terminal.style(['bold', style], verdict.kind.toUpperCase()));
    printWords(terminal, verdict.what, '  ');
  }
  for (const block of blocks) printBlock(terminal, block, settings);
  if (next.length > 0) terminal.line();
  for (const one of next) printSuggestion(terminal, one, settings);
}

function printBlock(terminal: Terminal, block: Block, settings: PrintSettings): void {
  if (block.kind === 'chart' || isEmpty(block)) return;
  if (block.kind === 'code' && block.folded && !settings.full) return;
  terminal.line();
  if ('title' in block && block.title !== undefined) {
    terminal.line(terminal.style('bold', printable(block.title)));
  }
  PRINTERS[block.kind](terminal, block as never, settings);
}

const PRINTERS: {
  readonly [Kind in Exclude<Block['kind'], 'chart'>]: (
    terminal: Terminal,
    block: Extract<Block, { kind: Kind }>,
    settings: PrintSettings,
  ) => void;
} = {
  text: (terminal, { text, tone }) => printWords(terminal, text, '', tone),
  findings(terminal, { findings }, settings) {
    const names = allOf(findings).map(({ name }) => (name ? name.length + 2 : 0));
    printFindings(terminal, findings, settings, Math.max(0, ...names));
  },
  facts: printFacts,
  table: printTable,
  timeline: printTimeline,
  code(terminal, { text }) {
    for (const line of text.split('\n')) terminal.line(`  ${printable(line)}`);
  },
  section(terminal, { blocks }, settings) {
    for (const block of blocks) printBlock(terminal, block, settings);
  },
};

const LEAST_ROOM = 40;

/** Words behind a head, wrapped so that they stand below each other. */
function printWords(
  terminal: Terminal,
  words: string,
  head: string,
  tone?: keyof typeof STYLES,
  paintHead = (given: string) => given,
): void {
  const shownHead = printable(head);
  const room = Math.max(terminal.width - shownHead.length, LEAST_ROOM);
  // A path that is broken over two lines cannot be copied.
  const lines = words
    .split('\n')
    .flatMap((line) => (line.includes(' ') ? wrap(printable(line), room) : [printable(line)]));
  for (const [index, line] of (lines.length === 0 ? [''] : lines).entries()) {
    const before = index === 0 ? paintHead(shownHead) : ' '.repeat(shownHead.length);
    terminal.line(`${before}${tone ? terminal.style(STYLES[tone], line) : line}`);
  }
}

const MARKS = { ok: 'pass', pending: 'warn', bad: 'FAIL', info: 'info' } as const;

const allOf = (found: readonly ShownFinding[]): readonly ShownFinding[] =>
  found.flatMap((one) => [one, ...allOf(one.follows ?? [])]);

function printFindings(
  terminal: Terminal,
  findings: readonly ShownFinding[],
  settings: PrintSettings,
  nameWidth: number,
  before = '',
): void {
  for (const { tone, name = '', what, fix, next = [], follows = [] } of findings) {
    const mark = MARKS[tone];
    const head = `${before}${mark}  ${name.padEnd(nameWidth)}`;
    const margin = ' '.repeat(head.length);
    printWords(terminal, what, head, undefined, (given) =>
      given.replace(mark, terminal.style(STYLES[tone], mark)),
    );
    // Not wrapped: it may be a command.
    for (const line of fix?.split('\n') ?? []) terminal.line(`${margin}${printable(line)}`);
    for (const one of next) printSuggestion(terminal, one, settings, margin);
    printFindings(terminal, follows, settings, nameWidth, `${before}  `);
  }
}

/** Not wrapped: a command that is broken over two lines cannot be copied. */
function printSuggestion(
  terminal: Terminal,
  suggestion: Suggestion,
  { place }: PrintSettings,
  margin = '',
): void {
  printWords(terminal, suggestion.say ?? `${suggestion.label}:`, margin);
  const words = lineText(completeLine(suggestion), place);
  terminal.line(`${margin}  ${terminal.style('cyan', printable(words))}`);
}

function printFacts(terminal: Terminal, { facts }: FactsBlock, { now }: PrintSettings): void {
  const width = widestOf(facts.map(([label]) => label)) + 2;
  const dim = (label: string) => terminal.style('dim', label);
  for (const [label, value] of facts) {
    const tone = typeof value === 'object' && 'tone' in value ? value.tone : undefined;
    printWords(terminal, cellText(value, now), label.padEnd(width), tone, dim);
  }
}

function printTable(terminal: Terminal, block: TableBlock, settings: PrintSettings): void {
  const { rows, empty = '' } = block;
  if (rows.length === 0) {
    printWords(terminal, empty, '');
    return;
  }
  terminal.line(renderTable(block, settings.now, terminal));
  const next = rows.flatMap((row) => row.next ?? []);
  if (next.length > 0) terminal.line();
  for (const one of next) printSuggestion(terminal, one, settings);
}

const GAP = '  ';
const LEAST_WIDTH = 8;
const DETAIL_INDENT = ' '.repeat(7);

export function renderTable(
  { columns, rows }: Pick<TableBlock, 'columns' | 'rows'>,
  now: Date,
  { width, style }: Pick<Terminal, 'width' | 'style'>,
): string {
  const head = columns.map(({ title }) => title.toUpperCase());
  const texts = rows.map(({ cells }) => cells.map((cell) => cellText(cell, now)));
  const widths = fitWidths(columns, [head, ...texts], width);
  const render = (cells: readonly string[]) => {
    const shown = columns.map(({ align }, index) => {
      const room = widths[index] ?? 0;
      const text = shorten(cells[index] ?? '', room);
      return align === 'right' ? text.padStart(room) : text.padEnd(room);
    });
    return shown.join(GAP).trimEnd();
  };
  const lines = rows.flatMap(({ isSum, detail = '' }, index) => {
    const shown = render(texts[index] ?? []);
    const under = wrap(printable(detail), width - DETAIL_INDENT.length);
    const dimmed = under.map((line) => style('dim', `${DETAIL_INDENT}${line}`));
    return [isSum ? style('bold', shown) : shown, ...dimmed];
  });
  return [style('dim', render(head)), ...lines].join('\n');
}

/** As wide as its longest text; where that is too wide, the widest of those that may shrink gives way. */
function fitWidths(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  const widths = columns.map((_, index) => widestOf(rows.map((row) => row[index] ?? '')));
  const room = width - GAP.length * (columns.length - 1);
  for (;;) {
    const shrinking = widths.map((one, index) => (columns[index]?.shrinks ? one : 0));
    const widest = Math.max(LEAST_WIDTH, ...shrinking);
    const taken = widths.reduce((sum, one) => sum + one, 0);
    if (taken <= room || widest === LEAST_WIDTH) return widths;
    widths[shrinking.indexOf(widest)] = widest - 1;
  }
}

function printTimeline(terminal: Terminal, { lines }: TimelineBlock, { now }: PrintSettings): void {
  const names = lines.map(({ who }) => printable(who));
  const width = widestOf(names);
  for (const [index, { at, what, detail, tone, facts = [] }] of lines.entries()) {
    const head = `${utcText(at)}  ${names[index]?.padEnd(width)}  `;
    printWords(terminal, [what, detail].filter(Boolean).join(': '), head, tone);
    const known = facts.map(([label, value]) => `${label}: ${datedText(value, now)}`).join('; ');
    if (known !== '') printWords(terminal, known, ' '.repeat(head.length), 'soft');
  }
}

const datedText = (cell: Cell, now: Date) =>
  typeof cell === 'object' && 'at' in cell ? utcText(cell.at) : cellText(cell, now);

const widestOf = (texts: readonly string[]) => Math.max(0, ...texts.map(({ length }) => length));

function cellText(cell: Cell, now: Date): string {
  if (typeof cell === 'string') return printable(cell);
  if (typeof cell === 'number') return cell.toLocaleString('en');
  return 'at' in cell ? relativeTime(Date.parse(cell.at), now) : printable(cell.text);
}
