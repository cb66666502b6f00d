import type { Command } from 'commander';
import { describeInit } from '../init/describe-init.ts';
import type { InitOptions } from '../init/init.ts';
import { stageName, wholeNumber } from '../session/arguments.ts';
import { runAction, runLazily } from '../session/run-action.ts';

const SETUP_EXAMPLES = `
Examples:
  npx loyalty-connector setup                        the stack that runs on this machine; without one,
                                                     loyalty-connector-prod in your AWS account
  npx loyalty-connector setup --region eu-west-1     loyalty-connector-prod in your AWS account
  npx loyalty-connector setup --stage test           with the settings in connector.config.test.ts, on AWS
  npx loyalty-connector setup --yes < /dev/null      asks nothing; says which answer is missing

Stop it at any time and run it again: what is done is read from AWS, the store and the loyalty service.
Instead of asking, it reads these variables:
  CONNECTOR_CLIENT_ID, CONNECTOR_CLIENT_SECRET       of the Shopify app
  CONNECTOR_LOYALTY_TOKEN, CONNECTOR_LOYALTY_KEY     of the loyalty service
  CONNECTOR_ACCESS_TOKEN                             of an older app (--older-app)
  CONNECTOR_ALARM_EMAIL                              for alarms, where the settings name no address
`;

/** `loyalty-connector setup` */
export function registerSetup(program: Command): void {
  program
    .command('setup')
    .description('from an empty AWS account to the first synced order, step by step')
    .option('--stage <name>', 'the stage, on AWS', stageName)
    .option('--shop <domain>', 'only this shop (default: all)')
    .option('--older-app', 'the app has an access token, not a client id and secret')
    .option('--yes', 'do not ask before changes; values are still asked for')
    .addHelpText('after', SETUP_EXAMPLES)
    .action(runLazily(async () => (await import('../setup/run-setup.ts')).runSetup));
}

/** `loyalty-connector init` */
export function registerInit(program: Command): void {
  describeInit(program.command('init')).action(
    runAction<InitOptions>(async ({ terminal }, options, folder = '') => {
      const { init } = await import('../init/init.ts');
      return init(terminal, options, folder);
    }),
  );
}

const STAGE = [
  '--stage <name>',
  'the stage of connector.config.NAME.ts; prod is connector.config.ts',
] as const;

const SYNTH_EXAMPLES = `
Examples:
  npx loyalty-connector synth                every stage
  npx loyalty-connector synth --stage dev
`;

/** `loyalty-connector synth` */
export function registerSynth(program: Command): void {
  program
    .command('synth')
    .description('check the settings and write the templates to cdk.out; needs no AWS account')
    .option(STAGE[0], `${STAGE[1]} (default: every stage)`, stageName)
    .addHelpText('after', SYNTH_EXAMPLES)
    .action(runLazily(async () => (await import('../deploy/synth.ts')).synth));
}

const DEPLOY_EXAMPLES = `
Examples:
  npx loyalty-connector deploy --region eu-west-1
  npx loyalty-connector deploy --stage dev --yes    without a question, for a script
  npx loyalty-connector deploy --roll-back          after you installed an older version
`;

/** `loyalty-connector deploy` */
export function registerDeploy(program: Command): void {
  program
    .command('deploy')
    .description('show what would change on AWS, ask, deploy, and print the next command')
    .option(...STAGE, stageName, 'prod')
    .option('--yes', 'deploy without asking')
    .option('--roll-back', 'deploy although the deployed version is newer')
    .option(
      '--allow-loss <ids...>',
      'let these resources, which hold state, be replaced or deleted',
    )
    .addHelpText('after', DEPLOY_EXAMPLES)
    .action(runLazily(async () => (await import('../deploy/deploy.ts')).runDeploy));
}

const SECRETS_EXAMPLES = `
Examples:
  npx loyalty-connector secrets set webhook                 asks for it; what is typed is not shown
  npx loyalty-connector secrets set webhook --rotate        accepts the new and the current one
  npx loyalty-connector secrets set webhook --finish        within 5 minutes only the new one
  npx loyalty-connector secrets set store --older-app       an access token, no client id and secret
  npx loyalty-connector secrets set webhook < secret.txt    the secret as it is
  npx loyalty-connector secrets set loyalty < loyalty.json  {"token": "…", "key": "…"}

Fields: webhook current; loyalty token, key; store clientId, clientSecret or accessToken.
`;

/** `loyalty-connector secrets …` */
export function registerSecrets(program: Command): void {
  program
    .command('secrets')
    .description('store the secrets of a shop')
    .addHelpText('afterAll', SECRETS_EXAMPLES)
    .command('set')
    .description('try and store one secret, asked for or read from standard input')
    .argument('<purpose>', 'webhook, loyalty or store')
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--rotate', 'webhook: keep accepting the current secret beside the new one')
    .option('--finish', 'webhook: end a rotation; the older secret is no longer accepted')
    .option('--older-app', 'store: the app has an access token, not a client id and secret')
    .option(
      '--untried',
      'loyalty, store: store it although its service does not answer or refuses it',
    )
    .option('--yes', 'webhook: replace a secret that is in use, without overlap')
    .action(runLazily(async () => (await import('../secrets/set-secret.ts')).setSecret));
}

const APP_EXAMPLES = `
Examples:
  npx loyalty-connector app write                      shopify-app/SHOP, for each shop
  npx loyalty-connector app write --to ../my-app       one shop, into another folder
  cd shopify-app/SHOP && shopify app deploy            releases it (Shopify's command line)
  npx loyalty-connector app check                      what differs, and what to do about it

The folder needs no installation. Keep it in version control, and write it again after a change of the settings, a new
address or an upgrade: what differs is replaced, and files of your own beside it are left alone.
`;

/** `loyalty-connector app …` */
export function registerApp(program: Command): void {
  const group = program
    .command('app')
    .summary('write and check the Shopify app: scopes, proxy, extensions')
    .description(
      'Writes the folder of the Shopify app from the settings and the deployed addresses, and compares it.',
    )
    .addHelpText('afterAll', APP_EXAMPLES);
  group
    .command('write')
    .summary('write the folder that "shopify app deploy" releases')
    .description(
      'Writes shopify.app.toml and the extensions for theme, customer account and point of sale, one folder for each shop. Replaces what it wrote before.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .option('--to <folder>', 'the folder, for one shop (default: shopify-app/SHOP in the project)')
    .option('--client-id <id>', 'of the app (default: the one in the store secret)')
    .option('--yes', 'replace a shopify.app.toml that this command did not write')
    .action(runLazily(async () => (await import('../app/check-app.ts')).writeApp));
  group
    .command('check')
    .summary('compare the folder with settings, addresses and store')
    .description(
      'Compares the folder of the app with the settings, the deployed addresses and the store. Changes nothing. Ends with 1 when something is missing or wrong.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .option('--to <folder>', 'the folder, for one shop (default: shopify-app/SHOP in the project)')
    .action(runLazily(async () => (await import('../app/check-app.ts')).checkApp));
}

const STOREFRONT_EXAMPLES = `
Examples:
  npx loyalty-connector storefront setup                 shows what is missing and changes nothing
  npx loyalty-connector storefront setup --yes           makes it, prints the token once
  npx loyalty-connector storefront setup --rotate --yes  a new token; the older one goes on working
  npx loyalty-connector storefront setup --finish --yes  within minutes only the new one

The token is a secret: anyone who knows it can send balances to the connector. Paste it into the loyalty
service's webhook subscription and nowhere else. What pages of the store need (app proxy, extensions) is written by
"app write".
`;

/** `loyalty-connector storefront …` */
export function registerStorefront(program: Command): void {
  program
    .command('storefront')
    .summary('set up the loyalty program in the store')
    .description('Sets up what shows points, cashback, tier and rewards in the store.')
    .addHelpText('afterAll', STOREFRONT_EXAMPLES)
    .command('setup')
    .summary('create the metafield definitions and the token of point events')
    .description('Creates what the storefront needs. Without --yes it only shows what is missing.')
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--rotate', 'create a new token and keep accepting the current one')
    .option('--finish', 'end a rotation: the previous token is no longer accepted')
    .option('--yes', 'do it')
    .action(runLazily(async () => (await import('../storefront/set-up.ts')).setUpStorefront));
}

const WEBHOOKS_EXAMPLES = `
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
    .addHelpText('afterAll', WEBHOOKS_EXAMPLES);
  group
    .command('check')
    .summary('compare the subscriptions with what the connector needs')
    .description(
      'Compares the subscriptions with those that the connector needs. Changes nothing. Ends with 1 when a subscription is missing, wrong or superfluous, and with 4 when the store does not tell.',
    )
    .option('--shop <shop>', 'one shop, by its domain or path (default: all)')
    .action(runLazily(async () => (await import('../webhooks/webhooks.ts')).checkWebhooks));
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
    .action(runLazily(async () => (await import('../webhooks/webhooks.ts')).syncWebhooks));
}

const SEND_EXAMPLES = `
Examples:
  npx loyalty-connector send                                        leaves nothing behind
  npx loyalty-connector send --file order.json --topic orders/updated

The webhook is signed with the shop's own secret. Ends with 0 when the answer was 2xx, as the store would see it,
and the body can be read, and with 1 otherwise.
`;

/** `loyalty-connector send` */
export function registerSend(program: Command): void {
  program
    .command('send')
    .description('send a signed webhook: the deletion of a product that does not exist, or a file')
    .option('--file <path>', 'a body, sent byte for byte; needs --topic')
    .option('--topic <topic>', 'the topic of a file: orders/updated')
    .option('--shop <domain>', 'the shop, where the settings name several')
    .addHelpText('after', SEND_EXAMPLES)
    .action(runLazily(async () => (await import('../send/send-webhook.ts')).sendWebhook));
}

const PROBE_EXAMPLES = `
Examples:
  npx loyalty-connector probe                                 the stack that runs on this machine
  npx loyalty-connector probe --stack loyalty-connector-test --region eu-west-1
  npx loyalty-connector probe --wait 600                      a program that gives points after minutes

For a TEST account only: it makes a customer, orders, a coupon and a redemption, all named
probe-<date>-<random>, and undoes them at the end, also after Ctrl-C. Orders and the customer cannot be
deleted: they stay, cancelled and inactive. Ends with 1 when something was not undone or is a danger, and with 4
when an answer proves nothing.
`;

/** `loyalty-connector probe` */
export function registerProbe(program: Command): void {
  program
    .command('probe')
    .description('try on a test account what the service does not document; prints the settings')
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--yes', 'do not ask')
    .option(
      '--wait <seconds>',
      'how long to wait for points to come or change (default: 60)',
      wholeNumber(0, 3600),
    )
    .addHelpText('after', PROBE_EXAMPLES)
    .action(runLazily(async () => (await import('../probe/probe.ts')).probe));
}
