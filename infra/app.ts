import { join } from 'node:path';
import { readConcurrency } from '../shared/config/concurrency.ts';
import { findProject } from '../shared/config/folders.ts';
import { ConnectorStack } from './connector-stack.ts';
import { createApp } from './create-app.ts';
import { prepareStage } from './entry.ts';
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

for (const stage of loaded.stages) {
  new ConnectorStack(app, {
    ...(await prepareStage(stage, project, join(app.outdir, 'bundles'))),
    concurrency: concurrency === undefined ? undefined : readConcurrency(concurrency),
  });
}
app.synth();
