import { VARIANTS, type Variant } from '../variants/build-variants.ts';

export type Samples<Measure, Measured extends Variant = Variant> = Readonly<
  Record<Measured, readonly Measure[]>
>;

/**
 * Measures the variants alternately, each round starting with another one, so that other load on the
 * machine affects all of them.
 */
export async function measureAlternately<Measure, Measured extends Variant = Variant>(
  rounds: number,
  measure: (variant: Measured, round: number) => Promise<Measure>,
  variants: readonly Measured[] = VARIANTS as readonly Variant[] as readonly Measured[],
): Promise<Samples<Measure, Measured>> {
  const samples: Record<Variant, Measure[]> = { connector: [], peer: [], floor: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < variants.length; turn += 1) {
      const variant = variants[(round + turn) % variants.length] as Measured;
      samples[variant].push(await measure(variant, round));
    }
  }
  return samples;
}
