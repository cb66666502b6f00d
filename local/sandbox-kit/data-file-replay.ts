import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DataFileError } from './data-file-lock.ts';
import type { Change, Tables } from './tables.ts';

/** The first line, so that a file of another program is never overwritten. */
export const dataFileHeading = JSON.stringify({ file: 'sandbox', version: 1 });

/** Loads the file into the tables. Returns what was repaired, if anything. */
export function replay(path: string, tables: Tables): string | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    const lines = readLines(file);
    const first = lines.next();
    // An empty file: created by hand, or by a process that ended before its first line.
    if (first.done) return undefined;
    if (first.value.text !== dataFileHeading) {
      throw new DataFileError(
        `${path} is not a data file of a sandbox, so it was not changed. Give another file.`,
      );
    }
    let number = 1;
    for (const { text, isWhole } of lines) {
      number++;
      const changes = readChanges(text);
      if (!changes && !isWhole) {
        return `The last line of ${path} is incomplete, as after a crash, and was dropped: its call was never answered.`;
      }
      if (!changes) {
        throw new DataFileError(
          `${path}, line ${number}, cannot be read. Nothing was changed. To continue without the data ` +
            'of that line, delete the line; to start without data, move the file away.',
        );
      }
      for (const change of changes) tables.restore(change);
    }
    return undefined;
  } finally {
    closeSync(file);
  }
}

function readChanges(text: string): Change[] | undefined {
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

interface Line {
  readonly text: string;
  /** False: the last line, without a newline at its end. */
  readonly isWhole: boolean;
}

const newline = 0x0a;
const chunkBytes = 1024 * 1024;

/** Needs memory only for the longest line: the file can exceed Node's limit for a string, 512 MB. */
function* readLines(file: number): Generator<Line> {
  let pieces: Buffer[] = [];
  for (;;) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let rest = buffer.subarray(0, readSync(file, buffer, 0, chunkBytes, null));
    if (rest.length === 0) break;
    // Searched as bytes: in UTF-8 no part of a longer character equals a newline.
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      pieces.push(rest.subarray(0, end));
      yield { text: Buffer.concat(pieces).toString('utf8'), isWhole: true };
      pieces = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pieces.push(rest);
  }
  if (pieces.length > 0) yield { text: Buffer.concat(pieces).toString('utf8'), isWhole: false };
}
