import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Change, Tables } from './tables.ts';

/** Its message says what is wrong with a data file and what to do. */
export class DataFileError extends Error {}

/** Locks of this process: in a container, a stale lock can hold the same process id. */
const held = new Set<string>();

/**
 * Two sandboxes on one file would silently lose each other's state. The lock holds the id of its
 * process, so that the lock of a killed process can be recognized and taken over.
 */
function lockDataFile(path: string): () => void {
  const lock = resolve(`${path}.lock`);
  if (!tryLock(path, lock)) {
    const owner = Number(readFileSync(lock, 'utf8'));
    if (owner === process.pid ? held.has(lock) : isAlive(owner)) {
      throw new DataFileError(
        `${path} is in use by process ${owner}. Stop that sandbox or give another file. ` +
          `(If that process is not a sandbox, delete ${lock}.)`,
      );
    }
    rmSync(lock, { force: true });
    if (!tryLock(path, lock)) {
      throw new DataFileError(`${path} was taken by another sandbox at the same moment.`);
    }
  }
  held.add(lock);
  return () => {
    held.delete(lock);
    rmSync(lock, { force: true });
  };
}

function tryLock(path: string, lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return false;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new DataFileError(
        `There is no folder for ${path}. Create ${dirname(lock)}, or give another file.`,
      );
    }
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      throw new DataFileError(
        `${path} cannot be written: the sandbox may not write to ${dirname(lock)}. Give another file.`,
      );
    }
    throw error;
  }
}

export function isAlive(pid: number): boolean {
  // 0 and negative numbers stand for process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 only checks; it is never delivered.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The first line, so that a file of another program is never overwritten. */
const dataFileHeading = JSON.stringify({ file: 'sandbox', version: 1 });

/** Loads the file into the tables. Returns what was repaired, if anything. */
function replay(path: string, tables: Tables): string | undefined {
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

export interface DataFile {
  /**
   * After it returns, the changes survive the process (not the machine: there is no fsync). If it
   * throws, none of them is stored.
   */
  append(changes: readonly Change[]): void;
  /** Replaces the content of the file. If it throws, the file is unchanged. */
  rewrite(state: Iterable<Change>): void;
  close(): void;
  /** What was repaired while opening, if anything. */
  readonly notice?: string;
}

/** A file that is this many times as large as without its history is rewritten while running. */
const longestHistory = 4;
/** Smaller files are not worth rewriting. */
const minBytesToCompact = 1024 * 1024;
const writeBytes = 1024 * 1024;

/** Loads the file into the tables, then rewrites it without its history. */
export function openDataFile(path: string, tables: Tables): DataFile {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new DataFileError(`${path} is a folder. Give the name of a file in it.`);
  }
  const unlock = lockDataFile(path);
  try {
    const notice = replay(path, tables);
    let current = writeAnew(path, tables.all());
    let compactAtBytes = nextCompaction(current.bytes);
    let isOpen = true;

    const rewrite = (state: Iterable<Change>) => {
      const { file: old } = current;
      current = writeAnew(path, state);
      compactAtBytes = nextCompaction(current.bytes);
      closeSync(old);
    };
    // The descriptor of a closed file may already belong to another file.
    const checkOpen = () => {
      if (!isOpen) throw new DataFileError(`${path} is closed.`);
    };
    return {
      ...(notice && { notice }),
      append: (changes) => {
        checkOpen();
        current.bytes += appendWhole(current, toLine(changes));
        if (current.bytes <= compactAtBytes) return;
        try {
          // The tables hold exactly what was appended.
          rewrite(tables.all());
        } catch {
          // Most likely the disk is full. The old file is complete and stays in use; try again later.
          compactAtBytes = nextCompaction(current.bytes);
        }
      },
      rewrite: (state) => {
        checkOpen();
        rewrite(state);
      },
      close: () => {
        if (!isOpen) return;
        isOpen = false;
        closeSync(current.file);
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Stores what has changed in the tables, and returns it. What the file refuses, as when the disk is full, goes with
 * the next that it takes.
 */
export function createSaver(
  tables: Tables,
  dataFile: DataFile | undefined,
): () => readonly Change[] {
  let unsaved: readonly Change[] = [];
  return () => {
    const changes = tables.takeChanges();
    unsaved = unsaved.length === 0 ? changes : unsaved.concat(changes);
    if (unsaved.length > 0) dataFile?.append(unsaved);
    unsaved = [];
    return changes;
  };
}

interface OpenFile {
  readonly file: number;
  bytes: number;
}

const nextCompaction = (bytes: number): number =>
  Math.max(bytes * longestHistory, minBytesToCompact);

/** Renamed in one step, so that the old file stays complete until the new one is. */
function writeAnew(path: string, state: Iterable<Change>): OpenFile {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'ax');
  try {
    let bytes = 0;
    let waiting = `${dataFileHeading}\n`;
    for (const change of state) {
      waiting += toLine([change]);
      if (waiting.length < writeBytes) continue;
      bytes += writeWhole(file, waiting);
      waiting = '';
    }
    bytes += writeWhole(file, waiting);
    fsyncSync(file);
    renameSync(temporary, path);
    return { file, bytes };
  } catch (error) {
    closeSync(file);
    rmSync(temporary, { force: true });
    throw error;
  }
}

const toLine = (changes: readonly Change[]): string => `${JSON.stringify(changes)}\n`;

/** Removes a partly written line, because the next one would be joined to it. */
function appendWhole({ file, bytes }: OpenFile, text: string): number {
  try {
    return writeWhole(file, text);
  } catch (error) {
    ftruncateSync(file, bytes);
    throw error;
  }
}

/** A single write may store only a part of a long text. */
function writeWhole(file: number, text: string): number {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
  return written;
}
