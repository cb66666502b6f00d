import type { Lab } from '../lab.ts';
import { type Part, VARIANTS, type Variant } from '../variants/build-variants.ts';
import { type RoundMeasure, startWarm, type WarmFunction } from './warm-function.ts';

export interface WarmVariants {
  round(variant: Variant, events: readonly unknown[]): Promise<RoundMeasure>;
  stop(): Promise<void>;
}

/** A process of every variant (or of these), all of them alive while one after the other is measured. */
export async function startWarmVariants(
  { bundles, environment }: Pick<Lab, 'bundles' | 'environment'>,
  part: Part,
  variants: readonly Variant[] = VARIANTS,
): Promise<WarmVariants> {
  const started = new Map<Variant, WarmFunction>();
  for (const variant of variants) {
    started.set(variant, await startWarm(bundles.fileOf(variant, part), environment));
  }
  return {
    round(variant, events) {
      const warm = started.get(variant);
      if (!warm) throw new Error(`no process of ${variant}`);
      return warm.round(events);
    },
    async stop() {
      for (const warm of started.values()) await warm.stop();
    },
  };
}
