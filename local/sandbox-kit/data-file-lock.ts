import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Its message says what is wrong with a data file and what to do. */
export class DataFileError extends Error {}

/** Locks of this process: in a container, a stale lock can hold the same process id. */
const held = new Set<string>();

/**
 * Two sandboxes on one file would silently lose each other's state. The lock holds the id of its
 * process, so that the lock of a killed process can be recognized and taken over.
 */
export function lockDataFile(path: string): () => void {
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
