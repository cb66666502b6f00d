import { parseArgs } from 'node:util';
import { TIME_OVER } from '../support/proof-run.ts';
import { describeReport, runFuzz } from './run-fuzz.ts';
import { type FuzzTargetName, fuzzTargetNames } from './targets.ts';

/** See docs/decisions/0034-input-is-fuzzed.md. */
const HELP = `npm run fuzz -- [--inputs N] [--seed S] [--target NAME] [--minutes M]

Tries hostile inputs on everything that reads external data.
  --inputs N    inputs for each target (default 20000)
  --minutes M   ends after this long, shared by the targets
  --seed S      the first seed; input n is that of seed S + n (default: the time)
  --target NAME one of ${fuzzTargetNames.join(', ')}

A broken law is printed with the smallest input that breaks it and the command that repeats it. Exit code 1: a law
is broken; 3: the time was over before all inputs of --inputs were tried.`;

interface Wanted {
  readonly inputs: number;
  /** Whether so many inputs were asked for, and not as many as the time allows. */
  readonly isCounted: boolean;
  readonly seed: number;
  readonly minutes: number | undefined;
  readonly targets: readonly FuzzTargetName[];
}

function readWanted(): Wanted | undefined {
  const { values } = parseArgs({
    options: {
      inputs: { type: 'string' },
      seed: { type: 'string' },
      minutes: { type: 'string' },
      target: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const number = (text: string | undefined, otherwise: number) =>
    text === undefined ? otherwise : Number(text);
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
  const isCounted = values.inputs !== undefined;
  const inputs = number(values.inputs, minutes === undefined ? 20_000 : Number.MAX_SAFE_INTEGER);
  const seed = number(values.seed, Math.floor(Date.now() / 1000) % 1_000_000_000);
  const targets = fuzzTargetNames.filter((name) => (values.target ?? name) === name);
  const usable = inputs > 0 && Number.isInteger(seed) && (minutes ?? 1) > 0 && targets.length > 0;
  return usable && !values.help ? { inputs, isCounted, seed, minutes, targets } : undefined;
}

const wanted = readWanted();
if (!wanted) {
  process.stdout.write(`${HELP}\n`);
  process.exitCode = 2;
} else {
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
