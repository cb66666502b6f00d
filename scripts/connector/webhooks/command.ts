import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { SyncOptions, WebhookOptions } from './webhooks.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector webhooks check
  npx loyalty-connector webhooks sync                shows what it would do
  npx loyalty-connector webhooks sync --shop example-store.myshopify.com --yes
`;

/** `loyalty-connector webhooks …` */
export function registerWebhooks(program: Command): void {
  const group = program
    .command('webhooks')
    .summary('check and repair the webhook subscriptions')
    .description('Checks and repairs the subscriptions that make the store send its webhooks.')
    .addHelpText('afterAll', EXAMPLES);
  group
    .command('check')
    .summary('compare the subscriptions with what the connector needs')
    .description(
      'Compares the subscriptions with those that the connector needs. Changes nothing. Ends with 1 when a subscription is missing, wrong or superfluous.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .action(
      runAction<WebhookOptions>(async (session, options) => {
        const { checkWebhooks } = await import('./webhooks.ts');
        return checkWebhooks(session, options);
      }),
    );
  group
    .command('sync')
    .summary('create, correct and remove subscriptions: a dry run unless --yes')
    .description(
      'Creates missing subscriptions, corrects wrong ones and removes superfluous ones. Without --yes it only shows what it would do. Subscriptions with another address are not changed.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .option('--yes', 'do it; without this nothing is changed')
    .option('--prune', "remove the app's subscriptions with other addresses too")
    .option('--covered', 'remove webhooks of changes that Events announce, once these arrive')
    .action(
      runAction<SyncOptions>(async (session, options) => {
        const { syncWebhooks } = await import('./webhooks.ts');
        return syncWebhooks(session, options);
      }),
    );
}
