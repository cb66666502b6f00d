import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { ReconcileOptions } from './start-reconcile.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector reconcile           what changed since the last run
  npx loyalty-connector reconcile --deep    everything
`;

/** `loyalty-connector reconcile` */
export function registerReconcile(program: Command): void {
  program
    .command('reconcile')
    .summary('compare the store with the ledger now, instead of at its next run')
    .description(
      'Starts the comparison that also runs by schedule, and does not wait for its end. Repeating it is harmless.',
    )
    .option('--deep', 'compare everything, not only what changed lately')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<ReconcileOptions>(async (session, options) =>
        (await import('./start-reconcile.ts')).startReconcile(session, options),
      ),
    );
}
