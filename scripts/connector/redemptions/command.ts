import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { ShopOption } from './redemptions.ts';
import type { SettleOptions } from './settle-redemption.ts';
import type { ListOptions } from './show-redemptions.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector redemptions settle 7012345 K3F9A2LQ7ZPX --happened --code FIVE-8K2 --yes
      the loyalty service took the points and shows the code FIVE-8K2
  npx loyalty-connector redemptions settle 7012345 K3F9A2LQ7ZPX --happened --yes
      it took the points and shows no code: the customer gets one of the connector's
  npx loyalty-connector redemptions settle 7012345 K3F9A2LQ7ZPX --did-not-happen --yes
      it took no points: the customer can redeem the reward again
  npx loyalty-connector redemptions settle 7012345 K3F9A2LQ7ZPX --happened --code FIVE-8K3 --yes
      the store did not take the code of a lost one: it is made with this code instead
      (without --code: tried again as it was)

Look at the customer in the loyalty service's panel first: the connector does not check what you say here.
`;

/** `loyalty-connector redemptions …` */
export function registerRedemptions(program: Command): void {
  const group = program
    .command('redemptions')
    .summary('list, show and settle redeemed rewards')
    .description(
      'Rewards that customers redeemed in the store. One whose outcome is unknown waits for a point event, and then for a person.',
    );
  group
    .command('list')
    .summary('list unfinished redemptions; all with --all')
    .description('Lists the redemptions that are not finished. Changes nothing.')
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--all', 'list finished ones too')
    .action(
      runAction<ListOptions>(async (session, options) =>
        (await import('./show-redemptions.ts')).listCommand(session, options),
      ),
    );
  group
    .command('show')
    .argument('<customer>', "the customer's id in the store")
    .summary('show the balance, the redemptions and the used codes of one customer')
    .description(
      'Shows the balance from the last point event and all redemptions of one customer, with the codes that were used in the store.',
    )
    .option('--shop <domain>', 'the shop, where the settings name several')
    .action(
      runAction<ShopOption>(async (session, options, customer = '') =>
        (await import('./show-redemptions.ts')).showCommand(session, customer, options),
      ),
    );
  group
    .command('settle')
    .argument('<customer>', "the customer's id in the store")
    .argument('<id>', 'the id of the redemption')
    .summary('record the outcome of a pending redemption, or create a lost code')
    .description(
      'Records the outcome of a pending redemption, or creates the code of a lost one. Without --yes it only shows what it would do.',
    )
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--happened', 'the loyalty service took the points')
    .option(
      '--code <code>',
      'with --happened: the code to make, such as the one that the loyalty service gave',
    )
    .option('--did-not-happen', 'it took no points')
    .option('--yes', 'do it')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<SettleOptions>(async (session, options, customer = '', id = '') =>
        (await import('./settle-redemption.ts')).settleCommand(session, customer, id, options),
      ),
    );
}
