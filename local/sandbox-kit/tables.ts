/**
 * All state of a sandbox: named tables of plain rows that are replaced, never changed in place. So a
 * list of the changes is enough to restore the state after a restart.
 */
export interface Table<Row> {
  get(key: string): Row | undefined;
  put(key: string, row: Row): void;
  delete(key: string): void;
  /** In the order in which the keys were first put. */
  values(): IterableIterator<Row>;
  readonly size: number;
}

/** The rows of a table by one of their fields, derived from the table. */
export interface TableIndex<Row> {
  /** In the order in which the rows came to have this value. */
  of(value: string): readonly Row[];
  count(value: string): number;
}

export interface Change {
  readonly table: string;
  readonly key: string;
  /** Absent: the row was deleted. */
  readonly row?: unknown;
}

type Rows = Map<string, unknown>;
type Index = { readonly field: string; readonly groups: Map<unknown, Rows> };

export class Tables {
  readonly #tables = new Map<string, Rows>();
  readonly #indexes = new Map<string, Index[]>();
  #changes: Change[] = [];

  table<Row>(name: string): Table<Row> {
    const rows = this.#rows(name) as Map<string, Row>;
    return {
      get: (key) => rows.get(key),
      put: (key, row) => {
        this.#set(name, key, row);
        this.#changes.push({ table: name, key, row });
      },
      delete: (key) => {
        if (!rows.has(key)) return;
        this.#unset(name, key);
        this.#changes.push({ table: name, key });
      },
      values: () => rows.values(),
      get size() {
        return rows.size;
      },
    };
  }

  index<Row>(table: string, field: keyof Row & string): TableIndex<Row> {
    const { groups } = this.#index(table, field);
    return {
      of: (value) => [...(groups.get(value)?.values() ?? [])] as Row[],
      count: (value) => groups.get(value)?.size ?? 0,
    };
  }

  /** The changes since the last call: those of one request, to be stored together or not at all. */
  takeChanges(): readonly Change[] {
    const changes = this.#changes;
    this.#changes = [];
    return changes;
  }

  /** Applies a change that an earlier process stored. */
  restore({ table, key, row }: Change): void {
    if (row === undefined) this.#unset(table, key);
    else this.#set(table, key, row);
  }

  /** Replaces the whole state, and forgets pending changes. */
  replaceAll(state: Iterable<Change>): void {
    for (const rows of this.#tables.values()) rows.clear();
    for (const { groups } of [...this.#indexes.values()].flat()) groups.clear();
    this.#changes = [];
    for (const change of state) this.restore(change);
  }

  /** The current state, or that of one table, as a list of changes. */
  *all(only?: string): IterableIterator<Change> {
    for (const [table, rows] of this.#tables) {
      if (only !== undefined && table !== only) continue;
      for (const [key, row] of rows) yield { table, key, row };
    }
  }

  #set(table: string, key: string, row: unknown): void {
    const rows = this.#rows(table);
    const before = rows.get(key);
    rows.set(key, row);
    for (const { field, groups } of this.#indexes.get(table) ?? []) {
      const value = fieldOf(row, field);
      if (before !== undefined && fieldOf(before, field) !== value) {
        removeFrom(groups, fieldOf(before, field), key);
      }
      const group = groups.get(value);
      if (group) group.set(key, row);
      else groups.set(value, new Map([[key, row]]));
    }
  }

  #unset(table: string, key: string): void {
    const rows = this.#rows(table);
    const before = rows.get(key);
    rows.delete(key);
    for (const { field, groups } of this.#indexes.get(table) ?? []) {
      removeFrom(groups, fieldOf(before, field), key);
    }
  }

  #rows(name: string): Rows {
    let rows = this.#tables.get(name);
    if (!rows) {
      rows = new Map();
      this.#tables.set(name, rows);
    }
    return rows;
  }

  #index(table: string, field: string): Index {
    const known = this.#indexes.get(table) ?? [];
    const found = known.find((index) => index.field === field);
    if (found) return found;
    const groups = Map.groupBy(this.#rows(table), ([, row]) => fieldOf(row, field));
    const index = { field, groups: new Map([...groups].map(([v, rows]) => [v, new Map(rows)])) };
    this.#indexes.set(table, [...known, index]);
    return index;
  }
}

function fieldOf(row: unknown, field: string): unknown {
  return (row as Readonly<Record<string, unknown>> | undefined)?.[field];
}

function removeFrom(groups: Index['groups'], value: unknown, key: string): void {
  const group = groups.get(value);
  group?.delete(key);
  if (group?.size === 0) groups.delete(value);
}
