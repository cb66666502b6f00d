import { parseArgs } from 'node:util';
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
  --part P     orders or storefront alone. Default: both, each in its own world
  --state F    saves in the file F which seeds are done: the same command goes on there, as long as
               the code is the same, and a seed that fails does not end the run
  --docs       with --mutations: writes each row into docs/reliability.md
  --threads T  how many seeds run side by side. Default: one per core

One seed decides everything: run twice, it does the same twice. A seed that fails is shrunk to what its
failure needs, and printed with the command that repeats it. Exit code 1: a promise is broken; 3: the time was
over before all seeds were run.`;

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly why: string }
  | { readonly kind: 'mutations'; readonly names: readonly string[]; readonly docs: boolean }
  | { readonly kind: 'schedules'; readonly numbers: readonly number[] }
  | {
      readonly kind: 'run';
      readonly seed: number | undefined;
      readonly events: number;
      /** Undefined: one, and with `hours` without an end. */
      readonly seeds: number | undefined;
      readonly state: string | undefined;
      readonly hours: number | undefined;
      readonly threads: number | undefined;
      readonly parts: readonly Part[];
    };

const options = {
  help: { type: 'boolean', short: 'h' },
  mutations: { type: 'boolean' },
  schedules: { type: 'boolean' },
  docs: { type: 'boolean' },
  seed: { type: 'string' },
  events: { type: 'string' },
  part: { type: 'string' },
  seeds: { type: 'string' },
  hours: { type: 'string' },
  state: { type: 'string' },
  threads: { type: 'string' },
} as const;

export function readArguments(args: readonly string[]): Command {
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  let names: readonly string[];
  try {
    const allowPositionals = args.includes('--mutations') || args.includes('--schedules');
    ({ values, positionals: names } = parseArgs({ args: [...args], options, allowPositionals }));
  } catch (error) {
    return { kind: 'wrong', why: error instanceof Error ? error.message : 'unknown arguments' };
  }
  if (values.help) return { kind: 'help' };
  const numbers = { seed: values.seed, events: values.events, seeds: values.seeds };
  for (const [name, text] of Object.entries({ ...numbers, threads: values.threads })) {
    if (text === undefined || (/^\d{1,9}$/.test(text) && Number(text) > 0)) continue;
    return { kind: 'wrong', why: `--${name} must be a whole number from 1.` };
  }
  const hours = values.hours === undefined ? undefined : Number(values.hours);
  if (hours !== undefined && !(hours > 0)) {
    return { kind: 'wrong', why: '--hours must be a number above 0.' };
  }
  const parts = PARTS.filter((one) => values.part === undefined || one === values.part);
  if (parts.length === 0) return { kind: 'wrong', why: '--part must be orders or storefront.' };
  if (values.mutations) return { kind: 'mutations', names, docs: values.docs === true };
  if (values.schedules) return { kind: 'schedules', numbers: names.map(Number) };
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  return {
    kind: 'run',
    seed: number(values.seed),
    events: number(values.events) ?? 200,
    seeds: number(values.seeds),
    state: values.state,
    hours,
    threads: number(values.threads),
    parts,
  };
}
