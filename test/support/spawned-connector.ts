import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../scripts/connector/launch.mjs', import.meta.url));

export interface CommandRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SpawnSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Another entry than the launcher, for a run that has to die at a certain point. */
  readonly script?: string;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Told of everything that is printed, as it comes. */
  readonly onOutput?: (output: string, child: ChildProcess) => void;
}

/** Runs the command line as a person would, in a process of its own. */
export function runConnector(
  args: readonly string[],
  { env = {}, cwd, script = LAUNCHER, nodeOptions = [], onOutput }: SpawnSettings = {},
): Promise<CommandRun> {
  const child = spawn(process.execPath, [...nodeOptions, script, ...args], {
    cwd,
    // Nothing of whoever runs the tests: no credentials, no region, no profile.
    env: {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      AWS_EC2_METADATA_DISABLED: 'true',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    onOutput?.(stdout + stderr, child);
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    onOutput?.(stdout + stderr, child);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}
