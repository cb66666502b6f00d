import { VARIANTS, type Variant } from '../variants/build-variants.ts';

export type Samples<Measure> = Readonly<Record<Variant, readonly Measure[]>>;

/**
 * Round by round, one variant after the other, each round beginning with another of them: whatever else
 * the machine does, it does to all three.
 */
export async function measureInTurns<Measure>(
  rounds: number,
  measure: (variant: Variant, round: number) => Promise<Measure>,
): Promise<Samples<Measure>> {
  const samples: Record<Variant, Measure[]> = { connector: [], peer: [], floor: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < VARIANTS.length; turn += 1) {
      const variant = VARIANTS[(round + turn) % VARIANTS.length] as Variant;
      samples[variant].push(await measure(variant, round));
    }
  }
  return samples;
}
