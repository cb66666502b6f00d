import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { SetUpOptions } from './set-up.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector storefront setup                 shows what is missing and changes nothing
  npx loyalty-connector storefront setup --yes           makes it, prints the addresses once
  npx loyalty-connector storefront setup --rotate --yes  new addresses; the older ones go on working
  npx loyalty-connector storefront setup --finish --yes  within minutes only the new ones

An address is a secret: anyone who knows it can send balances to the connector. Paste it into the loyalty
service's webhook settings, one per topic, and nowhere else. The settings of the app proxy, which are no
secret, are printed every time.
`;

/** `loyalty-connector storefront …` */
export function registerStorefront(program: Command): void {
  program
    .command('storefront')
    .summary('set up the loyalty program in the store')
    .description('Sets up what shows points, cashback, tier and rewards in the store.')
    .command('setup')
    .summary('create the metafield definitions and the addresses for point events')
    .description('Creates what the storefront needs. Without --yes it only shows what is missing.')
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--rotate', 'create new addresses and keep accepting the current ones')
    .option('--finish', 'end a rotation: the older addresses are no longer accepted')
    .option('--yes', 'do it')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<SetUpOptions>(async (session, options) =>
        (await import('./set-up.ts')).setUpStorefront(session, options),
      ),
    );
}
