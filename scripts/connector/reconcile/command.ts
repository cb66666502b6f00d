import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { ReconcileOptions, RunsOptions } from './reconcile.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector reconcile --wait      what changed since the last run
  npx loyalty-connector reconcile --deep --shop example-store.myshopify.com
  npx loyalty-connector reconcile status      what the last runs sent again, and why

With --wait it ends with 0 when everything was compared, also if something had to be sent again, and with
1 otherwise. What one order is on both sides: npx loyalty-connector compare.
`;

const STATUS_EXAMPLES = `
Examples:
  npx loyalty-connector reconcile status
  npx loyalty-connector reconcile status --json | jq '.shops[].runs[].sent'

The ledger keeps the last ten runs of a shop and the last ten that sent something, each with the first twenty
that it sent.
`;

/** `loyalty-connector reconcile` */
export function registerReconcile(program: Command): void {
  const reconcile = program
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
        (await import('./reconcile.ts')).startReconcile(session, options),
      ),
    );
  reconcile
    .command('status')
    .summary('show the last runs: what was sent again, and why')
    .description(
      'Shows the last runs that compared the store with the ledger, what they sent again, and why. Changes nothing.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .addHelpText('after', STATUS_EXAMPLES)
    .action(
      runAction<RunsOptions>(async (session, options) =>
        (await import('./reconcile.ts')).showRuns(session, options),
      ),
    );
}
