import type { OperationId } from '../../shared/loyalty/operations.ts';
import type { Change, Table, Tables } from '../sandbox-kit/tables.ts';

/** One call to the loyalty API, as the service saw it. Never holds the Authorization header. */
export interface JournalEntry {
  /** Counts up by one, in the order in which the calls were carried out or refused. */
  readonly n: number;
  /** When the call arrived. */
  readonly at: string;
  readonly method: string;
  /** As it was sent, with the query. */
  readonly path: string;
  /** Absent where the path leads to none. */
  readonly operation?: OperationId;
  readonly body?: unknown;
  /** Instead of a body that is too long to keep. */
  readonly bodyCut?: Cut;
  /** The beginning of a body that could not be read as JSON. */
  readonly unreadableBody?: string;
  /** Absent where no answer was sent. */
  readonly status?: number;
  /** What the program answered, even if a fault kept it from the client. */
  readonly answer?: unknown;
  /** Instead of an answer that is too long to keep. */
  readonly answerCut?: Cut;
  /** The kind of a fault on demand; `crash` for a bug in the sandbox; `broken-off` for a client that left. */
  readonly fault?: string;
  readonly durationMs: number;
}

/** What is kept of a long JSON text. */
interface Cut {
  /** Of the whole. */
  readonly bytes: number;
  readonly beginning: string;
}

/** A body or an answer above this is kept as its beginning: a journal is long, and lies in memory. */
export const longestJournaledBytes = 64 * 1024;
const beginningCharacters = 2_000;

export interface JournalQuery {
  readonly operation?: string;
  /** Only entries with a higher number. */
  readonly since?: number;
  /** Only the latest so many. */
  readonly limit?: number;
}

const clearedTable = 'journal-cleared';

/** Kept in the tables, so that an entry is written in one piece with the changes it tells of. */
export class Journal {
  readonly #rows: Table<JournalEntry>;
  readonly #cleared: Table<number>;
  readonly #limit: number;
  #last: number;

  constructor(tables: Tables, limit: number) {
    this.#rows = tables.table('journal');
    this.#cleared = tables.table(clearedTable);
    this.#limit = limit;
    this.#last = this.#clearedUpTo();
    for (const { n } of this.#rows.values()) this.#last = Math.max(this.#last, n);
    this.#dropOldest();
  }

  add({ body, answer, ...entry }: Omit<JournalEntry, 'n'>): JournalEntry {
    const bodyCut = cut(body);
    const answerCut = cut(answer);
    const numbered = {
      n: ++this.#last,
      ...entry,
      ...(bodyCut ? { bodyCut } : body !== undefined && { body }),
      ...(answerCut ? { answerCut } : answer !== undefined && { answer }),
    };
    this.#rows.put(String(numbered.n), numbered);
    this.#dropOldest();
    return numbered;
  }

  entries({
    operation,
    since = 0,
    limit = Number.POSITIVE_INFINITY,
  }: JournalQuery = {}): JournalEntry[] {
    const found = [...this.#rows.values()].filter(
      (entry) => entry.n > since && (!operation || entry.operation === operation),
    );
    return limit < found.length ? found.slice(found.length - limit) : found;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** How many entries the bound has cost since the journal was last cleared. */
  get dropped(): number {
    return this.#last - this.#clearedUpTo() - this.#rows.size;
  }

  clear(): void {
    for (const { n } of [...this.#rows.values()]) this.#rows.delete(String(n));
    this.#cleared.put('n', this.#last);
  }

  /** All that a cleared journal needs to go on with its numbers. */
  numbering(): Change {
    return { table: clearedTable, key: 'n', row: this.#last };
  }

  #clearedUpTo(): number {
    return this.#cleared.get('n') ?? 0;
  }

  #dropOldest(): void {
    while (this.#rows.size > this.#limit)
      this.#rows.delete(String(this.#last - this.#rows.size + 1));
  }
}

function cut(value: unknown): Cut | undefined {
  const text = JSON.stringify(value) ?? '';
  const bytes = Buffer.byteLength(text);
  if (bytes <= longestJournaledBytes) return undefined;
  // Not with half of a character at its end.
  return { bytes, beginning: text.slice(0, beginningCharacters).replace(/[\uD800-\uDBFF]$/, '') };
}
