import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultCatalog } from '../../../local/loyalty-sandbox/default-catalog.ts';
import { createProgram } from '../../../local/loyalty-sandbox/program/program.ts';
import { openTables } from '../../../local/loyalty-sandbox/program/rows.ts';
import { defaultSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { openDataFile } from '../../../local/sandbox-kit/data-file.ts';
import { Tables } from '../../../local/sandbox-kit/tables.ts';
import { completedOrder } from './server-requests.ts';
import { startSandbox } from './start-sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${++files}.data`);

function open(path: string) {
  const tables = new Tables();
  const file = openDataFile(path, tables);
  const program = createProgram({
    tables,
    settings: defaultSettings,
    catalog: defaultCatalog,
    now: () => new Date('2026-10-07T12:00:00Z'),
    random: () => 0.5,
  });
  /** Gives the bytes that the order cost the file. */
  const send = (id: string): number => {
    const body = completedOrder(id, 'customer-1', 10);
    program.answer({ operation: 'sendOrder', path: {}, query: {}, body, faults: [] });
    const changes = tables.takeChanges();
    file.append(changes);
    return JSON.stringify(changes).length;
  };
  return { tables, file, send, rows: openTables(tables) };
}

const writer = fileURLToPath(new URL('./data-file-writer.ts', import.meta.url));
const state = (tables: Tables) => [...tables.all()];

describe('a customer with thousands of orders', () => {
  it('costs the file no more with the last one than with the first, and is there after a restart', () => {
    const path = newFile();
    const first = open(path);
    const costs = Array.from({ length: 3000 }, (_, i) => first.send(`order-${1000 + i}`));
    expect(costs.at(-1)).toBeLessThan((costs[1] ?? 0) * 1.1);
    expect(statSync(path).size).toBeLessThan(3000 * (costs[1] ?? 0) * 1.1);
    first.file.close();
    const second = open(path);
    expect(state(second.tables)).toEqual(state(first.tables));
    expect(second.rows.pointsByCustomer.of('customer-1')).toHaveLength(3000);
    expect(second.rows.ordersByCustomer.count('customer-1')).toBe(3000);
    second.send('another');
    expect(second.rows.points.get('3001')).toMatchObject({ customerId: 'customer-1' });
    second.file.close();
  });
});

describe('the history in a data file', () => {
  const filling = 'ü\n'.repeat(50_000);

  it('is dropped while running, whenever it is several times the state', () => {
    const path = newFile();
    const { tables, file } = open(path);
    const rows = tables.table<string>('rows');
    let [largest, shrunk, before] = [0, 0, 0];
    for (let i = 0; i < 100; i++) {
      rows.put('row', `${i} ${filling}`);
      rows.put(`small ${i}`, 'x');
      file.append(tables.takeChanges());
      const { size } = statSync(path);
      largest = Math.max(largest, size);
      if (size < before) shrunk++;
      before = size;
    }
    expect(largest).toBeLessThan(2 * 1024 * 1024);
    expect(shrunk).toBeGreaterThan(2);
    file.close();
    const again = open(path);
    expect(state(again.tables)).toEqual(state(tables));
    again.file.close();
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  it('stays while there is no room for a new file, and nothing is lost', () => {
    const path = newFile();
    const { tables, file } = open(path);
    const rows = tables.table<string>('rows');
    const fill = (times: number) => {
      for (let i = 0; i < times; i++) {
        rows.put('row', `${i} ${filling}`);
        file.append(tables.takeChanges());
      }
    };
    // A folder in the place of the new file stands for a full disk.
    mkdirSync(`${path}.new`);
    fill(20);
    expect(statSync(path).size).toBeGreaterThan(20 * 100_000);
    expect(() => file.rewrite([])).toThrow();
    expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
    rmSync(`${path}.new`, { recursive: true });
    fill(100);
    expect(statSync(path).size).toBeLessThan(40 * 100_000);
    file.close();
    const again = open(path);
    expect(state(again.tables)).toEqual(state(tables));
    again.file.close();
  });

  it('loses nothing acknowledged to kill -9, wherever it strikes', async () => {
    const path = newFile();
    let last = 0;
    for (const afterMs of [0, 7, 13, 29, 50]) {
      const child = spawn(process.execPath, [writer, path]);
      let said = '';
      await new Promise((resolve) => {
        child.stdout.on('data', (data) => {
          if (said === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
          said += data;
        });
        child.once('close', resolve);
      });
      const acknowledged = Math.max(...(said.match(/\d+(?=\n)/g) ?? []).slice(-2).map(Number));
      expect(acknowledged).toBeGreaterThan(last);
      const { tables, file } = open(path);
      last = tables.table<{ n: number }>('rows').get('row')?.n ?? 0;
      file.close();
      // The very last may have been kept without being told of any more.
      expect([acknowledged, acknowledged + 1]).toContain(last);
    }
  });
});

describe('a large data file', () => {
  it('is read, reset and stays reset, all rows of it', async () => {
    const path = newFile();
    const count = 160_000;
    const product = { Title: 'x', Url: null, ImageUrl: null, IsActive: true, ProductPrice: 1 };
    const lines = Array.from({ length: count }, (_, i) => {
      const row = { OriginalId: `p${i}`, ...product, brand: null, categories: [] };
      return JSON.stringify([{ table: 'products', key: row.OriginalId, row }]);
    });
    const heading = '{"file":"sandbox","version":1}';
    writeFileSync(path, [heading, ...lines, ''].join('\n'));
    const first = await startSandbox({ dataFile: path });
    expect(first.state().products).toHaveLength(count);
    await first.reset();
    expect(first.state().products).toEqual([]);
    await first.stop();
    expect(statSync(path).size).toBeLessThan(1000);
    const second = await startSandbox({ dataFile: path });
    expect(second.state().products).toEqual([]);
    await second.stop();
  });
});
