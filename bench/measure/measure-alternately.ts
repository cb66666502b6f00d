import { VARIANTS, type Variant } from '../variants/build-variants.ts';

export type Samples<Measure> = Readonly<Record<Variant, readonly Measure[]>>;

/**
 * Measures the variants alternately, each round starting with another one, so that other load on the
 * machine affects both.
 */
export async function measureAlternately<Measure>(
  rounds: number,
  measure: (variant: Variant) => Promise<Measure>,
): Promise<Samples<Measure>> {
  const samples: Record<Variant, Measure[]> = { connector: [], floor: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < VARIANTS.length; turn += 1) {
      const variant = VARIANTS[(round + turn) % VARIANTS.length] as Variant;
      samples[variant].push(await measure(variant));
    }
  }
  return samples;
}
