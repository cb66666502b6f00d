import { readCommandLine, readNumber, type Wanted } from '../../local/sandbox-kit/command-line.ts';
import { PARTS, type Part } from './parts.ts';

export const HELP = `Runs the connector in a simulated world in which everything fails that may, and holds it to its promises.

  npm run simulate                              one seed
  npm run simulate -- --seed 17 --events 200    that seed, with so many webhooks of the store
  npm run simulate -- --seeds 10000             so many seeds, on all cores
  npm run simulate -- --hours 8                 seed after seed, for so long; with --seeds up to so many
  npm run simulate -- --mutations [NAMES]       the deliberate bugs, and how soon each is noticed
  npm run simulate -- --schedules [NUMBERS]     every schedule of a few processes, not a sample

  --seed N     the first seed. Default: 1, and with --hours one that depends on the day
  --events M   how many webhooks the store sends in each. Default: 200
  --part P     orders, storefront or observed alone. Default: all, each in its own world
  --state F    saves in the file F which seeds are done: the same command goes on there, as long as
               the code is the same, and a seed that fails does not end the run
  --threads T  how many seeds run side by side. Default: one per core

One seed decides everything: run twice, it does the same twice. A seed that fails is shrunk to what its
failure needs, and printed with the command that repeats it. Exit code 1: a promise is broken; 3: the time was
over before all seeds were run.`;

export type Command =
  | { readonly kind: 'mutations'; readonly names: readonly string[] }
  | { readonly kind: 'schedules'; readonly numbers: readonly number[] }
  | {
      readonly kind: 'run';
      readonly seed: number | undefined;
      readonly events: number;
      /** Undefined means one, and with `hours` without an end. */
      readonly seeds: number | undefined;
      readonly state: string | undefined;
      readonly hours: number | undefined;
      readonly threads: number | undefined;
      readonly parts: readonly Part[];
    };

const options = {
  mutations: { type: 'boolean' },
  schedules: { type: 'boolean' },
  seed: { type: 'string' },
  events: { type: 'string' },
  part: { type: 'string' },
  seeds: { type: 'string' },
  hours: { type: 'string' },
  state: { type: 'string' },
  threads: { type: 'string' },
} as const;

const COUNT = { least: 1, most: 999_999_999, isWhole: true };

export function readArguments(args: readonly string[]): Wanted<Command> {
  const takesWords = args.includes('--mutations') || args.includes('--schedules');
  return readCommandLine(
    args,
    options,
    (values, words): Command => {
      if (values.mutations) return { kind: 'mutations', names: words };
      if (values.schedules) return { kind: 'schedules', numbers: words.map(Number) };
      const parts = PARTS.filter((one) => values.part === undefined || one === values.part);
      if (parts.length === 0) throw new Error('--part must be orders, storefront or observed');
      return {
        kind: 'run',
        seed: readNumber('--seed', values.seed, COUNT),
        events: readNumber('--events', values.events, COUNT) ?? 200,
        seeds: readNumber('--seeds', values.seeds, COUNT),
        state: values.state,
        hours: readNumber('--hours', values.hours, { least: 0.0001, most: 10_000 }),
        threads: readNumber('--threads', values.threads, COUNT),
        parts,
      };
    },
    takesWords,
  );
}
