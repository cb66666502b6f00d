import type { Lab } from './lab.ts';

/** What a figure must not be above, or below. */
export interface Bar {
  readonly kind: 'at-most' | 'at-least' | 'exactly';
  readonly limit: number;
  /** Whether the ratio to the floor is held to it or the value itself. */
  readonly of: 'ratio' | 'value';
}

/** The middle of several measurements, and the half of them that lies around it. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** One figure of a bench. */
export interface Figure {
  /** Stable: what is compared from run to run. */
  readonly key: string;
  readonly value: number;
  readonly unit: string;
  /** What the figure was measured on. */
  readonly note?: string;
  /** The half of the measurements around the value. */
  readonly spread?: Omit<Spread, 'median'>;
  /** The same of the two others, measured in turns with it. */
  readonly peer?: number;
  readonly floor?: number;
  /** To the floor, the middle of the ratios of all rounds. */
  readonly ratio?: Spread;
  readonly peerRatio?: Spread;
  readonly bar?: Bar;
}

export interface BenchSettings {
  /** Fewer repetitions, for a look and for tests: the figures are rough then. */
  readonly quick: boolean;
  /** What the variants are measured in, opened by the first bench that needs it. */
  readonly lab: () => Promise<Lab>;
}

/** A bench measures one thing and gives its figures. */
export interface Bench {
  /** Begins every key of its figures: `replay`. */
  readonly name: string;
  run(settings: BenchSettings): Promise<readonly Figure[]>;
}
