import type { Change, Table, Tables } from './tables.ts';

interface Entry {
  /** Counts up by one. */
  readonly n: number;
  readonly operation?: string;
}

export interface JournalQuery {
  readonly operation?: string | undefined;
  /** Only entries with a higher number. */
  readonly since?: number;
  /** Only the latest so many. */
  readonly limit?: number;
}

const clearedTable = 'journal-cleared';

/** The calls that a sandbox received, in its tables: an entry is written in one piece with the changes it tells of. */
export class Journal<Call extends Entry> {
  readonly #rows: Table<Call>;
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

  add(entry: Omit<Call, 'n'>): void {
    this.#last += 1;
    this.#rows.put(String(this.#last), { n: this.#last, ...entry } as unknown as Call);
    this.#dropOldest();
  }

  entries({ operation, since = 0, limit }: JournalQuery = {}): readonly Call[] {
    const found = [...this.#rows.values()].filter(
      (entry) => entry.n > since && (!operation || entry.operation === operation),
    );
    return limit === undefined ? found : found.slice(Math.max(0, found.length - limit));
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
