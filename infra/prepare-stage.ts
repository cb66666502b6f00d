import { join, resolve } from 'node:path';
import { bundleFunctions } from './bundle-functions.ts';
import type { LoyaltyConnectorProps } from './connector-stack.ts';
import { functionsOf } from './functions-of.ts';
import type { Stage } from './stages.ts';

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
