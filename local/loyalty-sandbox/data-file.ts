import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { DataFileError } from './data-file-error.ts';
import { lockDataFile } from './data-file-lock.ts';
import type { Change, Tables } from './tables.ts';

/** The first line, so that a file of something else is never taken, and overwritten, for ours. */
const heading = JSON.stringify({ file: 'loyalty-sandbox', version: 1 });

export interface DataFile {
  /** When this returns, the changes outlive the process (not the machine: there is no fsync). */
  append(changes: readonly Change[]): void;
  close(): void;
  /** What was found and mended while opening, if anything. */
  readonly notice?: string;
}

/** Puts the kept state into the tables, writes the file anew without its history, and goes on in it. */
export function openDataFile(path: string, tables: Tables): DataFile {
  const unlock = lockDataFile(path);
  try {
    const notice = existsSync(path) ? replay(path, tables) : undefined;
    compact(path, tables);
    const file = openSync(path, 'a');
    let isOpen = true;
    return {
      ...(notice && { notice }),
      append: (changes) => {
        // The number of a closed file may by now be that of another one.
        if (!isOpen) throw new DataFileError(`${path} is closed.`);
        appendWhole(file, line(changes));
      },
      close: () => {
        isOpen = false;
        closeSync(file);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

function replay(path: string, tables: Tables): string | undefined {
  const [first, ...lines] = readFileSync(path, 'utf8').split('\n');
  // Empty: made by hand, or by a process that ended before its first line.
  if (first === '' && lines.length === 0) return undefined;
  if (first !== heading) {
    throw new DataFileError(
      `${path} is not a data file of the sandbox, so it was left alone. Give another file.`,
    );
  }
  // A whole line ends in a newline, so the last piece is empty unless its writing was cut short.
  const last = lines.pop() ?? '';
  lines.forEach((text, i) => {
    const changes = readLine(text);
    if (!changes) {
      throw new DataFileError(
        `${path}, line ${i + 2}, cannot be read. Nothing was changed. To go on without what that ` +
          'line kept, delete the line; to start afresh, move the file away.',
      );
    }
    for (const change of changes) tables.restore(change);
  });
  if (last === '') return undefined;
  const changes = readLine(last);
  for (const change of changes ?? []) tables.restore(change);
  if (changes) return undefined;
  return `The last line of ${path} was cut short, as by a crash, and was dropped: its call was never answered.`;
}

function readLine(text: string): Change[] | undefined {
  try {
    const changes: unknown = JSON.parse(text);
    return Array.isArray(changes) && changes.every(isChange) ? changes : undefined;
  } catch {
    return undefined;
  }
}

function isChange(value: unknown): value is Change {
  if (typeof value !== 'object' || value === null) return false;
  const { table, key } = value as Partial<Change>;
  return typeof table === 'string' && typeof key === 'string';
}

/** The old file stays whole until the new one has everything and takes its name in one step. */
function compact(path: string, tables: Tables): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w');
  try {
    writeWhole(file, `${heading}\n`);
    for (const change of tables.all()) writeWhole(file, line([change]));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

const line = (changes: readonly Change[]): string => `${JSON.stringify(changes)}\n`;

/** Leaves nothing of a line that did not fit: the next one would be joined to it. */
function appendWhole(file: number, text: string): void {
  const { size } = fstatSync(file);
  try {
    writeWhole(file, text);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

/** A single write may take only a part of a long text. */
function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}
