import type { Command } from 'commander';
import { parseBound, perSecond } from '../arguments.ts';
import { BadArguments } from '../exit.ts';
import { runAction } from '../run-action.ts';
import type { ResendOneOptions } from './resend-one.ts';
import type { ResendOptions } from './resend-orders.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector resend --since 2026-10-01 --dry-run     shows the effect, changes nothing
  npx loyalty-connector resend --since 2026-10-01 --yes         does it, for a script
  npx loyalty-connector resend order 1007 --yes --wait          sends one order as the store has it now

With --since: after a changed setting or an upgrade, if orders that were sent before shall count by it, too.
Lower amounts take points back from customers.
Of one entity: the worker reads the store again. An order keeps its rules, and what the loyalty service has already
is not sent; --force sends it all the same, if the service lost it.
`;

/** `loyalty-connector resend` */
export function registerResend(program: Command): void {
  program
    .command('resend')
    .summary('send one entity again, or count sent orders by the rules of today')
    .description(
      'Sends one order, product, coupon or customer again, after it showed what would be sent. With --since: orders keep the rules that they were sent under; this compares orders placed since a date with the rules of today, shows how many change and by how much, and sends those after you agreed.',
    )
    .argument('[kind]', 'order, product, coupon or customer')
    .argument('[id]', "the store's id, the order's number or name, the coupon's code")
    .option(
      '--since <when>',
      'placed since this date, or this long ago: 2026-10-01, 90d',
      parseBound,
    )
    .option('--dry-run', 'show the effect only')
    .option('--yes', 'send without asking')
    .option('--shop <shop>', 'by its domain or path, where there are several')
    .option('--rate <n/s>', 'with --since: at most this many a second (10/s)', perSecond(1_000))
    .option('--force', 'of one entity: send it even if the loyalty service has it')
    .option('--wait', 'of one entity: follow it to its outcome')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<Partial<ResendOptions> & ResendOneOptions>(
        async (session, { since, ...options }, kind, id) => {
          if (kind !== undefined && id !== undefined && since === undefined) {
            return (await import('./resend-one.ts')).resendOne(session, options, kind, id);
          }
          if (kind !== undefined || since === undefined) {
            throw new BadArguments('give either a kind and an id, or --since.');
          }
          const { resendOrders } = await import('./resend-orders.ts');
          return resendOrders(session, { ...options, since });
        },
      ),
    );
}
