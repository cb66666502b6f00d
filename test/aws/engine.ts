import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotStart } from '../../local/stack/synthesize.ts';
import { installOnce } from '../../local/vendure-engine/install-once.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';

export const REGION = 'eu-west-1';

/** In an environment of its own; every package must have the hash of the lock file. Returns the program. */
export async function installEngine(): Promise<string> {
  const wanted = join(PACKAGE_FOLDER, 'tools/ministack/requirements.txt');
  const python = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';
  if (spawnSync('python3', ['-c', python]).status !== 0) {
    throw new CannotStart('The AWS engine needs python3, in version 3.10 or newer, with venv.');
  }
  const folder = await installOnce('ministack', wanted, (target) => {
    const stdio = ['ignore', 'ignore', 'inherit'] as const;
    execFileSync('python3', ['-m', 'venv', target], { stdio: [...stdio] });
    const from = ['--require-hashes', '--requirement', wanted];
    execFileSync(join(target, 'bin/pip'), ['install', '--quiet', ...from], { stdio: [...stdio] });
  });
  return join(folder, 'bin/ministack');
}

export interface Engine {
  readonly port: number;
  readonly pid: number;
  /** What it printed. */
  log(): string;
  stop(): Promise<void>;
}

interface EngineOptions {
  readonly program: string;
  /** For everything that it writes. */
  readonly folder: string;
  readonly port: number;
  /** What its functions find in their environment besides what the template says. */
  readonly environment: Readonly<Record<string, string>>;
}

/** An AWS account with nothing in it. It enforces IAM; `test` is the key of its root user. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { program, folder, port, environment } = options;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'engine.log');
  const log = openSync(file, 'w');
  const child = spawn(program, [], {
    cwd: folder,
    stdio: ['ignore', log, log],
    env: {
      // The functions run with the Node of this process.
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      ...{ HOME: folder, TMPDIR: folder, STATE_DIR: folder, S3_DATA_DIR: join(folder, 's3') },
      ...{ BIND_HOST: '127.0.0.1', GATEWAY_PORT: String(port), MINISTACK_REGION: REGION },
      ...{ AUTH: 'true', LOG_LEVEL: 'WARNING' },
      ...environment,
    },
  });
  const ended = once(child, 'exit');
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const engine = {
    port,
    pid: child.pid ?? 0,
    log: () => readFileSync(file, 'utf8'),
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, sleep(10_000, undefined, { ref: false })]);
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`the engine ended at once:\n${engine.log()}`);
    await sleep(200);
  }
  return engine;
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/_ministack/health`).then(
    ({ ok }) => ok,
    () => false,
  );
