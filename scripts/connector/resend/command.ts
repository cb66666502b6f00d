import type { Command } from 'commander';
import { parseBound, perSecond } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { ResendOptions } from './resend-orders.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector resend --since 2026-10-01 --dry-run     shows the effect, changes nothing
  npx loyalty-connector resend --since 2026-10-01 --yes         does it, for a script

Run it after a changed setting or an upgrade, if orders that were sent before shall count by it, too.
Lower amounts take points back from customers.
`;

/** `loyalty-connector resend` */
export function registerResend(program: Command): void {
  program
    .command('resend')
    .summary('count orders that were sent by the rules of today')
    .description(
      'Orders keep the rules that they were sent under. This command compares orders placed since a date with the rules of today, shows how many change and by how much, and sends those after you agreed.',
    )
    .requiredOption(
      '--since <when>',
      'placed since this date, or this long ago: 2026-10-01, 90d',
      parseBound,
    )
    .option('--dry-run', 'show the effect only')
    .option('--yes', 'send without asking')
    .option('--shop <shop>', 'by its domain or path, where there are several')
    .option('--rate <n/s>', 'at most this many a second (default: 10/s)', perSecond(1_000))
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<ResendOptions>(async (session, options) =>
        (await import('./resend-orders.ts')).resendOrders(session, options),
      ),
    );
}
