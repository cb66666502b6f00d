import { type Command, Option } from 'commander';
import { WAITS_FOR } from '../../../shared/core/batch/waiting.ts';
import { queueOption } from '../pause/command.ts';
import { runAction } from '../run-action.ts';
import type { RetryNowOptions } from './retry-now.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector retry-now                              everything that waits
  npx loyalty-connector retry-now --reason misconfigured       what waited for credentials
  npx loyalty-connector retry-now --shop example-store.myshopify.com --queue orders

Reasons: loyalty and store (no usable answer), throttled (the loyalty service asked for fewer calls),
misconfigured (credentials, scopes or an address are refused), paused (by an operator), connector (a fault
of its own or of AWS), patience (a customer or a result that is not there yet).
A pause of the shop still holds its messages, except one that refused credentials began.
`;

/** `loyalty-connector retry-now` */
export function registerRetryNow(program: Command): void {
  program
    .command('retry-now')
    .summary('try again at once what waits for its next attempt')
    .description(
      'Ends the wait of messages whose last attempt failed: after a repair they need not wait for up to an hour. Changes nothing else; a repeated attempt is harmless.',
    )
    .option('--shop <domain>', 'only this shop')
    .addOption(queueOption('only this queue'))
    .addOption(new Option('--reason <reason>', 'only what waits for this').choices([...WAITS_FOR]))
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<RetryNowOptions>(async (session, options) =>
        (await import('./retry-now.ts')).retryNow(session, options),
      ),
    );
}
