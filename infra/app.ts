import { join } from 'node:path';
import { readConcurrency } from '../shared/config/concurrency.ts';
import { findProject } from '../shared/config/folders.ts';
import { createApp } from './create-app.ts';
import { loadStages, prepareStage } from './stages.ts';

const project = findProject();
const app = createApp();
const context = (name: string): string | undefined => app.node.tryGetContext(name);
const concurrency = context('concurrency');
const loaded = await loadStages(project, context('stage'), context('settings'));

if (loaded.kind === 'faulty') {
  console.error(loaded.faults.join('\n'));
  process.exit(1);
}

// The bundler is a process of its own: it works while most of CDK is loaded.
const [{ ConnectorStack }, ...stages] = await Promise.all([
  import('./connector-stack.ts'),
  ...loaded.stages.map((stage) => prepareStage(stage, project, join(app.outdir, 'bundles'))),
]);
for (const stage of stages) {
  new ConnectorStack(app, {
    ...stage,
    concurrency: concurrency === undefined ? undefined : readConcurrency(concurrency),
  });
}
try {
  app.synth();
} catch (error) {
  // Sentences for the author of the settings: a stack trace would hide them.
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
