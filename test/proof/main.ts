import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  optionsOrHelp,
  readCommandLine,
  readNumber,
} from '../../local/sandbox-kit/command-line.ts';
import manifest from '../../package.json' with { type: 'json' };
import { hashOfCode, TIME_OVER } from '../support/proof-run.ts';
import { lanes, type ProofPart, type Step } from './parts.ts';
import { describeProof, type StepResult } from './report.ts';

/** See docs/decisions/0078-a-night-of-proof.md. */
const HELP = `npm run proof -- [--hours H | --minutes M] [--report FILE] [--again]

Runs every proof, each as its own command, and writes a report of what was covered and what was not.
  --hours H      how long it may take in all (default 8)
  --report FILE  default: proof.md
  --again        forgets what earlier runs of this code have done

A run that was stopped, or whose time was over, goes on where it was, as long as the code is the same. Exit code 1:
something failed; 3: the time was over before everything was run.`;

/** A command that knows its time may take this long to end by itself. */
const GRACE_MS = 20_000;

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const scripts: Readonly<Record<string, string>> = manifest.scripts;

const POSITIVE = { least: 0.001, most: 100_000 };
const wanted = optionsOrHelp(
  readCommandLine(
    process.argv.slice(2),
    {
      hours: { type: 'string', default: '8' },
      minutes: { type: 'string' },
      report: { type: 'string', default: 'proof.md' },
      again: { type: 'boolean' },
    },
    ({ hours, minutes, report, again }) => ({
      minutes:
        readNumber('--minutes', minutes, POSITIVE) ??
        60 * (readNumber('--hours', hours, POSITIVE) ?? 0),
      report,
      again,
    }),
  ),
  HELP,
);
if (!wanted) process.exit();
const { minutes, report, again } = wanted;

const code = hashOfCode();
const commit = git('rev-parse', '--short=12', 'HEAD');
const isClean = git('status', '--porcelain', '--', '.', ':!*.md') === '';
const folder = join(PROJECT, 'node_modules/.cache/proof', code);
const stateFile = join(folder, 'state.json');
if (again) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const results: Record<string, StepResult> = existsSync(stateFile)
  ? JSON.parse(readFileSync(stateFile, 'utf8'))
  : {};

const stopping = new AbortController();
// Also at a second signal: the steps are groups of their own, and would outlive this process.
process.on('SIGINT', () => stopping.abort()).on('SIGTERM', () => stopping.abort());
await Promise.all(lanes.map(runLane));
const facts = { commit: isClean ? commit : `${commit} with changes`, date: new Date(), results };
writeFileSync(report, describeProof(facts));
const steps = lanes.flat().flatMap(({ steps }) => steps).length;
const count = (end: StepResult['end']) =>
  Object.values(results).filter((one) => one.end === end).length;
console.log(`${count('passed')} of ${steps} steps passed. The report is in ${report}.`);
for (const [name, { end }] of Object.entries(results)) {
  if (end === 'failed') console.log(`FAILED ${name}`);
}
const isOver = count('passed') === steps;
process.exitCode = count('failed') > 0 ? 1 : stopping.signal.aborted ? 130 : isOver ? 0 : TIME_OVER;

async function runLane(parts: readonly ProofPart[]): Promise<void> {
  const begin = Date.now();
  let share = 0;
  for (const part of parts) {
    share = Math.min(share + part.share, 1);
    for (const step of part.steps) await runStep(part, step, begin + share * minutes * 60_000);
  }
}

async function runStep(part: ProofPart, step: Step, until: number): Promise<void> {
  const name = `${part.title}: ${step.name}`;
  const left = (until - Date.now()) / 60_000;
  const isDone = results[name] !== undefined && results[name].end !== 'stopped';
  if (isDone || left < part.needsMinutes || stopping.signal.aborted) return;
  const args = step.args(left, folder);
  console.log(`${new Date().toISOString().slice(11, 19)}  ${name}`);
  const began = Date.now();
  const { code: exitCode, output } = await run(scriptFile(step.script), args, until);
  if (hashOfCode() !== code) {
    if (!stopping.signal.aborted) console.log('The code has changed: begin again.');
    stopping.abort();
    return;
  }
  const seconds = Math.round((Date.now() - began) / 1000) + (results[name]?.seconds ?? 0);
  const isLeft = exitCode === undefined || exitCode === TIME_OVER;
  const end = exitCode === 0 ? 'passed' : isLeft ? 'stopped' : 'failed';
  const command = ['npm run', step.script, '--', ...args].join(' ').replace(`${PROJECT}`, '');
  results[name] = { end, seconds, command, output };
  writeFileSync(stateFile, JSON.stringify(results));
  console.log(`${new Date().toISOString().slice(11, 19)}  ${name}: ${end}, ${seconds} s`);
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** `code` is undefined for a process that was stopped because its time was over. */
function run(file: string, args: readonly string[], until: number) {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: some commands start processes that would outlive them.
    detached: true,
  });
  const lines: string[] = [];
  // Of long outputs the end has the results.
  const keep = (chunk: Buffer) => void lines.splice(0, lines.push(String(chunk)) - 2_000);
  child.stdout.on('data', keep);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-4_000);
  });
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    killGroup(child.pid, 'SIGTERM');
    setTimeout(() => killGroup(child.pid, 'SIGKILL'), GRACE_MS).unref();
  };
  const timer = setTimeout(stop, Math.max(until - Date.now(), 0) + GRACE_MS);
  stopping.signal.addEventListener('abort', stop);
  return new Promise<{ code: number | undefined; output: string }>((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      stopping.signal.removeEventListener('abort', stop);
      const hasFailed = code !== 0 && code !== TIME_OVER && !isStopped;
      const output = `${lines.join('')}${hasFailed ? errors : ''}`;
      resolve({ code: isStopped ? undefined : (code ?? 1), output });
    });
  });
}

/** `npm run X` also checks the runtime: once is enough. */
function scriptFile(script: string): string {
  const file = scripts[script]?.split(' ').at(-1);
  if (!file) throw new Error(`package.json has no script ${script}`);
  return file;
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' }).trim();
}
