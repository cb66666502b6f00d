import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { ReconcileOptions } from './start-reconcile.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector reconcile --wait      what changed since the last run
  npx loyalty-connector reconcile --deep --shop example-store.myshopify.com

With --wait it ends with 0 when everything was compared, also if something had to be sent again, and with
1 otherwise. What one order is on both sides: npx loyalty-connector compare.
`;

/** `loyalty-connector reconcile` */
export function registerReconcile(program: Command): void {
  program
    .command('reconcile')
    .summary('compare the store with the ledger now, instead of at its next run')
    .description(
      'Starts the comparison that also runs by schedule; with --wait it says what was found. Repeating it is harmless.',
    )
    .option('--deep', 'compare everything, not only what changed lately')
    .option('--shop <domain>', 'only this shop (default: all)')
    .option('--wait', 'wait for the end and say what was found')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<ReconcileOptions>(async (session, options) =>
        (await import('./start-reconcile.ts')).startReconcile(session, options),
      ),
    );
}
