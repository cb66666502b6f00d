import type { Figure, Spread } from '../bench.ts';
import type { Samples } from '../measure/measure-alternately.ts';

/** Median and quartiles: a single disturbed measurement does not change them. */
export function spreadOf(samples: readonly number[]): Spread {
  return {
    median: quantileOf(samples, 0.5),
    low: quantileOf(samples, 0.25),
    high: quantileOf(samples, 0.75),
  };
}

/** Interpolates between two neighbours. */
export function quantileOf(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new Error('nothing was measured');
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * The ratios of each round: what slows the machine for a while affects both sides of a ratio equally.
 */
export function ratiosOf(samples: readonly number[], to: readonly number[]): readonly number[] {
  if (samples.length !== to.length) throw new Error('the rounds do not pair');
  return samples.map((sample, index) => sample / (to[index] ?? Number.NaN));
}

type Described = Omit<Figure, 'value' | 'floor' | 'spread' | 'ratio'>;

/** One figure of variants that were measured alternately. */
export function compare<Measure>(
  figure: Described,
  samples: Samples<Measure>,
  pick: (measure: Measure) => number,
): Figure {
  const connector = samples.connector.map(pick);
  const floor = samples.floor.map(pick);
  const { median: value, ...spread } = spreadOf(connector);
  return {
    ...figure,
    value,
    spread,
    floor: spreadOf(floor).median,
    ratio: spreadOf(ratiosOf(connector, floor)),
  };
}
