import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { TraceOptions } from './show-trace.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector trace order 1007
  npx loyalty-connector trace order '#1007-A' --shop example-store.myshopify.com
  npx loyalty-connector trace customer someone@example.com
  npx loyalty-connector trace product gid://shopify/Product/7712345678901 --json
  npx loyalty-connector trace coupon SUMMER10 --shop example-store.myshopify.com

Changes nothing. Does not show messages in queues, which cannot be read without receiving them. Ends
with 0 when both sides agree and with 1 otherwise.
`;

/** `loyalty-connector trace` */
export function registerTrace(program: Command): void {
  program
    .command('trace')
    .summary('show everything known about one order, product, coupon or customer')
    .description(
      'Shows the ledger entry, the dead letters, the current state of the store and what the loyalty service should hold.',
    )
    .argument('<kind>', 'order, product, coupon or customer')
    .argument(
      '<id>',
      "the store's id; of an order also its number, name or e-mail address (the newest); of a coupon its code; of a customer also the e-mail address",
    )
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--full', 'show what the loyalty service should hold, field by field')
    .option('--reveal', 'show personal data instead of masking it')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<TraceOptions>(async (session, options, kind, id) => {
        const { showTrace } = await import('./show-trace.ts');
        return showTrace(session, options, kind, id);
      }),
    );
}
