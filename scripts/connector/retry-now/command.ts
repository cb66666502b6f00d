import { type Command, Option } from 'commander';
import { WAITS_FOR } from '../../../shared/core/batch/waiting.ts';
import { wholeNumber } from '../arguments.ts';
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
A pause of the shop still holds its messages, except one that refused credentials began. What had a call
without an answer is tried 30 seconds after that call at the earliest.
It ends with 0 when all have left their queues, with 3 when some still wait, and with 1 when some became dead
letters.
`;

/** `loyalty-connector retry-now` */
export function registerRetryNow(program: Command): void {
  program
    .command('retry-now')
    .summary('try again at once what waits for its next attempt')
    .description(
      'Ends the wait of messages whose last attempt failed, and says what became of them: after a repair they need not wait for up to an hour. Changes nothing else; a repeated attempt is harmless.',
    )
    .option('--shop <domain>', 'only this shop')
    .addOption(queueOption('only this queue'))
    .addOption(new Option('--reason <reason>', 'only what waits for this').choices([...WAITS_FOR]))
    .option(
      '--wait <seconds>',
      'how long to follow them to their outcome; 0: not at all (default: 60)',
      wholeNumber(0, 3600),
    )
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<RetryNowOptions>(async (session, options) =>
        (await import('./retry-now.ts')).retryNow(session, options),
      ),
    );
}
