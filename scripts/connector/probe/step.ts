import type {
  LoyaltyAssumptions,
  StorefrontSettings,
} from '../../../shared/config/connector-settings.ts';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import type { ProbeWorld } from './probe-world.ts';

/** A part of the settings in `connector.config.ts`. */
export interface FoundSettings {
  readonly loyalty?: { readonly assumptions?: LoyaltyAssumptions };
  readonly rules?: MappingSettings;
  readonly storefront?: StorefrontSettings;
}

export interface Conclusion {
  /** What the service answered: codes, states and numbers. */
  readonly answered: readonly string[];
  readonly means: string;
  /** Only what the answers prove. */
  readonly settings?: FoundSettings;
}

export const assume = (assumptions: LoyaltyAssumptions): FoundSettings => ({
  loyalty: { assumptions },
});

export interface TriedStep extends Conclusion {
  readonly name: string;
  readonly tries: string;
}

export interface Step {
  readonly name: string;
  readonly tries: string;
  run(world: ProbeWorld): Promise<Conclusion>;
}

/** Calls and conclusion are apart, so that the conclusion is pure. */
export function step<Seen>(
  name: string,
  tries: string,
  look: (world: ProbeWorld) => Promise<Seen>,
  conclude: (seen: Seen) => Conclusion,
): Step {
  return { name, tries, run: async (world) => conclude(await look(world)) };
}
