import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { AppOptions, WriteOptions } from './app-folder.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector app write                      shopify-app/SHOP, for each shop
  npx loyalty-connector app write --to ../my-app       one shop, into another folder
  cd shopify-app/SHOP && shopify app deploy            releases it (Shopify's command line)
  npx loyalty-connector app check                      what differs, and what to do about it
  npx loyalty-connector app list                       the same, to paste into the Dev Dashboard

The folder needs no installation. Keep it in version control, and write it again after a change of the settings, a new
address or an upgrade: what differs is replaced, and files of your own beside it are left alone.
`;

/** `loyalty-connector app …` */
export function registerApp(program: Command): void {
  const group = program
    .command('app')
    .summary('write and check the Shopify app: scopes, proxy, extensions')
    .description(
      'Writes the folder of the Shopify app from the settings and the deployed addresses, and compares it.',
    )
    .addHelpText('afterAll', EXAMPLES);
  group
    .command('write')
    .summary('write the folder that "shopify app deploy" releases')
    .description(
      'Writes shopify.app.toml and the extensions for theme, customer account and point of sale, one folder for each shop. Replaces what it wrote before.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .option('--to <folder>', 'the folder, for one shop (default: shopify-app/SHOP in the project)')
    .option('--client-id <id>', 'of the app (default: the one in the store secret)')
    .option('--yes', 'replace a shopify.app.toml that this command did not write')
    .action(
      runAction<WriteOptions>(async (session, options) =>
        (await import('./app-folder.ts')).writeApp(session, options),
      ),
    );
  group
    .command('check')
    .summary('compare the folder with settings, addresses and store')
    .description(
      'Compares the folder of the app with the settings, the deployed addresses and the store. Changes nothing. Ends with 1 when something is missing or wrong.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .option('--to <folder>', 'the folder, for one shop (default: shopify-app/SHOP in the project)')
    .action(
      runAction<AppOptions>(async (session, options) =>
        (await import('./check-app.ts')).checkApp(session, options),
      ),
    );
  group
    .command('list')
    .summary('the same as a list to paste into the Dev Dashboard')
    .description(
      'Prints the fields of a version of the app in the Dev Dashboard, in their order, and why each scope is needed.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .action(
      runAction<AppOptions>(async (session, options) =>
        (await import('./app-folder.ts')).listApp(session, options),
      ),
    );
}
