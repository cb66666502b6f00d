import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DataFileError } from './data-file-error.ts';

/** Locks of this very process: after a restart in a container the id in a stale lock can be ours. */
const held = new Set<string>();

/**
 * Two sandboxes on one file would lose each other's state without a word. The lock holds the id of
 * its process, so that one left behind by a killed process is known as such and taken over.
 */
export function lockDataFile(path: string): () => void {
  const lock = resolve(`${path}.lock`);
  if (!tryLock(lock)) {
    const owner = Number(readFileSync(lock, 'utf8'));
    if (owner === process.pid ? held.has(lock) : isRunning(owner)) {
      throw new DataFileError(
        `${path} is in use by process ${owner}. Stop that sandbox or give another file. ` +
          `(If that process is no sandbox, delete ${lock}.)`,
      );
    }
    rmSync(lock, { force: true });
    if (!tryLock(lock)) {
      throw new DataFileError(`${path} was taken by another sandbox at the same moment.`);
    }
  }
  held.add(lock);
  return () => {
    held.delete(lock);
    rmSync(lock, { force: true });
  };
}

function tryLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 only asks.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
