import { join, resolve } from 'node:path';
import { findProject } from '../shared/config/folders.ts';
import { bundleFunctions } from './bundle-functions.ts';
import { functionsOf, type LoyaltyConnectorProps } from './connector-stack.ts';
import { loadStages, type Stage } from './stages.ts';

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

export async function prepareStage(
  { name, file, connector }: Stage,
  project: string,
  outFolder: string,
): Promise<LoyaltyConnectorProps> {
  const bundles = await bundleFunctions({
    functions: functionsOf(connector),
    configFile: resolve(project, file),
    outFolder: join(outFolder, name),
  });
  return { stage: name, connector, bundleOf: bundles.folderOf };
}
