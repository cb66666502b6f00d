import type { Part } from '../parts.ts';

/** A deliberate bug, as a change of the product's source. */
export interface Mutation {
  readonly name: string;
  /** The part that must notice it. Default: orders. */
  readonly part?: Part;
  /** The bug in one sentence, as docs/reliability.md prints it. */
  readonly bug: string;
  /** From the project's folder. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The bug must be noticed within this number of seeds. */
  readonly within: number;
}
