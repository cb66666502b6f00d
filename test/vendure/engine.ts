import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { installOnce } from '../foreign/install.ts';

const SOURCES = join(PACKAGE_FOLDER, 'test/vendure/engine');

/** Vendure as its lock file names it, in a folder of its own. */
export function installVendure(): string {
  return installOnce('vendure', join(SOURCES, 'package-lock.json'), (target) => {
    mkdirSync(target);
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(SOURCES, file), join(target, file));
    }
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    execFileSync('npm', options, { cwd: target, stdio: ['ignore', 'ignore', 'inherit'] });
  });
}

/** The plugin and the server by the engine's own types. Throws with what the compiler found. */
export function checkTypes(): void {
  const compiler = join(PACKAGE_FOLDER, 'node_modules/typescript-7/bin/tsc');
  try {
    execFileSync(process.execPath, [compiler, '-p', SOURCES], { encoding: 'utf8' });
  } catch (error) {
    throw new Error((error as { readonly stdout?: string }).stdout);
  }
}

interface Receiver {
  readonly address: string;
  readonly secret: string;
}

/** A Vendure server in a process of its own, which keeps its data in a file: what was committed outlives a kill. */
export class VendureEngine {
  readonly port: number;
  readonly #folder: string;
  readonly #file: string;
  #child: ChildProcess | undefined;
  /** What it has logged, the newest last. */
  log = '';

  constructor(folder: string, file: string, port: number) {
    this.#folder = folder;
    this.#file = file;
    this.port = port;
  }

  /** Without a receiver, the plugin is not there. */
  async start(to: Receiver | undefined): Promise<void> {
    const hooks = pathToFileURL(join(SOURCES, 'modules-of-engine.ts')).href;
    const target = to ? [to.address, to.secret] : [];
    const child = fork(join(SOURCES, 'server.ts'), [String(this.port), this.#file, ...target], {
      execArgv: ['--import', hooks],
      env: { ...process.env, VENDURE_FOLDER: this.#folder },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const output of [child.stdout, child.stderr]) {
      output?.setEncoding('utf8').on('data', (text) => {
        this.log = (this.log + text).slice(-20_000);
      });
    }
    this.#child = child;
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => {
        throw new Error(`Vendure ended before it listened:\n${this.log}`);
      }),
    ]);
  }

  /** At once, whatever it is doing. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** The rows of its tables, as they were committed last. */
  query<Row>(sql: string, ...values: (string | number)[]): readonly Row[] {
    const database = new DatabaseSync(this.#file, { readOnly: true });
    try {
      return database.prepare(sql).all(...values) as Row[];
    } finally {
      database.close();
    }
  }

  /** More orders like the newest one, for lists that are long. The engine must not run. */
  copyNewestOrder(times: number): void {
    const database = new DatabaseSync(this.#file);
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

  /** How many changes the plugin has stored and not yet sent. */
  unsent(kind = '%'): number {
    const [row] = this.query<{ n: number }>(
      'SELECT count(*) AS n FROM loyalty_outbox WHERE givenUp = 0 AND kind LIKE ?',
      kind,
    );
    return row?.n ?? 0;
  }
}
