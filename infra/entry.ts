import { join } from 'node:path';
import { findProject } from '../shared/config/folders.ts';
import type { LoyaltyConnectorProps } from './connector-stack.ts';
import { loadStages, prepareStage } from './stages.ts';

// The package exports this file as `loyalty-connector/cdk`.
export { LoyaltyConnector, type LoyaltyConnectorProps } from './connector-stack.ts';

/**
 * Reads the settings of a stage and bundles its functions: the properties of `LoyaltyConnector`. To be
 * awaited before the construct is made, because a bundler cannot run inside of a constructor.
 *
 * Throws an error that names every fault of the settings.
 */
export async function prepareConnector({
  stage = 'prod',
  project = findProject(),
}: {
  readonly stage?: string;
  /** The folder with `connector.config.ts`. Default: the nearest one, from the current folder upwards. */
  readonly project?: string;
} = {}): Promise<LoyaltyConnectorProps> {
  const loaded = await loadStages(project, stage);
  if (loaded.kind === 'faulty') throw new Error(loaded.faults.join('\n'));
  const [found] = loaded.stages;
  if (!found) throw new Error(`There is no stage ${stage}.`);
  return prepareStage(found, project, join(project, '.connector/bundles'));
}
