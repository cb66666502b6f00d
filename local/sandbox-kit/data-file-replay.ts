import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DataFileError } from './data-file-lock.ts';
import type { Change, Tables } from './tables.ts';

/** The first line, so that a file of something else is never taken, and overwritten, for ours. */
export const dataFileHeading = JSON.stringify({ file: 'sandbox', version: 1 });

/** Puts what the file kept into the tables. Says what was mended, if anything. */
export function replay(path: string, tables: Tables): string | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, 'r');
  try {
    const lines = readLines(file);
    const first = lines.next();
    // Empty: made by hand, or by a process that ended before its first line.
    if (first.done) return undefined;
    if (first.value.text !== dataFileHeading) {
      throw new DataFileError(
        `${path} is not a data file of the sandbox, so it was left alone. Give another file.`,
      );
    }
    let number = 1;
    for (const { text, isWhole } of lines) {
      number++;
      const changes = readChanges(text);
      if (!changes && !isWhole) {
        return `The last line of ${path} was cut short, as by a crash, and was dropped: its call was never answered.`;
      }
      if (!changes) {
        throw new DataFileError(
          `${path}, line ${number}, cannot be read. Nothing was changed. To go on without what that ` +
            'line kept, delete the line; to start afresh, move the file away.',
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
  /** False for a last one that no newline follows. */
  readonly isWhole: boolean;
}

const newline = 0x0a;
const chunkBytes = 1024 * 1024;

/** Needs memory for the longest line, not for the file: a text of Node ends at half a gigabyte. */
function* readLines(file: number): Generator<Line> {
  let pieces: Buffer[] = [];
  for (;;) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let rest = buffer.subarray(0, readSync(file, buffer, 0, chunkBytes, null));
    if (rest.length === 0) break;
    // Searched as bytes: no part of a longer character of UTF-8 looks like a newline.
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
