import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { VendureEngine } from '../../local/vendure-engine/engine.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

/** The plugin and the server by the engine's own types. Throws with what the compiler found. */
export function checkTypes(): void {
  const compiler = join(PACKAGE_FOLDER, 'node_modules/typescript-7/bin/tsc');
  try {
    execFileSync(process.execPath, [compiler, '-p', 'local/vendure-engine/server'], {
      cwd: PACKAGE_FOLDER,
      encoding: 'utf8',
    });
  } catch (error) {
    throw new Error((error as { readonly stdout?: string }).stdout);
  }
}

/** More orders like the newest one, for lists that are long. The engine must not run. */
export function copyNewestOrder({ file }: VendureEngine, times: number): void {
  const database = new DatabaseSync(file);
  const columns = (table: string, without: readonly string[]): string =>
    (database.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[])
      .flatMap(({ name }) => (without.includes(name) ? [] : `"${name}"`))
      .join(', ');
  const newest = `SELECT max(id) FROM "order" WHERE orderPlacedAt IS NOT NULL AND code NOT LIKE '%-%'`;
  const rows = columns('order', ['id', 'code']);
  const copy = database.prepare(
    `INSERT INTO "order" (code, ${rows}) SELECT code || '-' || ?, ${rows} FROM "order" WHERE id = (${newest})`,
  );
  const parts = ['order_line', 'payment', 'shipping_line'].map((table) => {
    const own = columns(table, ['id', 'orderId']);
    return `INSERT INTO ${table} (orderId, ${own}) SELECT ?, ${own} FROM ${table} WHERE orderId = (${newest})`;
  });
  const channels = `INSERT INTO order_channels_channel (orderId, channelId) SELECT ?, channelId
    FROM order_channels_channel WHERE orderId = (${newest})`;
  database.exec('BEGIN');
  for (let n = 1; n <= times; n += 1) {
    const { lastInsertRowid } = copy.run(n);
    for (const part of [...parts, channels]) database.prepare(part).run(lastInsertRowid);
  }
  database.exec('COMMIT');
  database.close();
}
