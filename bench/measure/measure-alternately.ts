import { VARIANTS, type Variant } from '../variants/build-variants.ts';

/** Empty for a variant that was not measured. */
export type Samples<Measure> = Readonly<Record<Variant, readonly Measure[]>>;

/**
 * Measures the variants alternately, each round starting with another one, so that other load on the
 * machine affects all of them.
 */
export async function measureAlternately<Measure>(
  rounds: number,
  measure: (variant: Variant) => Promise<Measure>,
  variants: readonly Variant[] = VARIANTS,
): Promise<Samples<Measure>> {
  const samples: Record<Variant, Measure[]> = { connector: [], peer: [], floor: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < variants.length; turn += 1) {
      const variant = variants[(round + turn) % variants.length] as Variant;
      samples[variant].push(await measure(variant));
    }
  }
  return samples;
}
