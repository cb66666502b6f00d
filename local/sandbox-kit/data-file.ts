import { DatabaseSync } from 'node:sqlite';
import type { Change, Tables } from './tables.ts';

/** Its message says what is wrong with a data file and what to do. */
export class DataFileError extends Error {}

export interface DataFile {
  /**
   * After it returns, the changes survive the process (not the machine: there is no fsync). If it
   * throws, none of them is stored.
   */
  append(changes: Iterable<Change>): void;
  /** Replaces the content of the file. If it throws, the file is unchanged. */
  rewrite(state: Iterable<Change>): void;
  close(): void;
}

/** Locked for as long as it is open: two sandboxes on one file would silently lose each other's state. */
const PREPARE = `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS rows (place INTEGER PRIMARY KEY, name TEXT, key TEXT, row TEXT, UNIQUE (name, key));`;

/** By SQLite's result codes. */
const FAULTS: Readonly<Record<number, string>> = {
  5: 'is in use by another sandbox. Stop that one, or give another file.',
  8: 'cannot be written. Give another file.',
  14: 'cannot be opened: it is a folder, or its folder is missing. Give another file.',
  26: 'is not a data file of a sandbox, so it was not changed. Give another file.',
};

/** Loads the file into the tables. */
export function openDataFile(path: string, tables: Tables): DataFile {
  try {
    return open(path, tables);
  } catch (error) {
    const { errcode = 0 } = error as { readonly errcode?: number };
    const fault = FAULTS[errcode & 0xff];
    throw fault === undefined ? error : new DataFileError(`${path} ${fault}`);
  }
}

function open(path: string, tables: Tables): DataFile {
  const database = new DatabaseSync(path);
  database.exec(PREPARE);
  const stored = database.prepare('SELECT name, key, row FROM rows ORDER BY place').iterate();
  for (const { name, key, row } of stored) {
    tables.restore({ table: String(name), key: String(key), row: JSON.parse(String(row)) });
  }
  // A row keeps its place when it changes.
  const put = database.prepare(
    'INSERT INTO rows (name, key, row) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET row = excluded.row',
  );
  const remove = database.prepare('DELETE FROM rows WHERE name = ? AND key = ?');
  const append = (changes: Iterable<Change>, first = '') => {
    database.exec(`BEGIN; ${first}`);
    try {
      for (const { table, key, row } of changes) {
        if (row === undefined) remove.run(table, key);
        else put.run(table, key, JSON.stringify(row));
      }
      database.exec('COMMIT');
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  };
  return {
    append: (changes) => append(changes),
    rewrite: (state) => append(state, 'DELETE FROM rows'),
    close: () => database.isOpen && database.close(),
  };
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
