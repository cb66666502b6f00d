import type { Terminal } from '../terminal/terminal.ts';
import { printable, relativeTime, secondsText, utcText, wrap } from '../terminal/text.ts';
import {
  type ArithmeticBlock,
  type Block,
  type Cell,
  type ChartBlock,
  type CodeBlock,
  completeLine,
  type Document,
  type FactsBlock,
  type FindingsBlock,
  type FlowBlock,
  isEmpty,
  type ShownFinding,
  type Suggestion,
  type TableBlock,
  type TimelineBlock,
  type Tone,
  type VerdictKind,
} from './document.ts';
import { type LinePlace, lineText } from './line.ts';

export interface PrintSettings {
  /** Where the suggested commands run; undefined where there is no deployment. */
  readonly place?: LinePlace | undefined;
  /** Also what is folded away on a page. */
  readonly full?: boolean | undefined;
  readonly now: Date;
}

type Print = (terminal: Terminal, settings: PrintSettings) => void;

const STYLES = { well: 'green', waits: 'yellow', bad: 'red', soft: 'dim', info: 'dim' } as const;
const VERDICTS: Readonly<Record<VerdictKind, keyof typeof STYLES>> = {
  well: 'well',
  waits: 'waits',
  'action required': 'bad',
  'not known': 'waits',
};

/** Draws a document at the terminal: the verdict, what it rests on, and what to do next. */
export function printDocument(
  terminal: Terminal,
  { title, verdict, blocks, next = [] }: Document,
  settings: PrintSettings,
): void {
  terminal.line(terminal.style('bold', printable(title)));
  if (verdict) {
    terminal.line();
    const style = STYLES[VERDICTS[verdict.kind]];
    terminal.line(terminal.style(['bold', style], verdict.kind.toUpperCase()));
    indented(terminal, verdict.what, '  ');
  }
  for (const block of blocks) printBlock(terminal, block, settings);
  if (next.length === 0) return;
  terminal.line();
  for (const one of next) printSuggestion(terminal, one, settings, '');
}

export function printBlock(terminal: Terminal, block: Block, settings: PrintSettings): void {
  if (isEmpty(block)) return;
  if (block.kind === 'form' || (block.kind === 'code' && block.folded && !settings.full)) return;
  terminal.line();
  if ('title' in block && block.title !== undefined && block.kind !== 'chart') {
    terminal.line(terminal.style('bold', printable(block.title)));
  }
  PRINTERS[block.kind](block as never)(terminal, settings);
}

const PRINTERS: {
  readonly [Kind in Exclude<Block['kind'], 'form'>]: (
    block: Extract<Block, { kind: Kind }>,
  ) => Print;
} = {
  text: (block) => (terminal) => {
    for (const words of block.text.split('\n')) {
      for (const line of wrap(printable(words), terminal.width)) {
        terminal.line(block.tone ? terminal.style(STYLES[block.tone], line) : line);
      }
    }
  },
  findings: printFindings,
  facts: printFacts,
  table: printTable,
  timeline: printTimeline,
  arithmetic: printArithmetic,
  flow: printFlow,
  chart: printChart,
  code: printCode,
  section:
    ({ blocks }) =>
    (terminal, settings) => {
      for (const block of blocks) printBlock(terminal, block, settings);
    },
};

const MARKS = { well: 'pass', waits: 'warn', bad: 'FAIL', info: 'info' } as const;
const MARK_WIDTH = 6;
const LEAST_ROOM = 40;

function printFindings({ findings }: FindingsBlock): Print {
  const all = (found: readonly ShownFinding[]): readonly ShownFinding[] =>
    found.flatMap((one) => [one, ...all(one.follows ?? [])]);
  const nameWidth = Math.max(0, ...all(findings).map(({ name }) => (name ? name.length + 2 : 0)));
  return (terminal, settings) => {
    for (const finding of findings) printFinding(terminal, finding, settings, nameWidth, '');
  };
}

function printFinding(
  terminal: Terminal,
  { tone, name = '', what, fix, next = [], follows = [] }: ShownFinding,
  settings: PrintSettings,
  nameWidth: number,
  before: string,
): void {
  const margin = `${before}${' '.repeat(MARK_WIDTH + nameWidth)}`;
  const room = Math.max(terminal.width - margin.length, LEAST_ROOM);
  const [first = '', ...rest] = wrap(printable(what), room);
  const mark = terminal.style(STYLES[tone], MARKS[tone]);
  terminal.line(`${before}${mark}  ${name.padEnd(nameWidth)}${first}`);
  for (const more of rest) terminal.line(`${margin}${more}`);
  if (fix !== undefined) {
    for (const line of fix.split('\n')) terminal.line(`${margin}${printable(line)}`);
  }
  for (const one of next) printSuggestion(terminal, one, settings, margin);
  for (const one of follows) printFinding(terminal, one, settings, nameWidth, `${before}  `);
}

/** Not wrapped: a command that is broken over two lines cannot be copied. */
function printSuggestion(
  terminal: Terminal,
  suggestion: Suggestion,
  { place }: PrintSettings,
  margin: string,
): void {
  indented(terminal, suggestion.say ?? `${suggestion.label}:`, margin);
  const words = lineText(completeLine(suggestion), place);
  terminal.line(`${margin}  ${terminal.style('cyan', printable(words))}`);
}

function printFacts({ facts }: FactsBlock): Print {
  const width = Math.max(0, ...facts.map(([label]) => label.length)) + 2;
  return (terminal, { now }) => {
    for (const [label, value] of facts) {
      const [first = '', ...rest] = wrap(cellText(value, now), terminal.width - width);
      const tone = toneOf(value);
      const paint = (line: string) => (tone ? terminal.style(STYLES[tone], line) : line);
      terminal.line(`${terminal.style('dim', label.padEnd(width))}${paint(first)}`);
      for (const more of rest) terminal.line(`${' '.repeat(width)}${paint(more)}`);
    }
  };
}

function printTable({ columns, rows, empty }: TableBlock): Print {
  return (terminal, settings) => {
    if (rows.length === 0) {
      indented(terminal, empty ?? '', '');
      return;
    }
    terminal.table({
      columns: columns.map((column) => ({ ...column, title: column.title.toUpperCase() })),
      rows: rows.map(({ cells }) => cells.map((cell) => cellText(cell, settings.now))),
      details: rows.map(({ detail = '' }) => detail),
    });
    const next = rows.flatMap((row) => row.next ?? []);
    if (next.length > 0) terminal.line();
    for (const one of next) printSuggestion(terminal, one, settings, '');
  };
}

function printTimeline({ lines }: TimelineBlock): Print {
  const width = Math.max(0, ...lines.map(({ who }) => who.length));
  return (terminal) => {
    for (const { at, who, what, detail, tone } of lines) {
      const head = `${utcText(at)}  ${who.padEnd(width)}  `;
      const words = [what, detail].filter(Boolean).join(', ');
      const [first = '', ...rest] = wrap(printable(words), terminal.width - head.length);
      const paint = (line: string) => (tone ? terminal.style(STYLES[tone], line) : line);
      terminal.line(`${head}${paint(first)}`);
      for (const more of rest) terminal.line(`${' '.repeat(head.length)}${paint(more)}`);
    }
  };
}

function printArithmetic({ steps }: ArithmeticBlock): Print {
  const width = Math.max(0, ...steps.map(({ amount }) => amount.length));
  return (terminal) => {
    for (const { amount, what, at, isSum } of steps) {
      if (isSum) terminal.line('─'.repeat(width));
      const when = at === undefined ? '' : ` (${utcText(at)} UTC)`;
      const words = printable(`${amount.padStart(width)}  ${what}${when}`);
      terminal.line(isSum ? terminal.style('bold', words) : words);
    }
  };
}

function printFlow({ stages }: FlowBlock): Print {
  const width = Math.max(0, ...stages.map(({ name }) => name.length)) + 2;
  return (terminal, settings) => {
    for (const { name, text, figures = [], table } of stages) {
      const words = [...(text ? [text] : []), ...figures.map((one) => `${one.value} ${one.name}`)];
      const [first = '', ...rest] = wrap(printable(words.join(', ')), terminal.width - width);
      terminal.line(`${name.padEnd(width)}${first}`);
      for (const more of rest) terminal.line(`${' '.repeat(width)}${more}`);
      if (table) printTable(table)(terminal, settings);
    }
  };
}

/** Of the names on the left, and of the largest values on the right. */
const BESIDE_COLUMNS = 24;

/** A line of blocks for each series, at most as wide as the screen: then one block is several periods. */
function printChart({ title, from, everySeconds, unit, series }: ChartBlock): Print {
  return (terminal) => {
    const length = Math.max(...series.map(({ values }) => values.length));
    const periods = Math.ceil(length / Math.max(terminal.width - BESIDE_COLUMNS, 1));
    const minutes = (everySeconds * periods) / 60;
    terminal.table({
      columns: [
        { title },
        { title: `from ${from.slice(11, 16)} UTC, one block is ${minutes} min` },
        { title: 'most', align: 'right' },
      ],
      rows: series.map(({ name, values }) => {
        const drawn = inGroups(values, periods).map(unit === 'count' ? sumOf : worstOf);
        const most = Math.max(...drawn.map((one) => one ?? 0));
        return [
          name,
          sparkline(drawn),
          unit === 'count' ? `${most}` : most === 0 ? '-' : secondsText(most),
        ];
      }),
    });
  };
}

function inGroups<Value>(values: readonly Value[], size: number): readonly (readonly Value[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, one) => sum + (one ?? 0), 0);

function worstOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((one) => one !== null);
  return known.length === 0 ? null : Math.max(...known);
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** A dot is nothing, the lowest block is the least above it. */
export function sparkline(values: readonly (number | null)[]): string {
  const most = Math.max(...values.map((one) => one ?? 0));
  return values
    .map((one) => (one ? BLOCKS[Math.ceil((one / most) * BLOCKS.length) - 1] : '·'))
    .join('');
}

function printCode({ text }: CodeBlock): Print {
  return (terminal) => {
    for (const line of text.split('\n')) terminal.line(`  ${printable(line)}`);
  };
}

function indented(terminal: Terminal, words: string, margin: string): void {
  for (const line of words.split('\n')) {
    for (const part of wrap(printable(line), terminal.width - margin.length)) {
      terminal.line(`${margin}${part}`);
    }
  }
}

function cellText(cell: Cell, now: Date): string {
  if (typeof cell === 'string') return printable(cell);
  if (typeof cell === 'number') return String(cell);
  return 'at' in cell ? relativeTime(Date.parse(cell.at), now) : printable(cell.text);
}

function toneOf(cell: Cell): Tone | undefined {
  return typeof cell === 'object' && 'tone' in cell ? cell.tone : undefined;
}
