import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { SetUpOptions } from './set-up.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector storefront setup                 shows what is missing and changes nothing
  npx loyalty-connector storefront setup --yes           makes it, prints the token once
  npx loyalty-connector storefront setup --rotate --yes  a new token; the older one goes on working
  npx loyalty-connector storefront setup --finish --yes  within minutes only the new one

The token is a secret: anyone who knows it can send balances to the connector. Paste it into the loyalty
service's webhook subscription and nowhere else. What pages of the store need (app proxy, extensions) is written by
"app write".
`;

/** `loyalty-connector storefront …` */
export function registerStorefront(program: Command): void {
  program
    .command('storefront')
    .summary('set up the loyalty program in the store')
    .description('Sets up what shows points, cashback, tier and rewards in the store.')
    .addHelpText('afterAll', EXAMPLES)
    .command('setup')
    .summary('create the metafield definitions and the token of point events')
    .description('Creates what the storefront needs. Without --yes it only shows what is missing.')
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--rotate', 'create a new token and keep accepting the current one')
    .option('--finish', 'end a rotation: the previous token is no longer accepted')
    .option('--yes', 'do it')
    .action(
      runAction<SetUpOptions>(async (session, options) =>
        (await import('./set-up.ts')).setUpStorefront(session, options),
      ),
    );
}
