import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { DataFileError, lockDataFile } from './data-file-lock.ts';
import { dataFileHeading, replay } from './data-file-replay.ts';
import type { Change, Tables } from './tables.ts';

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
