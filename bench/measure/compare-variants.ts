import type { Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { compare } from '../report/statistics.ts';
import { type Part, VARIANTS, type Variant } from '../variants/build-variants.ts';
import { measureAlternately } from './measure-alternately.ts';
import { measureCold, measureInLambda } from './measure-cold.ts';
import type { WarmVariants } from './warm-function.ts';

interface ColdStarts {
  readonly runs: number;
  /** Of the ratio to the floor. */
  readonly limit: number;
  /** In words: `a webhook of 8 KiB`. */
  readonly event: string;
  readonly eventOf: (variant: Variant) => unknown;
}

/** Fresh processes that load a function and handle one event. */
export async function compareColdStarts(
  { bundles, environment, tlsEnvironment }: Lab,
  part: Part,
  { runs, limit, event, eventOf }: ColdStarts,
): Promise<readonly Figure[]> {
  const starts = await measureAlternately(runs, async (variant) =>
    measureCold(bundles.fileOf(variant, part), await eventOf(variant), environment),
  );
  const inLambda = await measureAlternately(runs, async (variant) =>
    measureInLambda(bundles.fileOf(variant, part), await eventOf(variant), tlsEnvironment),
  );
  const key = `${part}.cold`;
  const described = { unit: 'ms', note: `${runs} fresh processes each, ${event}` };
  return [
    compare(
      { key, ...described, bar: { limit, of: 'ratio' } },
      starts,
      ({ importMs, firstMs }) => importMs + firstMs,
    ),
    compare({ key: `${key}.import`, ...described }, starts, ({ importMs }) => importMs),
    compare({ key: `${key}.cpu`, ...described }, starts, ({ cpuMs }) => cpuMs),
    compare({ key: `${key}.lambda`, ...described }, inLambda, ({ wallMs }) => wallMs),
  ];
}

interface WarmRounds {
  readonly key: string;
  readonly note: string;
  readonly quick: boolean;
  readonly rounds: number;
  readonly perRound: number;
  /** Of the ratio to the floor. */
  readonly limit: number;
  readonly eventsOf: (
    variant: Variant,
  ) => readonly unknown[] | undefined | Promise<readonly unknown[] | undefined>;
}

/** The CPU time of an event in processes that keep running. */
export async function compareWarm(
  processes: WarmVariants,
  { key, note, quick, rounds, perRound, limit, eventsOf }: WarmRounds,
): Promise<Figure> {
  const round = async (variant: Variant) =>
    processes.round(variant, (await eventsOf(variant)) ?? []);
  // The first rounds compile the code, which belongs to the cold start.
  await measureAlternately(quick ? 1 : 3, round);
  const samples = await measureAlternately(rounds, round);
  return compare(
    { key, unit: 'ms CPU', note, bar: { limit, of: 'ratio' } },
    samples,
    ({ cpuMs }) => cpuMs / perRound,
  );
}

/** `limit`: in KB. */
export function compareBundles({ bundles }: Lab, part: Part, limit: number): Figure {
  const [value = 0, floor] = VARIANTS.map((one) => bundles.gzipBytes(one, part) / 1024);
  return {
    key: `${part}.bundle`,
    value,
    unit: 'KB gzip',
    ...(floor !== undefined && { floor }),
    note: 'what a cold start loads',
    bar: { limit, of: 'value' },
  };
}
