import type { Random } from '../../local/sandbox-kit/seeded-random.ts';

/** One thing to be tried: the bytes that were mutated, and small texts around them. */
export interface FuzzInput {
  readonly body: Uint8Array;
  /** What else decides: topic, headers, operation. Each can be shortened when a failure is shrunk. */
  readonly parts: Readonly<Record<string, string>>;
}

export interface FuzzTarget {
  /** Decided by chance alone: the same numbers make the same input. */
  make(random: Random): FuzzInput;
  /**
   * Tells in a word how the input was taken, so that a run shows that it got past the first check.
   * Throws where a law is broken.
   */
  run(input: FuzzInput): Promise<string>;
}

export class BrokenLaw extends Error {
  override readonly name = 'BrokenLaw';
}

export function expectLaw(holds: boolean, law: string): asserts holds {
  if (!holds) throw new BrokenLaw(law);
}

export function pick<T>(random: Random, all: readonly T[]): T {
  const found = all[Math.floor(random() * all.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

export function wholeNumber(random: Random, below: number): number {
  return Math.floor(random() * below);
}
