import {
  optionsOrHelp,
  readCommandLine,
  readNumber,
} from '../../local/sandbox-kit/command-line.ts';
import { TIME_OVER } from '../support/proof-run.ts';
import { describeReport, ENOUGH_INPUTS, runFuzz, unreached } from './run-fuzz.ts';
import { fuzzTargetNames } from './targets.ts';

/** See docs/decisions/0033-the-simulation-runs-the-real-core-from-a-seed.md. */
const HELP = `npm run fuzz -- [--inputs N] [--seed S] [--target NAME] [--minutes M]

Tries hostile inputs on everything that reads external data.
  --inputs N    inputs for each target (default 20000)
  --minutes M   ends after this long, shared by the targets
  --seed S      the first seed; input n is that of seed S + n (default: the time)
  --target NAME one of ${fuzzTargetNames.join(', ')}

A broken law is printed with the smallest input that breaks it and the command that repeats it. Exit code 1: a law
is broken, or of ${ENOUGH_INPUTS} inputs and more none led to some kind of result; 3: the time was over before all inputs of
--inputs, or one of each target, were tried.`;

const COUNT = { least: 1, most: Number.MAX_SAFE_INTEGER, isWhole: true };

function readArguments(args: readonly string[]) {
  return readCommandLine(
    args,
    {
      inputs: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      target: { type: 'string' },
    },
    (values) => {
      const targets = fuzzTargetNames.filter((name) => (values.target ?? name) === name);
      if (targets.length === 0) throw new Error(`there is no target "${values.target}"`);
      const wanted = readNumber('--inputs', values.inputs, COUNT);
      const minutes = readNumber('--minutes', values.minutes, { least: 0.001, most: 10_000 });
      return {
        inputs: wanted ?? (minutes === undefined ? 20_000 : COUNT.most),
        /** Whether so many inputs were asked for, and not as many as the time allows. */
        isCounted: wanted !== undefined,
        seed:
          readNumber('--seed', values.seed, { ...COUNT, least: 0 }) ??
          Math.floor(Date.now() / 1000) % 1_000_000_000,
        minutes,
        targets,
      };
    },
  );
}

const wanted = optionsOrHelp(readArguments(process.argv.slice(2)), HELP);
if (wanted) {
  const { inputs, isCounted, seed, minutes, targets } = wanted;
  process.stdout.write(`seed ${seed}\n`);
  let tried = 0;
  for (const [at, target] of targets.entries()) {
    const begun = Date.now();
    const left = targets.length - at;
    const end =
      minutes === undefined ? Number.POSITIVE_INFINITY : begun + (minutes * 60_000) / left;
    const report = await runFuzz({ target, seed, inputs, untilMs: end });
    tried += report.inputs;
    const seconds = (Date.now() - begun) / 1000;
    process.stdout.write(`${describeReport(target, report, seconds)}\n`);
    const missing = report.inputs < ENOUGH_INPUTS ? [] : unreached(target, report);
    for (const word of missing) process.stdout.write(`BROKEN: no input led to: ${word}\n`);
    if (report.failure || missing.length > 0) process.exitCode = 1;
    else if (report.inputs < (isCounted ? inputs : 1)) process.exitCode ??= TIME_OVER;
  }
  const end = process.exitCode === TIME_OVER ? '; the time was over before all were tried' : '';
  const isBroken = process.exitCode === 1;
  process.stdout.write(`${tried} inputs, ${isBroken ? 'a' : 'no'} law was broken${end}\n`);
}
