import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { Problem } from './exit.ts';
import { printableLines, spanText } from './text.ts';

type Style = Parameters<typeof styleText>[0];

/** Output for the user: results on standard output, everything else on standard error. */
export interface Terminal {
  /** Width in columns; 100 where there is no screen. */
  readonly width: number;
  /** Coloured only on a screen and without NO_COLOR. */
  style(style: Style, text: string): string;
  line(text?: string): void;
  /** About the run, not its result. */
  note(text: string): void;
  /** Shown after two seconds, until anything else is written; not with `--json`. */
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
  let shown: ReturnType<typeof createProgress> | undefined;
  const print = (stream: NodeJS.WriteStream, text: string) => {
    shown?.end();
    stream.write(`${printableLines(text)}\n`);
  };
  return {
    width,
    style,
    line: (text = '') => print(stdout, text),
    note: (text) => print(stderr, text),
    progress(doing, total) {
      shown?.end();
      shown = createProgress({ doing, total, stream: stderr, quiet, now: Date.now });
      return shown;
    },
    // Only a typed "yes" counts.
    async confirm(question) {
      shown?.end();
      return process.stdin.isTTY && (await askLine(`${question} Type "yes"`)) === 'yes';
    },
  };
}

interface Progress {
  report(done: number, detail?: string): void;
}

interface ProgressSettings {
  readonly doing: string;
  readonly total: number | undefined;
  readonly stream: NodeJS.WriteStream;
  readonly quiet: boolean;
  readonly now: () => number;
}

/** Faster work needs no progress line. */
const QUIET_FOR_MS = 2_000;
const SCREEN_EVERY_MS = 200;
const LOG_EVERY_MS = 5_000;

/** One line that is overwritten on a screen; in a pipe a line every few seconds, if there is something new. */
export function createProgress(settings: ProgressSettings): Progress & { end(): void } {
  const { stream, quiet, now } = settings;
  const startedAt = now();
  let reportedAt = Number.NEGATIVE_INFINITY;
  let [last, said] = [{ done: 0, at: startedAt }, ''];
  return {
    report(done, detail) {
      const time = now();
      if (done !== last.done) last = { done, at: time };
      const everyMs = stream.isTTY ? SCREEN_EVERY_MS : LOG_EVERY_MS;
      if (quiet || time - startedAt < QUIET_FOR_MS || time - reportedAt < everyMs) return;
      const news = `${done} ${detail}`;
      if (!stream.isTTY && news === said) return;
      [reportedAt, said] = [time, news];
      const line = progressLine(settings, done, last.at - startedAt, detail, time - last.at);
      stream.write(stream.isTTY ? `\r${line.slice(0, stream.columns - 1)}\u001b[K` : `${line}\n`);
    },
    end() {
      if (stream.isTTY && Number.isFinite(reportedAt)) stream.write('\r\u001b[K');
      reportedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/**
 * `elapsedMs`: until the last one was done, `standsMs` ago. The rest takes as long as those before, or else how long is
 * not known, and the line says nothing of it.
 */
export function progressLine(
  { doing, total }: Pick<ProgressSettings, 'doing' | 'total'>,
  done: number,
  elapsedMs: number,
  detail?: string,
  standsMs = 0,
): string {
  const perSecond = done / ((elapsedMs + standsMs) / 1000);
  const count = total === undefined ? `${done}` : `${done} of ${Math.max(total, done)}`;
  const rate = `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
  const parts = [`${doing} ${count}`, ...(done > 0 ? [rate] : [])];
  const leftMs = total === undefined ? 0 : (elapsedMs * (total - done)) / done - standsMs;
  if (done > 0 && leftMs >= 1_000) parts.push(`${spanText(leftMs)} left`);
  if (detail) parts.push(detail);
  return parts.join(' · ');
}

interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks on standard error for a secret, which is not shown. Throws a `Problem` when the user cancels. */
export async function askHidden(
  question: string,
  { input, output }: Streams = { input: process.stdin, output: process.stderr },
): Promise<string> {
  // The line editor echoes every key, so its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  // Only from here on the terminal does not echo what is typed.
  output.write(`${question}: `);
  const answer = await answerIn(lines, '').finally(() => output.write('\n'));
  if (answer === undefined) throw new Problem('Nothing was stored: the input was cancelled.');
  return answer;
}

/** Asks on standard error, so that a piped result stays clean. Undefined when the user cancels. */
export function askLine(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return answerIn(lines, `${question}: `);
}

/** Undefined when it is closed before, as by Ctrl-C and the end of the input. */
async function answerIn(lines: Interface, question: string): Promise<string | undefined> {
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const answer = await Promise.race([lines.question(question), closed]).finally(() =>
    lines.close(),
  );
  return answer?.trim();
}
