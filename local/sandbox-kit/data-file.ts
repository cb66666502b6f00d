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
   * When this returns, the changes outlive the process (not the machine: there is no fsync). When it
   * throws, none of them does.
   */
  append(changes: readonly Change[]): void;
  /** The file holds this and nothing else when it returns, and is as it was when it throws. */
  rewrite(state: Iterable<Change>): void;
  close(): void;
  /** What was found and mended while opening, if anything. */
  readonly notice?: string;
}

/** So many times what it was without its history, a file is written anew while running. */
const longestHistory = 4;
/** Below this, writing anew is not worth it. */
const leastBytesToCompact = 1024 * 1024;
const writeBytes = 1024 * 1024;

/** Puts the kept state into the tables, writes the file anew without its history, and goes on in it. */
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
    // The number of a closed file may by now be that of another one.
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
          // The tables hold what was just appended, and nothing that was not.
          rewrite(tables.all());
        } catch {
          // No room, most likely. The old file is whole and goes on; the next try comes later.
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
  Math.max(bytes * longestHistory, leastBytesToCompact);

/** The old file stays whole until the new one has everything and takes its name in one step. */
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

/** Leaves nothing of a line that did not fit: the next one would be joined to it. */
function appendWhole({ file, bytes }: OpenFile, text: string): number {
  try {
    return writeWhole(file, text);
  } catch (error) {
    ftruncateSync(file, bytes);
    throw error;
  }
}

/** A single write may take only a part of a long text. */
function writeWhole(file: number, text: string): number {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
  return written;
}
