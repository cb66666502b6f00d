// Synthesizes the stack of the load run.
import { join } from 'node:path';
import { bundleFunctions, functionsOf } from '../../infra/bundle-functions.ts';
import { ConnectorStack } from '../../infra/connector-stack.ts';
import { createApp } from '../../infra/create-app.ts';
import connector from './two-shops.config.ts';

const [folder = '', stage = ''] = process.argv.slice(2);
const app = createApp({ outdir: folder, builtinCloudFormationValidation: false });
const bundles = await bundleFunctions({
  platforms: ['shopify'],
  storefront: connector.storefront !== undefined,
  functions: functionsOf(connector),
  configFile: 'bench/load/two-shops.config.ts',
  outFolder: join(folder, 'bundles'),
});
new ConnectorStack(app, { stage, connector, bundleOf: bundles.folderOf });
app.synth();
