import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { HealingOptions } from './show-healing.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector healing
  npx loyalty-connector healing --shop example-store.myshopify.com
  npx loyalty-connector healing --json | jq '.shops[].runs[].sent'

Changes nothing. The ledger keeps the last ten runs of a shop and the last ten that sent something, each with
the first twenty that it sent. To compare now: npx loyalty-connector reconcile --wait.
`;

/** `loyalty-connector healing` */
export function registerHealing(program: Command): void {
  program
    .command('healing')
    .summary('show the last reconcile runs: what was sent again, and why')
    .description(
      'Shows the last runs that compared the store with the ledger, what they sent again, and why.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<HealingOptions>(async (session, options) =>
        (await import('./show-healing.ts')).showHealing(session, options),
      ),
    );
}
