import { join, resolve } from 'node:path';
import { readConcurrency } from '../shared/config/concurrency.ts';
import { bundleFunctions } from './bundle-functions.ts';
import { ConnectorStack, functionsOf } from './connector-stack.ts';
import { createApp } from './create-app.ts';
import { loadStages } from './stages.ts';

const root = resolve(import.meta.dirname, '..');
const app = createApp();
const context = (name: string): string | undefined => app.node.tryGetContext(name);
const concurrency = context('concurrency');
const loaded = await loadStages(root, context('stage'), context('settings'));

if (loaded.kind === 'faulty') {
  console.error(loaded.faults.join('\n'));
  process.exit(1);
}

for (const { name, file, connector } of loaded.stages) {
  const bundles = await bundleFunctions({
    root,
    functions: functionsOf(connector),
    configFile: file,
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
