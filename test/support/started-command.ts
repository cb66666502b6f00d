import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROJECT } from '../../local/stack/synthesize.ts';

export interface StartedCommand {
  readonly pid: number;
  /** The output so far, of both streams. */
  output(): string;
  /** Until the output contains this; rejects when the command ends before. */
  says(text: string): Promise<void>;
  /** Of all its descendant processes. */
  descendants(): readonly number[];
  /** Closes standard output; standard error is still read. */
  stopReading(): void;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code; undefined when a signal ended it. */
  ended(): Promise<number | undefined>;
}

const PROGRAM = join(PROJECT, 'local/stack/main.ts');

/**
 * `npm start` without npm, so that signals and ids are those of the program. In its own folder, so that it
 * does not disturb a stack that runs in the project.
 */
export function startStackCommand(cwd: string, ...args: readonly string[]): StartedCommand {
  return track(spawn(process.execPath, [PROGRAM, ...args], { cwd }));
}

/** As it is typed. */
export function startByNpm(...args: readonly string[]): StartedCommand {
  return track(spawn('npm', ['start', '--', ...args], { cwd: PROJECT }));
}

function track(child: ChildProcess): StartedCommand {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const close = once(child, 'close').then(([code]) => (code === null ? undefined : Number(code)));
  let isOver = false;
  void close.then(() => {
    isOver = true;
  });
  return {
    pid: child.pid ?? -1,
    output: () => said,
    async says(text) {
      while (!said.includes(text)) {
        if (isOver) throw new Error(`it ended without "${text}":\n${said}`);
        await sleep(50);
      }
    },
    descendants: () => descendantsOf(child.pid ?? -1),
    stopReading: () => void child.stdout?.destroy(),
    kill: (signal) => void child.kill(signal),
    ended: () => close,
  };
}

function descendantsOf(pid: number): readonly number[] {
  const parents = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): readonly number[] =>
    parents
      .filter(([, ppid]) => ppid === parent)
      .flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
}
