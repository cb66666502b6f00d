import { join, resolve } from 'node:path';
import { readConcurrency } from '../shared/config/concurrency.ts';
import { findProject } from '../shared/config/folders.ts';
import { bundleFunctions } from './bundle-functions.ts';
import { ConnectorStack, functionsOf } from './connector-stack.ts';
import { createApp } from './create-app.ts';
import { loadStages } from './stages.ts';

const project = findProject();
const app = createApp();
const context = (name: string): string | undefined => app.node.tryGetContext(name);
const concurrency = context('concurrency');
const loaded = await loadStages(project, context('stage'), context('settings'));

if (loaded.kind === 'faulty') {
  console.error(loaded.faults.join('\n'));
  process.exit(1);
}

for (const { name, file, connector } of loaded.stages) {
  const bundles = await bundleFunctions({
    functions: functionsOf(connector),
    configFile: resolve(project, file),
    outFolder: join(app.outdir, 'bundles', name),
  });
  new ConnectorStack(app, {
    stage: name,
    connector,
    bundleOf: bundles.folderOf,
    concurrency: concurrency === undefined ? undefined : readConcurrency(concurrency),
  });
}
app.synth();
