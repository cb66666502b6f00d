import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { descendantsOf } from './descendants.ts';

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

const LAUNCHER = join(PACKAGE_FOLDER, 'scripts/connector/launch.mjs');

/** `npm start` without npm, so that signals and ids are those of the program, in this project. */
export function startStackCommand(cwd: string, ...args: readonly string[]): StartedCommand {
  return track(spawn(process.execPath, [LAUNCHER, 'start', ...args], { cwd }));
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
    descendants: () => descendantsOf(child.pid ?? -1).map(({ pid }) => pid),
    stopReading: () => void child.stdout?.destroy(),
    kill: (signal) => void child.kill(signal),
    ended: () => close,
  };
}
