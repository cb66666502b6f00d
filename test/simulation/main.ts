import { availableParallelism } from 'node:os';
import { type Command, HELP, readArguments } from './arguments.ts';
import { printMutations } from './mutations/print-mutations.ts';
import { type Part, simulations } from './parts.ts';
import { createTotals, runSeedsInThreads } from './run-seeds.ts';
import { printSchedules } from './schedules/print-schedules.ts';
import { describeFailure, shrink } from './shrink.ts';

const command = readArguments(process.argv.slice(2));
switch (command.kind) {
  case 'help':
    console.log(HELP);
    break;
  case 'wrong':
    console.error(`${command.why}\n\n${HELP}`);
    process.exitCode = 2;
    break;
  case 'mutations':
    process.exitCode = (await printMutations(command.names, command.docs)) ? 0 : 1;
    break;
  case 'schedules':
    process.exitCode = (await printSchedules()) ? 0 : 1;
    break;
  case 'run':
    process.exitCode = (await run(command)) ? 0 : 1;
}

async function run(wanted: Extract<Command, { kind: 'run' }>): Promise<boolean> {
  const { events, parts, hours, threads = availableParallelism() } = wanted;
  // New seeds every day, more than a day can run, so that every run can be repeated.
  const today = 1 + (Math.floor(Date.now() / 86_400_000) % 999) * 1_000_000;
  const first = wanted.seed ?? (hours === undefined ? 1 : today);
  const last = hours === undefined ? first + wanted.seeds - 1 : Number.POSITIVE_INFINITY;
  const until = hours === undefined ? Number.POSITIVE_INFINITY : Date.now() + hours * 3_600_000;
  const totals = createTotals();
  let failing: { readonly seed: number; readonly part: Part } | undefined;
  let saidAt = Date.now();
  await runSeedsInThreads(
    Math.min(threads, last - first + 1),
    { first, last, events, parts },
    (report) => {
      totals.add(report);
      if (report.violations.length > 0) failing ??= report;
      if (Date.now() - saidAt > 10_000) {
        saidAt = Date.now();
        console.error(totals.progress());
      }
      return failing === undefined && Date.now() < until;
    },
  );
  console.log(totals.summary());
  if (failing === undefined) return true;

  const { seed, part } = failing;
  const simulate = simulations[part];
  console.log(`\nSeed ${seed} breaks a promise of the ${part} part. Shrinking it…\n`);
  const shrunk = await shrink({ seed, events }, await simulate({ seed, events }), simulate);
  console.log(
    shrunk
      ? describeFailure(shrunk)
      : 'It does not fail again: something in it is not decided by the seed.',
  );
  console.log(`\nAgain: npm run simulate -- --part ${part} --seed ${seed} --events ${events}`);
  return false;
}
