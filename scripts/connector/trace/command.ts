import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { TraceOptions } from './show-trace.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector trace order 5512345678901
  npx loyalty-connector trace product gid://shopify/Product/7712345678901 --json
  npx loyalty-connector trace coupon SUMMER10 --shop example-store.myshopify.com

Changes nothing. Does not show messages in queues, which cannot be read without receiving them. Ends
with 0 when both sides agree and with 1 otherwise.
`;

/** `loyalty-connector trace` */
export function registerTrace(program: Command): void {
  program
    .command('trace')
    .summary('show everything known about one order, product or coupon')
    .description(
      'Shows the ledger entry, the dead letters, the current state of the store and what the loyalty service should hold.',
    )
    .argument('<kind>', 'order, product or coupon')
    .argument('<id>', "the store's id, or the coupon's code")
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
