import type { ExitCode } from './exit.ts';
import { type Line, line } from './line.ts';

/**
 * What a command answers. The terminal and the page draw it; `--json` prints it as it is. Nothing in it is made for one
 * of them: a new command needs no code of the page.
 */
export interface Document<Data = unknown> {
  /** What it is about: `Order #1007 of example-store.myshopify.com`. */
  readonly title: string;
  /** Without one, the document is a list or a preview, and says neither good nor bad. */
  readonly verdict?: Verdict;
  readonly blocks: readonly Block[];
  readonly next?: readonly Suggestion[];
  /** The values behind the blocks, for programs. Neither terminal nor page reads them. */
  readonly data?: Data;
  /** So many seconds later another look may show something new: an open page looks again. */
  readonly freshSeconds?: number;
}

/** `ok`, and `pending`, which resolves itself, only of what was read just now. `unknown`: not all of it could be read. */
export type VerdictKind = 'ok' | 'pending' | 'action required' | 'unknown';

export interface Verdict {
  readonly kind: VerdictKind;
  readonly what: string;
}

const BY_WEIGHT = ['action required', 'unknown', 'pending', 'ok'] as const;

/** What all of them together are; undefined of none. */
export const worstOf = (
  some: readonly { readonly kind?: VerdictKind | undefined }[],
): VerdictKind | undefined => BY_WEIGHT.find((kind) => some.some((one) => one.kind === kind));

export type Tone = 'ok' | 'pending' | 'bad' | 'soft';

export const TONE_OF: Readonly<Record<VerdictKind, 'ok' | 'pending' | 'bad'>> = {
  ok: 'ok',
  pending: 'pending',
  'action required': 'bad',
  unknown: 'pending',
};

/** A text, a number, a moment (ISO 8601), or a text that has a tone or opens another document. */
export type Cell =
  | string
  | number
  | { readonly at: string }
  | { readonly text: string; readonly tone?: Tone; readonly opens?: Line };

/** A command to run next: a line to copy at a terminal, a link or a button on a page. */
export interface Suggestion {
  /** On a button: `Send 5`, `See 5 rejected orders`. */
  readonly label: string;
  /** Complete but for `--yes`, which the page adds once a person has agreed to what the command says without it. */
  readonly line: Line;
  /** In words before the command: when to do it, with a colon, or what it does, a sentence, which a page writes after. */
  readonly say?: string;
  /** What a person must add, such as a reason. At a terminal its label stands in the line: `<reason for dropping>`. */
  readonly asks?: readonly Field[];
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  /** Values with their names, where only these are possible. */
  readonly of?: Readonly<Record<string, string>>;
  readonly type?: 'text' | 'date';
}

export type Block =
  | TextBlock
  | FindingsBlock
  | FactsBlock
  | TableBlock
  | TimelineBlock
  | ChartBlock
  | CodeBlock
  | SectionBlock;

export interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
  readonly tone?: Tone;
}

/** What was found, the root cause first; what only follows from it is folded below. */
export interface FindingsBlock {
  readonly kind: 'findings';
  readonly title?: string;
  readonly findings: readonly ShownFinding[];
}

export interface ShownFinding {
  /** `info`: neither good nor bad, but worth knowing. */
  readonly tone: 'ok' | 'pending' | 'bad' | 'info';
  /** The part that was looked at: `secrets`. */
  readonly name?: string;
  readonly what: string;
  /** What to do, in words, where no command does it. */
  readonly fix?: string;
  readonly next?: readonly Suggestion[];
  readonly follows?: readonly ShownFinding[];
}

export interface FactsBlock {
  readonly kind: 'facts';
  readonly title?: string;
  readonly facts: readonly (readonly [label: string, value: Cell])[];
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** At a terminal it shrinks first where the table does not fit; by default a column keeps its full text. */
  readonly shrinks?: boolean;
}

export interface TableBlock {
  readonly kind: 'table';
  readonly title?: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Instead of a table without rows; without it, such a table is not drawn. */
  readonly empty?: string;
}

export interface Row {
  readonly cells: readonly Cell[];
  readonly detail?: string;
  readonly tone?: Tone;
  /** Of the rows above it. */
  readonly isSum?: boolean;
  /** What to do with what the row is about: below it on a page, below the table at a terminal. */
  readonly next?: readonly Suggestion[];
}

export interface TimelineBlock {
  readonly kind: 'timeline';
  readonly title?: string;
  readonly lines: readonly {
    /** ISO 8601. */
    readonly at: string;
    readonly who: string;
    readonly what: string;
    readonly detail?: string;
    readonly facts?: FactsBlock['facts'];
    readonly tone?: Tone;
  }[];
}

/** Drawn on a page. One value for each period, the oldest first; null where nothing was measured. */
export interface ChartBlock {
  readonly kind: 'chart';
  readonly title: string;
  /** ISO 8601: when the first period begins. */
  readonly from: string;
  readonly everySeconds: number;
  readonly unit: 'count' | 'milliseconds';
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
    readonly tone?: Tone;
  }[];
}

export interface CodeBlock {
  readonly kind: 'code';
  readonly title?: string;
  readonly text: string;
  /** On a page it opens when a person wants it; a terminal shows it with `--full`. */
  readonly folded?: boolean;
}

export interface SectionBlock {
  readonly kind: 'section';
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly folded?: boolean;
}

const CODES: Readonly<Record<VerdictKind, ExitCode>> = {
  ok: 0,
  'action required': 1,
  pending: 3,
  unknown: 4,
};

export function exitCodeOf({ verdict }: Pick<Document, 'verdict'>): ExitCode {
  return verdict ? CODES[verdict.kind] : 0;
}

/** Is not drawn, nor its title. */
export function isEmpty(block: Block): boolean {
  if (block.kind === 'text') return block.text === '';
  if (block.kind === 'findings') return block.findings.length === 0;
  if (block.kind === 'table') return block.rows.length === 0 && block.empty === undefined;
  return block.kind === 'facts' && block.facts.length === 0;
}

/** With what a person must add, as `<reason for dropping>`: the line to copy. An empty field may be left out. */
export function completeLine({ line, asks = [] }: Pick<Suggestion, 'line' | 'asks'>): Line {
  const options = { ...line.options };
  for (const { name, label, value } of asks) {
    if (value !== '') options[name] ??= value ?? `<${label.toLowerCase()}>`;
  }
  return { ...line, options };
}

export const REVEALS = 'With personal data (this is recorded with your name):';

/** Without words, nothing is drawn. */
export const text = (words: string | false | undefined, tone?: Tone): TextBlock => ({
  ...{ kind: 'text', text: words || '', ...(tone && { tone }) },
});

export function facts(
  given: readonly (readonly [label: string, value: Cell | undefined])[],
  title?: string,
): FactsBlock {
  const known = given.filter((one): one is readonly [string, Cell] => one[1] !== undefined);
  return { kind: 'facts', ...(title !== undefined && { title }), facts: known };
}

export function table(
  columns: readonly (string | Column)[],
  rows: readonly (readonly Cell[] | Row)[],
  more: Pick<Partial<TableBlock>, 'title' | 'empty'> = {},
): TableBlock {
  return {
    kind: 'table',
    ...more,
    columns: columns.map((one) => (typeof one === 'string' ? { title: one } : one)),
    rows: rows.map((one) => ('cells' in one ? one : { cells: one })),
  };
}

export const right = (title: string): Column => ({ title, align: 'right' });

export const DOCTOR: Suggestion = { label: 'Find the cause', line: line('doctor') };
export const STATUS: Suggestion = { label: 'See the current state', line: line('status') };
