import { availableParallelism } from 'node:os';
import { optionsOrHelp } from '../../local/sandbox-kit/command-line.ts';
import { hashOfCode } from '../support/code-hash.ts';
import { type Command, HELP, readArguments } from './arguments.ts';
import { printMutations } from './mutations/print-mutations.ts';
import { simulations } from './parts.ts';
import { runSeedsInThreads } from './run-seeds.ts';
import { SavedRun } from './saved-run.ts';
import { listSearches, printSchedules } from './schedules/print-schedules.ts';
import { describeFailure, shrink } from './shrink.ts';

/** The exit code of a run whose time was over. */
const TIME_OVER = 3;
/** After so many broken promises the rest of a saved run would only cost time. */
const MOST_BROKEN = 20;

const help = `${HELP}\n\nThe searches of --schedules:\n${listSearches()}`;
const command = optionsOrHelp(readArguments(process.argv.slice(2)), help);
switch (command?.kind) {
  case 'mutations':
    process.exitCode = (await printMutations(command.names)) ? 0 : 1;
    break;
  case 'schedules':
    process.exitCode = (await printSchedules(command.numbers)) ? 0 : 1;
    break;
  case 'run':
    process.exitCode = await run(command);
}

async function run(wanted: Extract<Command, { kind: 'run' }>): Promise<number> {
  const { events, parts, hours, state, threads = availableParallelism() } = wanted;
  // New seeds every day, more than a day can run, so that every run can be repeated.
  const today = 1 + (Math.floor(Date.now() / 86_400_000) % 999) * 1_000_000;
  const endless = wanted.seeds === undefined && hours !== undefined;
  const first = wanted.seed ?? (endless ? today : 1);
  const last = endless ? null : first + (wanted.seeds ?? 1) - 1;
  const until = hours === undefined ? Number.POSITIVE_INFINITY : Date.now() + hours * 3_600_000;
  const code = state === undefined ? undefined : hashOfCode();
  const saved = openRun({ first, last, events, parts, code }, state);
  if (!saved) return 2;
  const { totals } = saved;
  const most = state === undefined ? 1 : MOST_BROKEN;
  let saidAt = Date.now();
  let isStopped = false;
  const stop = () => {
    isStopped = true;
  };
  // A second one ends it at once.
  process.once('SIGINT', stop).once('SIGTERM', stop);
  await runSeedsInThreads(
    threads,
    { events, parts },
    () => saved.takeSeed(),
    (seed, reports) => {
      saved.end(seed, reports);
      if (Date.now() - saidAt > 10_000) {
        saidAt = Date.now();
        console.error(totals.progress);
      }
      return totals.broken.length < most && Date.now() < until && !isStopped;
    },
  );
  saved.save();
  console.log(totals.summary);
  const [failing, ...others] = totals.broken;
  if (!failing) return saved.isComplete ? 0 : TIME_OVER;

  for (const { seed, part, oracle } of others)
    console.log(`Also: ${part}, ${oracle}, seed ${seed}`);
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
  return 1;
}

function openRun(...given: ConstructorParameters<typeof SavedRun>): SavedRun | undefined {
  try {
    return new SavedRun(...given);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return undefined;
  }
}
