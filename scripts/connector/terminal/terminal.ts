import { styleText } from 'node:util';
import { askYesNo } from './ask-yes-no.ts';
import { wrap } from './printable.ts';
import { createProgress, type Progress } from './progress.ts';
import { renderTable, type Table } from './table.ts';

type Style = Parameters<typeof styleText>[0];

/** Where a command speaks to a person: results on standard output, everything else on standard error. */
export interface Terminal {
  /** Columns to write in; 100 where there is no screen. */
  readonly width: number;
  /** Coloured only on a screen and without NO_COLOR. */
  style(style: Style, text: string): string;
  line(text?: string): void;
  /** Sentences, broken at spaces to fit the width. */
  paragraph(text: string): void;
  table(table: Table): void;
  /** The one document of `--json`. */
  json(document: unknown): void;
  /** About the run, not its result. */
  note(text: string): void;
  /** Shown from the third second on; nothing with `--json`. */
  progress(doing: string, total?: number): Progress;
  /** False where nobody can answer. */
  confirm(question: string): Promise<boolean>;
}

const WIDTH_WITHOUT_SCREEN = 100;

export function createTerminal({ quiet }: { readonly quiet: boolean }): Terminal {
  const { stdout, stderr } = process;
  const style: Terminal['style'] = (format, text) => styleText(format, text, { stream: stdout });
  const width = stdout.isTTY ? stdout.columns : WIDTH_WITHOUT_SCREEN;
  return {
    width,
    style,
    line: (text = '') => void stdout.write(`${text}\n`),
    paragraph: (text) => void stdout.write(`${wrap(text, width).join('\n')}\n`),
    table: (table) => void stdout.write(renderTable(table, width, style)),
    json: (document) => void stdout.write(`${JSON.stringify(document, null, 2)}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    progress: (doing, total) =>
      createProgress({ doing, total, stream: stderr, quiet, now: Date.now }),
    confirm: (question) => askYesNo(question),
  };
}
