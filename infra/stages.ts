import { join, resolve } from 'node:path';
import type { Connector } from '../shared/config/connector-config.ts';
import {
  readSettingsFile,
  type StageFile,
  settingsFileOf,
  stagesIn,
  unknownStage,
} from '../shared/config/settings-file.ts';
import { bundleFunctions, functionsOf } from './bundle-functions.ts';
import type { LoyaltyConnectorProps } from './connector-stack.ts';

interface Stage extends StageFile {
  readonly connector: Connector;
}

/** `faults` are sentences for the author of the settings. */
type LoadedStages =
  | { readonly kind: 'stages'; readonly stages: readonly Stage[] }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

/** It becomes part of names on AWS, the longest of which leave 20 characters. */
const NAME = /^[a-z0-9][a-z0-9-]{0,19}$/;

/**
 * Every stage that has a file in the folder, or only the stage `only`; `prod` comes first. `instead`
 * replaces the file of the stage: the local stack uses other settings than the deployment.
 * See docs/decisions/0030-a-stage-is-a-settings-file-in-the-merchants-project.md.
 */
export async function loadStages(
  folder: string,
  only?: string,
  instead?: string,
): Promise<LoadedStages> {
  const wanted = stagesIn(folder).filter(({ name }) => only === undefined || name === only);
  if (wanted.length === 0) return { kind: 'faulty', faults: unknownStage(folder, only ?? 'prod') };

  const read = await Promise.all(wanted.map((stage) => readStage(folder, stage, instead)));
  const faults = read.flatMap((stage) => ('faults' in stage ? stage.faults : []));
  if (faults.length > 0) return { kind: 'faulty', faults };
  return { kind: 'stages', stages: read.filter((stage) => 'connector' in stage) };
}

const FILE_OF_PROD = settingsFileOf('prod');

async function readStage(
  folder: string,
  { file, name }: StageFile,
  instead = file,
): Promise<Stage | { readonly faults: readonly string[] }> {
  const rule = 'between the dots: up to 20 lower-case letters, digits and hyphens';
  if (!NAME.test(name)) return { faults: [`${file} must have the name of a stage ${rule}`] };
  if (name === 'prod' && file !== FILE_OF_PROD) {
    return { faults: [`${file} must be named ${FILE_OF_PROD}: that is the stage prod`] };
  }
  const read = await readSettingsFile(folder, instead);
  return read.kind === 'settings' ? { file: instead, name, connector: read.connector } : read;
}

export async function prepareStage(
  { name, file, connector }: Stage,
  project: string,
  outFolder: string,
): Promise<LoyaltyConnectorProps> {
  const bundles = await bundleFunctions({
    functions: functionsOf(connector),
    platforms: connector.shops.map(({ platform }) => platform),
    storefront: connector.storefront !== undefined,
    configFile: resolve(project, file),
    outFolder: join(outFolder, name),
  });
  return { stage: name, connector, bundleOf: bundles.folderOf };
}
