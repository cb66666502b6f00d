import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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

const main = 'local/loyalty-sandbox/main.ts';
const patient = fileURLToPath(new URL('./patient-sandbox.ts', import.meta.url));

/** The sandbox as a person starts it, in a process of its own. */
export const startSandboxProcess = (...args: readonly string[]) => startProcess(main, args);

/** One that neither gives an event up nor switches a subscription off. */
export const startPatientSandbox = (...args: readonly string[]) => startProcess(patient, args);

function startProcess(script: string, args: readonly string[]): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [script, '--port', '0', ...args]);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return new Promise((resolve, reject) => {
    let greeting = '';
    child.stderr.on('data', (data) => reject(new Error(String(data))));
    child.stdout.on('data', (data) => {
      greeting += data;
      const [, address] = /API +(http:\/\/127\.0\.0\.1:\d+)\//.exec(greeting) ?? [];
      if (!address || !greeting.includes('/sandbox/state')) return;
      const kill = (signal: NodeJS.Signals) => {
        child.kill(signal);
        return ended;
      };
      resolve({ child, address, greeting, kill });
    });
  });
}

export function runSandbox(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...args]);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += data;
  });
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}
