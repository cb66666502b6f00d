import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { join, parse } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { build } from 'esbuild';
import { moduleFile, PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { CannotStart } from '../stack/synthesize.ts';
import { installOnce } from './install-once.ts';

const SOURCES = join(PACKAGE_FOLDER, 'local/vendure-engine/server');
const LOCK_FILE = join(SOURCES, 'package-lock.json');

type Say = (text: string) => void;

/** Vendure as its lock file names it, in a folder of its own, and our server beside its packages. */
export async function installVendure(say: Say, signal?: AbortSignal): Promise<string> {
  const folder = await installOnce('vendure', LOCK_FILE, async (target) => {
    say('Downloading Vendure, this once: 45 MB, a minute or two. It needs 230 MB in');
    say(target);
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(SOURCES, file), join(target, file));
    }
    await download(target, say, signal);
  });
  await buildBeside(folder, moduleFile('local/vendure-engine/server/server'));
  return folder;
}

/** A program of ours beside the engine's packages; returns its path. */
export async function buildBeside(folder: string, source: string): Promise<string> {
  const { name } = parse(source);
  const built = join(folder, `${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [source],
    outfile: built,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // Not the one beside it, which leads to the types of the packages.
    tsconfigRaw: {},
  });
  // Renamed into place: another start may be about to read it.
  const program = join(folder, `${name}.mjs`);
  renameSync(built, program);
  return program;
}

async function download(target: string, say: Say, signal: AbortSignal | undefined): Promise<void> {
  const { packages } = JSON.parse(readFileSync(LOCK_FILE, 'utf8'));
  // npm asks about each package, and then for it.
  const requests = 2 * Object.keys(packages).length;
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http'];
  const npm = spawn('npm', ['ci', '--prefix', target, ...options], {
    cwd: target,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal && { signal }),
    // It may wait for the network before it obeys a milder one.
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<string>((resolve) => {
    npm.once('error', ({ message }) => resolve(`npm cannot be started: ${message}`));
    npm.once('close', (code) => resolve(code === 0 ? '' : 'npm ci failed'));
  });
  const errors: string[] = [];
  let answers = 0;
  createInterface({ input: npm.stderr }).on('line', (line) => {
    // Without a network, npm would go on for minutes.
    const isInVain = answers + errors.length === 0 && / attempt 1 failed /.test(line);
    if (isInVain) npm.kill('SIGKILL');
    if (isInVain || line.startsWith('npm error')) errors.push(line);
    if (!line.startsWith('npm http fetch GET 200 ')) return;
    answers += 1;
    const tenths = (of: number) => Math.floor((10 * of) / requests);
    if (tenths(answers) > tenths(answers - 1)) say(`  ${tenths(answers)}0 %`);
  });
  const problem = await ended;
  if (problem === '') return;
  throw new CannotStart(`Vendure could not be downloaded: ${problem}.
${errors
  .slice(0, 5)
  .map((line) => `  ${line}\n`)
  .join('')}\
Try "npm ping": npm needs the network, or the address of a registry that it can reach. Then start again.
Without --store vendure, nothing is downloaded.`);
}

interface Receiver {
  readonly address: string;
  readonly secret: string;
}

const targetOf = (to: Receiver | undefined) => (to ? [to.address, to.secret] : []);

/** A Vendure server in a process of its own, which keeps its data in a file: what was committed outlives a kill. */
export class VendureEngine {
  readonly port: number;
  readonly #folder: string;
  /** Its data, as they were committed last. */
  readonly file: string;
  #child: ChildProcess | undefined;
  /** What it has logged, the newest last. */
  log = '';
  /** Called when the engine ends by itself after its start. */
  onCrash: (log: string) => void = () => {};

  constructor(folder: string, file: string, port: number) {
    this.#folder = folder;
    this.file = file;
    this.port = port;
  }

  /** Without a receiver, the plugin is not there. `program`: a server that does more. */
  async start(to: Receiver | undefined, program = join(this.#folder, 'server.mjs')): Promise<void> {
    const child = this.#fork(program, targetOf(to));
    let isReady = false;
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => {
        isReady = true;
        resolve();
      });
      // By then its whole log is read.
      child.once('close', () => {
        if (!isReady) reject(new CannotStart(this.#explain()));
        else if (!child.killed) this.onCrash(this.log.trim());
      });
    });
  }

  #explain(): string {
    return `Vendure did not start. It said:
${this.log.trim()}
If that is no help, delete ${this.#folder} and start again: it is then downloaded again.`;
  }

  /** Another program on its data, until its end. The server must not run. */
  async run(program: string, args: readonly string[], to: Receiver | undefined): Promise<void> {
    const [code] = await once(this.#fork(program, [...args, ...targetOf(to)]), 'exit');
    if (code !== 0) throw new Error(`${program} ended with ${code}:\n${this.log}`);
  }

  #fork(program: string, args: readonly string[]): ChildProcess {
    const child = fork(program, [String(this.port), this.file, ...args], {
      cwd: this.#folder,
      execArgv: [],
      env: { ...process.env, VENDURE_DISABLE_TELEMETRY: 'true' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const output of [child.stdout, child.stderr]) {
      output?.setEncoding('utf8').on('data', (text) => {
        this.log = (this.log + text).slice(-20_000);
      });
    }
    this.#child = child;
    return child;
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
