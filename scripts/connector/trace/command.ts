import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { TraceOptions } from './show-trace.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector trace 1007                             an order, or a code of this name
  npx loyalty-connector trace order 1007
  npx loyalty-connector trace order '#1007-A' --shop example-store.myshopify.com
  npx loyalty-connector trace customer someone@example.com
  npx loyalty-connector trace product gid://shopify/Product/7712345678901 --json
  npx loyalty-connector trace coupon SUMMER10 --shop example-store.myshopify.com

Changes nothing. Does not show messages in queues, which cannot be read without receiving them. Ends
with 0 when both sides agree, with 1 otherwise, and with 2 when several things may be meant.
`;

/** `loyalty-connector trace` */
export function registerTrace(program: Command): void {
  program
    .command('trace')
    .summary('show everything known about one order, product, coupon or customer')
    .description(
      'Shows the ledger entry, the dead letters, the current state of the store and what the loyalty service should hold.',
    )
    .argument('<kind>', 'order, product, coupon or customer; or the id alone, to find what it is')
    .argument(
      '[id]',
      "the store's id; of an order also its number, name or e-mail address (the newest); of a product its title, without a kind; of a coupon its code; of a customer also the e-mail address",
    )
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--full', 'show what the loyalty service should hold, field by field')
    .option('--reveal', 'show personal data instead of masking it; this is recorded')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<TraceOptions>(async (session, options, kind, id) => {
        const { showTrace } = await import('./show-trace.ts');
        return showTrace(session, options, kind, id);
      }),
    );
}
