import type { Command } from 'commander';
import { runAction } from '../run-action.ts';
import type { SetSecretOptions } from './set-secret.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector secrets set webhook                 asks for it; what is typed is not shown
  npx loyalty-connector secrets set webhook --rotate        accepts the new and the current one
  npx loyalty-connector secrets set webhook --finish        within 5 minutes only the new one
  npx loyalty-connector secrets set store --older-app       an access token, no client id and secret
  npx loyalty-connector secrets set loyalty < loyalty.json  {"token": "…", "key": "…"}

Fields: webhook current; loyalty token, key; store clientId, clientSecret or accessToken.
`;

/** `loyalty-connector secrets …` */
export function registerSecrets(program: Command): void {
  program
    .command('secrets')
    .summary('store the secrets of a shop')
    .description('Stores the credentials for the store and the loyalty service in Secrets Manager.')
    .addHelpText('afterAll', EXAMPLES)
    .command('set')
    .summary('store one secret, asked for or read from standard input')
    .description(
      'Tries credentials, stores one secret of a shop, and sends what waited for it. Values are never given on the command line.',
    )
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
    .action(
      runAction<SetSecretOptions>(async (...given) =>
        (await import('./set-secret.ts')).setSecret(...given),
      ),
    );
}
