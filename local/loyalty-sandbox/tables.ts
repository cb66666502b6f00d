/**
 * All state of the sandbox: named tables of plain records that are replaced whole, never changed in
 * place. That makes a record of the changes enough to keep the state over a restart.
 */
export interface Table<Row> {
  get(key: string): Row | undefined;
  put(key: string, row: Row): void;
  delete(key: string): void;
  /** In the order in which the keys were first put. */
  values(): IterableIterator<Row>;
  readonly size: number;
}

export interface Change {
  readonly table: string;
  readonly key: string;
  /** Absent: the row was deleted. */
  readonly row?: unknown;
}

export class Tables {
  readonly #tables = new Map<string, Map<string, unknown>>();
  #changes: Change[] = [];

  table<Row>(name: string): Table<Row> {
    const rows = this.#rows(name) as Map<string, Row>;
    return {
      get: (key) => rows.get(key),
      put: (key, row) => {
        rows.set(key, row);
        this.#changes.push({ table: name, key, row });
      },
      delete: (key) => {
        if (rows.delete(key)) this.#changes.push({ table: name, key });
      },
      values: () => rows.values(),
      get size() {
        return rows.size;
      },
    };
  }

  /** What changed since the last call: the work of one request, to be kept whole or not at all. */
  takeChanges(): readonly Change[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  /** Puts back what an earlier process kept. */
  restore({ table, key, row }: Change): void {
    if (row === undefined) this.#rows(table).delete(key);
    else this.#rows(table).set(key, row);
  }

  /** The present state as changes from nothing. */
  *all(): IterableIterator<Change> {
    for (const [table, rows] of this.#tables) {
      for (const [key, row] of rows) yield { table, key, row };
    }
  }

  #rows(name: string): Map<string, unknown> {
    let rows = this.#tables.get(name);
    if (!rows) {
      rows = new Map();
      this.#tables.set(name, rows);
    }
    return rows;
  }
}
