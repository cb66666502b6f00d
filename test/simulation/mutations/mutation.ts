import type { Part } from '../parts.ts';

/** A deliberate bug, as a change of the product's source. */
export interface PlantedBug {
  /** The bug in one sentence, as the documents print it. */
  readonly bug: string;
  /** From the project's folder. */
  readonly file: string;
  /** Occurs exactly once in the file. */
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
