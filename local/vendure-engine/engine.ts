import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { installOnce } from './install-once.ts';

const SOURCES = join(PACKAGE_FOLDER, 'local/vendure-engine/server');

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

interface Receiver {
  readonly address: string;
  readonly secret: string;
}

/** A Vendure server in a process of its own, which keeps its data in a file: what was committed outlives a kill. */
export class VendureEngine {
  readonly port: number;
  readonly #folder: string;
  /** Its data, as they were committed last. */
  readonly file: string;
  #child: ChildProcess | undefined;
  /** What it has logged, the newest last. */
  log = '';

  constructor(folder: string, file: string, port: number) {
    this.#folder = folder;
    this.file = file;
    this.port = port;
  }

  /** Without a receiver, the plugin is not there. */
  async start(to: Receiver | undefined): Promise<void> {
    const hooks = pathToFileURL(join(SOURCES, 'modules-of-engine.ts')).href;
    const target = to ? [to.address, to.secret] : [];
    const child = fork(join(SOURCES, 'server.ts'), [String(this.port), this.file, ...target], {
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
    const database = new DatabaseSync(this.file, { readOnly: true });
    try {
      return database.prepare(sql).all(...values) as Row[];
    } finally {
      database.close();
    }
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
