import type { Command } from 'commander';
import { EXAMPLE_SHOP, SHOP_NAMES } from '../../../shared/config/new-shop.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector init my-shop
  npx loyalty-connector init my-shop --package loyalty-connector-1.0.0.tgz
  npx loyalty-connector init my-shop --shop ${EXAMPLE_SHOP} \\
    --loyalty-address https://loyalty.example.com --region eu-west-1 --yes
  npx loyalty-connector init my-loyalty --shop https://shop.example.com/admin-api
`;

/** Argument and options of `loyalty-connector init` and of `npm create loyalty-connector`. */
export function describeInit(command: Command): Command {
  return command
    .description('write a new project: settings, package.json, a workflow that deploys it')
    .argument('<folder>', 'a new folder, or . for this one')
    .option('--shop <domain>', SHOP_NAMES)
    .option('--loyalty-address <address>', 'the address of the loyalty service: https://…')
    .option('--alarms-email <address>', 'gets the alarms (default: none yet)')
    .option('--package <file>', 'install the connector from this file that npm pack wrote')
    .option('--yes', 'ask nothing')
    .addHelpText('after', EXAMPLES);
}
