import type { Connector } from '../../shared/config/connector-config.ts';
import type { StartOptions } from './arguments.ts';
import { loadConnector } from './synthesize.ts';

export interface ChosenSettings {
  readonly connector: Connector;
  /** The file that stands for the stage's own, if one does. */
  readonly file: string | undefined;
}

const WITH_STOREFRONT = 'local/stack/with-storefront.config.ts';

/**
 * The settings of the stage. Those of `prod` without a storefront get one for as long as they run here,
 * because its pages are worth seeing; `--once` ends before anybody could look, and runs them as they are.
 */
export async function chooseSettings({
  stage,
  once,
}: Pick<StartOptions, 'stage' | 'once'>): Promise<ChosenSettings> {
  const connector = await loadConnector(stage);
  if (connector.storefront || stage !== 'prod' || once) return { connector, file: undefined };
  return { connector: await loadConnector(stage, WITH_STOREFRONT), file: WITH_STOREFRONT };
}
