import type { Command } from 'commander';
import { runAction } from '../run-action.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector compare order 5512345678901
  npx loyalty-connector compare coupon SUMMER10 --shop example-store.myshopify.com

Changes nothing. The loyalty service has no operation that reads a product: of one, only the ledger is
compared. Ends with 0 when both sides were read and agree, 1 when they differ, 2 when it cannot tell.
`;

/** `loyalty-connector compare` */
export function registerCompare(program: Command): void {
  program
    .command('compare')
    .summary('read one order or coupon from both sides and show the difference')
    .description(
      'Reads the store, the ledger and the loyalty service, and compares what they say of one entity.',
    )
    .argument('<kind>', 'order, product or coupon')
    .argument('<id>', "the store's id, or the coupon's code")
    .option('--shop <domain>', 'the shop, where the settings name several')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<{ readonly shop?: string }>(async (session, options, kind, id) => {
        const { showComparison } = await import('./show-comparison.ts');
        return showComparison(session, options, kind, id);
      }),
    );
}
