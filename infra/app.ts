import { join, resolve } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { bundleFunctions } from './bundle-functions.ts';
import { ConnectorStack, FUNCTIONS } from './connector-stack.ts';
import { configure, findStages } from './stages.ts';

const root = resolve(import.meta.dirname, '..');
const app = new App({ analyticsReporting: false });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

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
