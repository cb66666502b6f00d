import type { Command } from 'commander';
import { ANY_SHOP, declare, ONE_SHOP } from '../../ground/session/run-action.ts';

export function registerStore(program: Command): void {
  const app = declare(program, 'app', {
    summary: 'write the Shopify app: scopes, proxy, extensions',
    examples: `\
  npx loyalty-connector app write                      shopify-app/SHOP, for each shop
  cd shopify-app/SHOP && shopify app deploy            releases it (Shopify's command line)
  npx loyalty-connector doctor                         says whether shopify-app/SHOP is still as it should be

The folder needs no installation. Keep it in version control, and write it again after a change of the settings, a new
address or an upgrade: what differs is replaced, and files of your own beside it are left alone.
`,
  });
  declare(app, 'write', {
    summary: 'write the folder that "shopify app deploy" releases',
    description:
      'Writes shopify.app.toml and the extensions for theme, customer account and point of sale, one folder for each shop. Replaces what it wrote before.',
    run: async () => (await import('./app.ts')).writeApp,
  })
    .option(...ANY_SHOP)
    .option('--client-id <id>', 'of the app (default: the one in the store secret)')
    .option('--yes', 'replace a shopify.app.toml that this command did not write');

  const storefront = declare(program, 'storefront', {
    summary: 'set up the loyalty program in the store',
    description: 'Sets up what shows points, cashback, tier and rewards in the store.',
    examples: `\
  npx loyalty-connector storefront setup                 shows what is missing and changes nothing
  npx loyalty-connector storefront setup --yes           makes it, prints the token once
  npx loyalty-connector storefront setup --rotate --yes  a new token; for a day the older one works, too
  npx loyalty-connector storefront setup --leaked --yes  a new token, and within minutes only that one

The token is a secret: anyone who knows it can send balances to the connector. Paste it into the loyalty
service's webhook subscription and nowhere else. What pages of the store need (app proxy, extensions) is written by
"app write".
`,
  });
  declare(storefront, 'setup', {
    summary: 'create the metafield definitions and the token of point events',
    description: 'Creates what the storefront needs. Without --yes it only shows what is missing.',
    run: async () => (await import('./storefront.ts')).setUpStorefront,
  })
    .option(...ONE_SHOP)
    .option('--rotate', 'create a new token; accept the current one, too, for a day')
    .option('--leaked', 'create a new token and accept only that one')
    .option('--yes', 'do it');

  const webhooks = declare(program, 'webhooks', {
    summary: 'check and repair the subscriptions that make the store send its webhooks',
    examples: `\
  npx loyalty-connector webhooks check
  npx loyalty-connector webhooks sync                shows what it would do
`,
  });
  declare(webhooks, 'check', {
    summary: 'compare the subscriptions with what the connector needs',
    description:
      'Compares the subscriptions with those that the connector needs. Changes nothing. Ends with 1 when a subscription is missing, wrong or superfluous, and with 4 when the store does not tell.',
    run: async () => (await import('./webhooks.ts')).checkWebhooks,
  }).option(...ANY_SHOP);
  declare(webhooks, 'sync', {
    summary: 'create, correct and remove subscriptions: a dry run unless --yes',
    description:
      'Creates missing subscriptions, corrects wrong ones and removes superfluous ones. Without --yes it only shows what it would do. Subscriptions with another address are not changed.',
    run: async () => (await import('./webhooks.ts')).syncWebhooks,
  })
    .option(...ANY_SHOP)
    .option('--yes', 'do it; without this nothing is changed')
    .option('--prune', "remove the app's subscriptions with other addresses too")
    .option('--covered', 'remove webhooks of changes that Events announce, once these arrive');
}
