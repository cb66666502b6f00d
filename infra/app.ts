import { join, resolve } from 'node:path';
import { bundleFunctions } from './bundle-functions.ts';
import { ConnectorStack, FUNCTIONS } from './connector-stack.ts';
import { createApp } from './create-app.ts';
import { configure, findStages } from './stages.ts';

const root = resolve(import.meta.dirname, '..');
const app = createApp();

for (const stage of findStages(root)) {
  const { name, file, connector } = await configure(root, stage);
  const bundles = await bundleFunctions({
    root,
    functions: FUNCTIONS,
    configFile: file,
    outFolder: join(app.outdir, 'bundles', name),
  });
  new ConnectorStack(app, { stage: name, connector, bundleOf: bundles.folderOf });
}
app.synth();
