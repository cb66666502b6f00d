import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { WebhookOptions } from './subscriptions.ts';
import type { SyncOptions } from './sync-webhooks.ts';

/** `loyalty-connector webhooks …` */
export function registerWebhooks(program: Command): void {
  const group = program
    .command('webhooks')
    .summary('check and mend the webhook subscriptions')
    .description('Which events the store sends, to which address, and with which fields.');
  group
    .command('check')
    .summary('compare them with what the connector needs')
    .description(
      'Compares the subscriptions with those that the connector needs. Nothing is changed. Ends with 1 when something is missing, wrong or too many.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .action(
      runAction<WebhookOptions>(async (session, options) => {
        const { checkWebhooks } = await import('./sync-webhooks.ts');
        return checkWebhooks(session, options);
      }),
    );
  group
    .command('sync')
    .summary('make them what the connector needs: a dry run unless --yes')
    .description(
      'Creates what is missing, corrects what is wrong, removes what is too many. Without --yes it only shows what it would do. Subscriptions with another address are left alone.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .option('--yes', 'do it; without this nothing is changed')
    .option('--prune', "remove the app's subscriptions with other addresses too")
    .action(
      runAction<SyncOptions>(async (session, options) => {
        const { syncWebhooks } = await import('./sync-webhooks.ts');
        return syncWebhooks(session, options);
      }),
    );
}
