import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
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
import { describeProof, putResults, type StepResult } from './report.ts';
import { runLane } from './run-lane.ts';

/** See docs/decisions/0033-the-simulation-runs-the-real-core-from-a-seed.md. */
const HELP = `npm run proof -- [--hours H | --minutes M] [--report FILE] [--docs] [--again]

Runs every proof, each as its own command, and writes a report of what was covered and what was not.
  --hours H      how long it may take in all (default 8)
  --minutes M    the same in minutes; of a short run the report names what was not run
  --report FILE  default: proof.md
  --docs         also writes the results of every complete part into docs/reliability.md
  --again        forgets what earlier runs of this code have done

A run that was stopped, or whose time was over, goes on where it was, as long as the code is the same. Exit code 1:
something failed; 3: the time was over before everything was run.`;

/** A command that knows its time may take this long to end by itself. */
const GRACE_MS = 20_000;

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const RESULTS = join(PROJECT, 'docs/reliability.md');
const scripts: Readonly<Record<string, string>> = manifest.scripts;

const POSITIVE = { least: 0.001, most: 100_000 };
const wanted = optionsOrHelp(
  readCommandLine(
    process.argv.slice(2),
    {
      hours: { type: 'string', default: '8' },
      minutes: { type: 'string' },
      report: { type: 'string', default: 'proof.md' },
      docs: { type: 'boolean' },
      again: { type: 'boolean' },
    },
    ({ hours, minutes, report, docs, again }) => ({
      minutes:
        readNumber('--minutes', minutes, POSITIVE) ??
        60 * (readNumber('--hours', hours, POSITIVE) ?? 0),
      report,
      docs,
      again,
    }),
  ),
  HELP,
);
if (!wanted) process.exit();
const { minutes, report, docs, again } = wanted;

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
const work = { now: Date.now, isOpen, run: runStep };
await Promise.all(lanes.map((parts) => runLane(parts, minutes * 60_000, work)));
const facts = { commit: isClean ? commit : `${commit} with changes`, date: new Date(), results };
writeFileSync(report, describeProof(facts));
if (docs) writeFileSync(RESULTS, putResults(readFileSync(RESULTS, 'utf8'), facts));
const steps = lanes.flat().flatMap(({ steps }) => steps).length;
const count = (end: StepResult['end']) =>
  Object.values(results).filter((one) => one.end === end).length;
console.log(`${count('passed')} of ${steps} steps passed. The report is in ${report}.`);
for (const [name, { end }] of Object.entries(results)) {
  if (end === 'failed') console.log(`FAILED ${name}`);
}
const isOver = count('passed') === steps;
process.exitCode = count('failed') > 0 ? 1 : stopping.signal.aborted ? 130 : isOver ? 0 : TIME_OVER;

function nameOf(part: ProofPart, step: Step): string {
  return `${part.title}: ${step.name}`;
}

function isOpen(part: ProofPart, step: Step): boolean {
  const { end = 'stopped' } = results[nameOf(part, step)] ?? {};
  return end === 'stopped' && !stopping.signal.aborted;
}

async function runStep(part: ProofPart, step: Step, until: number): Promise<void> {
  const name = nameOf(part, step);
  const args = step.args((until - Date.now()) / 60_000, folder);
  const file = join(folder, name.replace(/\W+/g, '-'));
  console.log(`${new Date().toISOString().slice(11, 19)}  ${name}`);
  const began = Date.now();
  const exitCode = await run([...commandOf(step.script), ...args], file, until);
  if (hashOfCode() !== code) {
    if (!stopping.signal.aborted) console.log('The code has changed: begin again.');
    stopping.abort();
    return;
  }
  const seconds = Math.round((Date.now() - began) / 1000) + (results[name]?.seconds ?? 0);
  const isLeft = exitCode === undefined || exitCode === TIME_OVER;
  const end = exitCode === 0 ? 'passed' : isLeft ? 'stopped' : 'failed';
  const errors = end === 'failed' ? readFileSync(`${file}.err`, 'utf8').slice(-4_000) : '';
  results[name] = {
    ...{ end, seconds, file: `${file}.out`.replace(PROJECT, '') },
    command: ['npm run', step.script, '--', ...args].join(' ').replace(PROJECT, ''),
    output: `${readFileSync(`${file}.out`, 'utf8')}${errors}`,
  };
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

/** Returns the exit code, undefined for a process that was stopped because its time was over. */
function run(command: readonly string[], file: string, until: number) {
  const [program = '', ...args] = command;
  // A step that goes on writes behind what it wrote before.
  const [out, err] = [openSync(`${file}.out`, 'a'), openSync(`${file}.err`, 'a')];
  // A group of its own: some commands start processes that would outlive them.
  const child = spawn(program, args, { cwd: PROJECT, stdio: ['ignore', out, err], detached: true });
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    killGroup(child.pid, 'SIGTERM');
    setTimeout(() => killGroup(child.pid, 'SIGKILL'), GRACE_MS).unref();
  };
  const timer = setTimeout(stop, Math.max(until - Date.now(), 0) + GRACE_MS);
  stopping.signal.addEventListener('abort', stop);
  return new Promise<number | undefined>((resolve) => {
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      stopping.signal.removeEventListener('abort', stop);
      closeSync(out);
      closeSync(err);
      resolve(isStopped ? undefined : (exitCode ?? 1));
    });
  });
}

/** `npm run X` also checks the runtime: once is enough. */
function commandOf(script: string): readonly string[] {
  const [program, ...args] = scripts[script]?.split(' && ').at(-1)?.split(' ') ?? [];
  if (!program) throw new Error(`package.json has no script ${script}`);
  const isNode = program === 'node';
  return [isNode ? process.execPath : join(PROJECT, 'node_modules/.bin', program), ...args];
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' }).trim();
}
