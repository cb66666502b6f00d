import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Connector } from '../../shared/config/connector-config.ts';
import { moduleFile, PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import {
  readSettingsFile,
  settingsFileOf,
  unknownStage,
} from '../../shared/config/settings-file.ts';
import type { StartOptions } from './start-options.ts';
import { hasSandbox } from './start-sandboxes.ts';
import { CannotStart } from './synthesize.ts';

export interface ChosenSettings {
  readonly connector: Connector;
  /** A copy of the settings as they were at the start, for the functions and for the other commands. */
  readonly file: string;
  /** The settings have no storefront; here it is switched on. */
  readonly addsStorefront: boolean;
}

/** The settings of a stage, as the deployed functions read them. */
export async function loadConnector(
  stage: string,
  project: string,
  file = settingsFileOf(stage),
): Promise<Connector> {
  if (!existsSync(resolve(project, file))) {
    throw new CannotStart(unknownStage(project, stage).join('\n'));
  }
  const read = await readSettingsFile(project, file);
  if (read.kind === 'settings') return read.connector;
  throw new CannotStart(read.faults.join('\n'));
}

/**
 * The settings of the stage; with a Vendure server on this machine, its shop in place of theirs. If those of `prod`
 * have no storefront and only Shopify shops, it is switched on, so that the user can see its pages; not with `--once`,
 * which ends before anyone could look.
 */
export async function chooseSettings(
  { stage, once, demo }: Pick<StartOptions, 'stage' | 'once' | 'demo'>,
  { project, folder }: { readonly project: string; readonly folder: string },
  vendurePort?: number,
): Promise<ChosenSettings> {
  const own = await loadConnector(stage, project);
  const isVendure = vendurePort !== undefined;
  const [first] = own.shops;
  if (demo && !isVendure && first && !hasSandbox(first)) {
    throw new CannotStart(
      `No sandbox can play ${first.domain}. Try it with --store vendure, or connect a server of your own with --new.`,
    );
  }
  const isForShopify = !isVendure && own.shops.every(hasSandbox);
  const addsStorefront = !own.storefront && stage === 'prod' && !once && isForShopify;
  const file = join(folder, 'settings.mjs');
  const theirs = addsStorefront ? WITH_STOREFRONT : 'export { default } from SETTINGS;';
  const contents = isVendure ? withVendure(vendurePort) : theirs;
  await copySettings(resolve(project, settingsFileOf(stage)), file, contents);
  return { connector: await loadConnector(stage, project, file), file, addsStorefront };
}

const WITH_STOREFRONT = `import { withStorefront } from CONFIG;
import settings from SETTINGS;
export default withStorefront(settings);`;

/** The rules are those of the first Vendure shop of the settings, but for what depends on its neighbours and currency. */
const withVendure = (port: number) => `import { defineConnector } from CONFIG;
import settings from SETTINGS;
const own = settings.shops.find((shop) => shop.vendure);
const { storeCredit, sharedAccount, currency, ...rules } = own?.rules ?? {};
const vendure = { adminApi: 'http://127.0.0.1:${port}/admin-api', currency: 'EUR' };
const shop = { platform: 'vendure', domain: 'vendure.example.com', path: 'vendure', vendure, rules };
export default defineConnector({ shops: [shop], loyalty: settings.loyalty });`;

/** One file with what the settings import, so that a later change of theirs does not reach the running stack. */
async function copySettings(from: string, to: string, contents: string): Promise<void> {
  const config = JSON.stringify(moduleFile('shared/config/connector-config'));
  await build({
    stdin: {
      contents: contents
        .replace('CONFIG', () => config)
        .replace('SETTINGS', () => JSON.stringify(from)),
      resolveDir: PACKAGE_FOLDER,
    },
    outfile: to,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    plugins: [leaveOwnModules],
  });
}

/** A second copy of `defineConnector` would not be recognized as ours. */
const leaveOwnModules: Plugin = {
  name: 'own-modules-stay',
  setup({ onResolve }) {
    onResolve({ filter: /^\.{0,2}\// }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      const isOwn = file.startsWith(join(PACKAGE_FOLDER, 'shared') + sep);
      return isOwn ? { path: file, external: true } : undefined;
    });
  },
};
