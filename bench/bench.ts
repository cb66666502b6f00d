/** One figure of a bench. */
export interface Figure {
  /** Stable: what is compared from run to run. */
  readonly key: string;
  readonly value: number;
  readonly unit: string;
  /** What the figure was measured on. */
  readonly note?: string;
}

interface BenchSettings {
  /** Fewer repetitions, for a look and for tests: the figures are rough then. */
  readonly quick: boolean;
}

/** A bench measures one thing and gives its figures. */
export interface Bench {
  /** Begins every key of its figures: `replay`. */
  readonly name: string;
  run(settings: BenchSettings): Promise<readonly Figure[]>;
}
