// Synthesizes the stack of the load run with every function, including storefront sync.
import { join } from 'node:path';
import { bundleFunctions } from '../../infra/bundle-functions.ts';
import { ConnectorStack } from '../../infra/connector-stack.ts';
import { createApp } from '../../infra/create-app.ts';
import { functionsOf } from '../../infra/functions-of.ts';
import connector from '../../local/harness/storefront.config.ts';

const [folder = '', stage = ''] = process.argv.slice(2);
const app = createApp({ outdir: folder, builtinCloudFormationValidation: false });
const bundles = await bundleFunctions({
  functions: functionsOf(connector),
  configFile: 'local/harness/storefront.config.ts',
  outFolder: join(folder, 'bundles'),
});
new ConnectorStack(app, { stage, connector, bundleOf: bundles.folderOf });
app.synth();
