import type { Command } from 'commander';
import { parseMoment } from '../arguments.ts';
import { BadArguments } from '../exit.ts';
import { runAction } from '../run-action.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector compare order 5512345678901
  npx loyalty-connector compare orders --since 24h
  npx loyalty-connector compare coupon SUMMER10 --shop example-store.myshopify.com

Changes nothing. The loyalty service has no operation that reads a product: of one, only the ledger is
compared. Ends with 0 when both sides were read and agree, 1 when they differ, 2 when it cannot tell.
`;

interface CompareOptions {
  readonly shop?: string;
  /** Epoch milliseconds. */
  readonly since?: number;
}

/** `loyalty-connector compare` */
export function registerCompare(program: Command): void {
  program
    .command('compare')
    .summary('read one order or coupon from both sides and show the difference')
    .description(
      'Reads the store, the ledger and the loyalty service, and compares what they say of one entity.',
    )
    .argument('<kind>', 'order, product or coupon; or orders, for all since --since')
    .argument('[id]', "the store's id, the order's number or name, or the coupon's code")
    .option('--since <when>', 'of orders: changed since, 90m, 24h, 3d or a date', (text) =>
      parseMoment(text),
    )
    .option('--shop <domain>', 'the shop, where the settings name several')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<CompareOptions>(async (session, { since, ...options }, kind, id) => {
        if (kind === 'orders' && since !== undefined) {
          const { compareOrders } = await import('./compare.ts');
          return compareOrders(session, { ...options, since });
        }
        if (id === undefined) throw new BadArguments('give an id, or: compare orders --since 24h.');
        const { showComparison } = await import('./compare.ts');
        return showComparison(session, options, kind, id);
      }),
    );
}
