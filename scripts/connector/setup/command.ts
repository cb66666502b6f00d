import type { Command } from 'commander';
import { stageName } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { SetupOptions } from './setup-step.ts';

const EXAMPLES = `
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
    .summary('from an empty AWS account to the first synced order, step by step')
    .description(
      'Sets everything up, step by step: account, deployment, secrets, app, webhooks, alarms, and a test webhook.',
    )
    .option('--stage <name>', 'the stage, on AWS', stageName)
    .option('--shop <domain>', 'only this shop (default: all)')
    .option('--older-app', 'the app has an access token, not a client id and secret')
    .option('--yes', 'do not ask before changes; values are still asked for')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<SetupOptions>(async (session, options) => {
        const { runSetup } = await import('./run-setup.ts');
        return runSetup(session, options);
      }),
    );
}
