import {
  optionsOrHelp,
  readCommandLine,
  readNumber,
} from '../../local/sandbox-kit/command-line.ts';
import { TIME_OVER } from '../support/proof-run.ts';
import { describeReport, runFuzz } from './run-fuzz.ts';
import { fuzzTargetNames } from './targets.ts';

/** See docs/decisions/0034-input-is-fuzzed.md. */
const HELP = `npm run fuzz -- [--inputs N] [--seed S] [--target NAME] [--minutes M]

Tries hostile inputs on everything that reads external data.
  --inputs N    inputs for each target (default 20000)
  --minutes M   ends after this long, shared by the targets
  --seed S      the first seed; input n is that of seed S + n (default: the time)
  --target NAME one of ${fuzzTargetNames.join(', ')}

A broken law is printed with the smallest input that breaks it and the command that repeats it. Exit code 1: a law
is broken; 3: the time was over before all inputs of --inputs were tried.`;

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
    if (report.failure) process.exitCode = 1;
    else if (report.inputs < inputs && isCounted) process.exitCode ??= TIME_OVER;
  }
  process.stdout.write(
    `${tried} inputs, ${process.exitCode === 1 ? 'a law was broken' : 'no law was broken'}\n`,
  );
}
