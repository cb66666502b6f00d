import type { Part } from '../parts.ts';

/** A deliberate bug, as a change of the product's source. */
export interface PlantedBug {
  /** The bug in one sentence, as the documents print it. */
  readonly bug: string;
  /** Occurs exactly once in all sources, wherever they stand: to move them costs nothing. */
  readonly find: string;
  readonly replace: string;
}

/** One that the simulation, or a search over schedules, must notice. */
export interface Mutation extends PlantedBug {
  readonly name: string;
  /** The part that must notice it. Default: orders. */
  readonly part?: Part;
  /** The bug must be noticed within this number of seeds. Undefined: it is for the search that names it. */
  readonly within?: number;
}
