import type { Lab } from './lab.ts';

/** A limit for a figure. */
export interface Bar {
  readonly limit: number;
  /** Whether it limits the ratio to the floor or the value itself. */
  readonly of: 'ratio' | 'value';
}

/** The median of several measurements, and the middle half of them. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export interface Figure {
  /** Stable, to compare runs. */
  readonly key: string;
  readonly value: number;
  readonly unit: string;
  /** What the figure was measured on. */
  readonly note?: string;
  /** The middle half of the measurements. */
  readonly spread?: Omit<Spread, 'median'>;
  /** The same figure of the least code that could work, measured alternately. */
  readonly floor?: number;
  /** To the floor: the median of the ratios of all rounds. */
  readonly ratio?: Spread;
  readonly bar?: Bar;
}

export interface BenchSettings {
  /** Fewer repetitions, for tests and rough figures. */
  readonly quick: boolean;
  /** Opened by the first bench that needs it. */
  readonly lab: () => Promise<Lab>;
}

export interface Bench {
  /** The prefix of the keys of its figures: `worker`. */
  readonly name: string;
  run(settings: BenchSettings): Promise<readonly Figure[]>;
}
