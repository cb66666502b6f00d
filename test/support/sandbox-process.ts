import { type ChildProcess, spawn } from 'node:child_process';

export interface SandboxProcess {
  readonly child: ChildProcess;
  readonly address: string;
  /** What it printed until it was ready. */
  readonly greeting: string;
  /** Resolves when the process is gone. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program, and how the last line of its greeting begins. */
const programs = {
  loyalty: { main: 'local/loyalty-sandbox/main.ts', ending: '/sandbox/state' },
  store: { main: 'local/store-sandbox/main.ts', ending: '-d ' },
} as const;

/** A sandbox as a person starts it, in a process of its own, on a free port. */
export function startSandboxProcess(
  which: keyof typeof programs,
  ...args: readonly string[]
): Promise<SandboxProcess> {
  const { main, ending } = programs[which];
  const child = spawn(process.execPath, [main, '--port', '0', ...args]);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return new Promise((resolve, reject) => {
    let greeting = '';
    child.stderr.on('data', (data) => reject(new Error(String(data))));
    child.stdout.on('data', (data) => {
      greeting += data;
      const [, address] = /API +(http:\/\/127\.0\.0\.1:\d+)\//.exec(greeting) ?? [];
      if (!address || !greeting.includes(ending)) return;
      const kill = (signal: NodeJS.Signals) => {
        child.kill(signal);
        return ended;
      };
      resolve({ child, address, greeting, kill });
    });
  });
}

export function runSandbox(
  which: keyof typeof programs,
  ...args: readonly string[]
): Promise<Ended> {
  const child = spawn(process.execPath, [programs[which].main, ...args]);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
