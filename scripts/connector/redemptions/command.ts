import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { CloseOptions, ShopOption } from './redemptions.ts';
import type { ListOptions } from './show-redemptions.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector redemptions list
  npx loyalty-connector redemptions show 7012345
  npx loyalty-connector redemptions show someone@example.com
  npx loyalty-connector redemptions close 7012345 K3F9A2LQ7ZPX --refused --yes
      the loyalty service took no points
  npx loyalty-connector redemptions close 7012345 K3F9A2LQ7ZPX --cancelled --yes
      it took points, and you gave them back in its panel

Look at the customer in the loyalty service's panel first: the connector does not check what you say here.
To let the connector try again, replay the redemption's dead letter instead.
`;

/** `loyalty-connector redemptions …` */
export function registerRedemptions(program: Command): void {
  const group = program
    .command('redemptions')
    .summary('list, show and close redeemed rewards')
    .description(
      'Rewards that customers redeemed in the store. The connector finishes them by itself; one that it cannot finish waits for a person.',
    )
    .addHelpText('afterAll', EXAMPLES);
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
    .argument('<customer>', "the customer's id in the store, or the e-mail address")
    .summary('show the balance, the redemptions and the used codes of one customer')
    .description(
      'Shows the balance of one customer in the store, the ledger and the loyalty service, and all redemptions, with the codes that were used in the store.',
    )
    .option('--shop <domain>', 'the shop, where the settings name several')
    .action(
      runAction<ShopOption>(async (session, options, customer = '') =>
        (await import('./show-redemptions.ts')).showCommand(session, customer, options),
      ),
    );
  group
    .command('close')
    .argument('<customer>', "the customer's id in the store")
    .argument('<id>', 'the id of the redemption')
    .summary('close a redemption that needs a person')
    .description(
      'Closes a redemption that the connector cannot finish, after you looked into the loyalty service. Without --yes it only shows what it would do.',
    )
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--refused', 'the loyalty service took no points')
    .option('--cancelled', 'it took points, and they were given back')
    .option('--yes', 'do it')
    .action(
      runAction<CloseOptions>(async (session, options, customer = '', id = '') =>
        (await import('./redemptions.ts')).closeCommand(session, customer, id, options),
      ),
    );
}
