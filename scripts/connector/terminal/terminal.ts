import { styleText } from 'node:util';
import { askYesNo } from './ask.ts';
import { renderTable, type Table } from './table.ts';
import { printable, printableJson, printableLines, spanText, wrap } from './text.ts';

type Style = Parameters<typeof styleText>[0];

/** Output for the user: results on standard output, everything else on standard error. */
export interface Terminal {
  /** Width in columns; 100 where there is no screen. */
  readonly width: number;
  /** Coloured only on a screen and without NO_COLOR. */
  style(style: Style, text: string): string;
  line(text?: string): void;
  /** Sentences, broken at spaces to fit the width. */
  paragraph(text: string): void;
  table(table: Table): void;
  /** What to type next. A page has a button for it. */
  hint(text: string): void;
  /** The document of `--json`. */
  json(document: unknown): void;
  /** About the run, not its result. */
  note(text: string): void;
  /** Shown after two seconds; not with `--json`. */
  progress(doing: string, total?: number): Progress;
  /** False where there is no terminal to answer. */
  confirm(question: string): Promise<boolean>;
}

const WIDTH_WITHOUT_SCREEN = 100;

export function createTerminal({ quiet }: { readonly quiet: boolean }): Terminal {
  const { stdout, stderr } = process;
  const style: Terminal['style'] = (format, text) => styleText(format, text, { stream: stdout });
  // A terminal that does not know its size says 0.
  const width = (stdout.isTTY && stdout.columns) || WIDTH_WITHOUT_SCREEN;
  const print = (text: string) => void stdout.write(`${printableLines(text)}\n`);
  return {
    width,
    style,
    line: (text = '') => print(text),
    paragraph: (text) => print(wrap(printable(text), width).join('\n')),
    table: (table) => print(renderTable(table, width, style)),
    hint: (text) => print(text),
    json: (document) => void stdout.write(`${printableJson(document)}\n`),
    note: (text) => void stderr.write(`${printableLines(text)}\n`),
    progress: (doing, total) =>
      createProgress({ doing, total, stream: stderr, quiet, now: Date.now }),
    confirm: (question) => askYesNo(question),
  };
}

/** Reports how far a command has come. */
export interface Progress {
  /**
   * How many are done, with an optional detail. Where the total is unknown,
   * `share` may say which part of the work is done, from 0 to 1.
   */
  report(done: number, detail?: string, share?: number): void;
  /** Removes the line; the command itself reports the result. */
  end(): void;
}

interface ProgressSettings {
  readonly doing: string;
  /** The total, where it is known. */
  readonly total: number | undefined;
  readonly stream: NodeJS.WriteStream;
  readonly quiet: boolean;
  readonly now: () => number;
}

/** Faster work needs no progress line. */
const QUIET_FOR_MS = 2_000;
const SCREEN_EVERY_MS = 200;
const LOG_EVERY_MS = 5_000;

/** One line that is overwritten on a screen; a line every few seconds in a pipe. */
export function createProgress(settings: ProgressSettings): Progress {
  const { stream, quiet, now } = settings;
  const startedAt = now();
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    report(done, detail, share) {
      const time = now();
      const everyMs = stream.isTTY ? SCREEN_EVERY_MS : LOG_EVERY_MS;
      if (quiet || time - startedAt < QUIET_FOR_MS || time - reportedAt < everyMs) return;
      reportedAt = time;
      const line = progressLine(settings, done, time - startedAt, detail, share);
      stream.write(stream.isTTY ? `\r${line.slice(0, stream.columns - 1)}\u001b[K` : `${line}\n`);
    },
    end() {
      if (stream.isTTY && Number.isFinite(reportedAt)) stream.write('\r\u001b[K');
    },
  };
}

export function progressLine(
  { doing, total }: Pick<ProgressSettings, 'doing' | 'total'>,
  done: number,
  elapsedMs: number,
  detail?: string,
  share = total === undefined ? 0 : done / total,
): string {
  const perSecond = done / (elapsedMs / 1000);
  const count = total === undefined ? `${done}` : `${done} of ${Math.max(total, done)}`;
  const rate = `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  const parts = [`${doing} ${count}`, rate];
  if (share > 0 && share < 1) parts.push(`${spanText((elapsedMs * (1 - share)) / share)} left`);
  if (detail) parts.push(detail);
  return parts.join(' · ');
}
