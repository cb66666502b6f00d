import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Change, Tables } from '../../../local/sandbox-kit/tables.ts';

interface Row {
  readonly owner: string;
  readonly n: number;
}

const key = fc.constantFrom('a', 'b', 'c');
const row = fc.record({ owner: fc.constantFrom('x', 'y', '__proto__'), n: fc.nat() });
const changes = fc.array(fc.record({ key, row: fc.option(row) }), { maxLength: 30 });

function apply(tables: Tables, list: readonly { key: string; row: Row | null }[]): void {
  const table = tables.table<Row>('rows');
  for (const change of list) {
    if (change.row) table.put(change.key, change.row);
    else table.delete(change.key);
  }
}

function checkIndex(tables: Tables): void {
  const rows = [...tables.table<Row>('rows').values()];
  for (const owner of ['x', 'y', '__proto__', 'nobody']) {
    const own = rows.filter((r) => r.owner === owner);
    expect(new Set(tables.index<Row>('rows', 'owner').of(owner))).toEqual(new Set(own));
    expect(tables.index<Row>('rows', 'owner').count(owner)).toBe(own.length);
  }
}

describe('an index', () => {
  it('always holds what the table does, opened before or after, restored or put', () => {
    fc.assert(
      fc.property(changes, changes, (before, after) => {
        const tables = new Tables();
        apply(tables, before);
        checkIndex(tables);
        apply(tables, after);
        checkIndex(tables);
        const restored = new Tables();
        restored.index<Row>('rows', 'owner');
        for (const change of tables.takeChanges()) restored.restore(change);
        checkIndex(restored);
        expect([...restored.all()]).toEqual([...tables.all()]);
      }),
    );
  });

  it('is no change to be kept', () => {
    const tables = new Tables();
    tables.index<Row>('rows', 'owner');
    tables.table<Row>('rows').put('a', { owner: 'x', n: 1 });
    expect(tables.takeChanges()).toHaveLength(1);
  });
});

describe('replacing everything', () => {
  it('leaves the given state and no changes, also for tables that were open before', () => {
    fc.assert(
      fc.property(changes, (before) => {
        const tables = new Tables();
        const open = tables.table<Row>('rows');
        apply(tables, before);
        checkIndex(tables);
        const state: Change[] = [{ table: 'rows', key: 'k', row: { owner: 'y', n: 7 } }];
        tables.replaceAll(state);
        expect([...tables.all()]).toEqual(state);
        expect([...tables.all('others')]).toEqual([]);
        expect(tables.takeChanges()).toEqual([]);
        expect(open.get('k')).toEqual({ owner: 'y', n: 7 });
        checkIndex(tables);
      }),
    );
  });
});
