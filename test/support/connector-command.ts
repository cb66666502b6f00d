import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileCache } from '../../local/stack/synthesize.ts';

const LOOPBACK_ONLY = fileURLToPath(new URL('loopback-only.mjs', import.meta.url));
const LAUNCHER = fileURLToPath(new URL('../../scripts/connector/launch.mjs', import.meta.url));
const WARM = fileURLToPath(new URL('command-process.ts', import.meta.url));

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandSettings {
  readonly folder: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another entry point than the launcher: for a run that must die at a certain point. */
  readonly script?: string;
  readonly nodeOptions?: readonly string[];
  /** Then the process is killed, as by `kill -9`. */
  readonly death?: Promise<void>;
  /** Called with the whole output after every new part. */
  readonly onOutput?: (output: string, child: ChildProcess) => void;
}

/** Runs the command line in this folder, and waits for its end. */
export function runCommand(
  args: readonly string[],
  { folder, input = '', env = {}, script = LAUNCHER, ...settings }: CommandSettings,
): Promise<CommandRun> {
  const { nodeOptions = [], death, onOutput = () => {} } = settings;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeOptions, script, ...args], {
      cwd: folder,
      env: { ...environmentIn(folder), ...env },
    });
    void death?.then(() => child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      onOutput(stdout + stderr, child);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
      onOutput(stdout + stderr, child);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // A command that does not read its input may end before it is written.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Without this machine's AWS configuration; of the test's variables only the one by which the run's guard finds it. */
const environmentIn = (folder: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  TEST_RUN_FOLDER: process.env.TEST_RUN_FOLDER ?? '',
  AWS_EC2_METADATA_DISABLED: 'true',
  NODE_OPTIONS: `--import=${pathToFileURL(LOOPBACK_ONLY)}`,
});

/** To `command-process.ts`, which answers with a `CommandRun`. */
export interface AskedCommand {
  readonly words: readonly string[];
  readonly input: string;
}

export interface WarmCommands {
  run(words: readonly string[], input?: string): Promise<CommandRun>;
  stop(): void;
}

/**
 * Runs command lines in processes that have loaded the command line already: nine tenths of a short command's time is
 * loading. A process runs one command at a time; other settings need another process, because a module is read once.
 */
export function openWarmCommands(folder: string): WarmCommands {
  const file = join(folder, 'connector.config.ts');
  const settingsNow = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const idle: { readonly child: ChildProcess; readonly settings: string }[] = [];
  const started: ChildProcess[] = [];
  const start = (settings: string) => {
    const env = { ...environmentIn(folder), ...compileCache() };
    const child = fork(WARM, [], { cwd: folder, execArgv: [], env });
    started.push(child);
    return { child, settings };
  };
  return {
    async run(words, input = '') {
      const settings = settingsNow();
      const known = idle.pop();
      if (known && known.settings !== settings) known.child.kill();
      const warm = known?.settings === settings ? known : start(settings);
      const over = new AbortController();
      const answered = once(warm.child, 'message', over);
      const ended = once(warm.child, 'exit', over).then(() => {
        throw new Error(`the process of "${words.join(' ')}" ended`);
      });
      warm.child.send({ words, input } satisfies AskedCommand);
      const [run] = await Promise.race([answered, ended]).finally(() => over.abort());
      idle.push(warm);
      return run;
    },
    stop() {
      for (const child of started) child.kill();
    },
  };
}

const SCRIPT = '/usr/bin/script';

/** Only the `script` of util-linux has the options that are used here. */
export const canTypeInto = process.platform === 'linux' && existsSync(SCRIPT);

/** Runs a command in a terminal and types each answer after its question was printed. */
export function typeInto(
  line: string,
  folder: string,
  answers: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const waiting = Object.entries(answers);
  return new Promise((resolve, reject) => {
    const command = [process.execPath, LAUNCHER, ...line.split(' ')].join(' ');
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: { ...environmentIn(folder), NODE_OPTIONS: '', TERM: 'xterm', SHELL: '/bin/sh' },
    });
    let screen = '';
    let looked = 0;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      screen += text;
      const [question, answer] = waiting[0] ?? [];
      if (question === undefined || !screen.slice(looked).includes(question)) return;
      waiting.shift();
      looked = screen.length;
      child.stdin.write(`${answer}\r`);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, screen }));
  });
}
