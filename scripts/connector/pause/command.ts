import { type Command, Option } from 'commander';
import { runAction } from '../run-action.ts';
import type { PauseOptions } from './change-pause.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector pause                                the calls of every shop
  npx loyalty-connector pause --shop example-store.myshopify.com --queue orders
  npx loyalty-connector resume

What arrives meanwhile waits in the queues and is sent after "resume". Neither its retry window nor its
attempts count while it is paused. SQS keeps a message for 14 days: an alarm rings after seven.
`;

/** `loyalty-connector pause` and `resume` */
export function registerPause(program: Command): void {
  program
    .command('pause')
    .summary('stop the calls to the loyalty service')
    .description(
      'Stops the calls to the loyalty service within seconds, for all shops or one, on all queues or one. Without --queue the storefront and reconcile stop calling, too. Asks before it acts, unless --yes is given.',
    )
    .option('--shop <domain>', 'only this shop')
    .addOption(queueOption('only this queue'))
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<PauseOptions>(async (session, options) =>
        (await import('./change-pause.ts')).pauseCommand(session, options),
      ),
    );
}

export function registerResume(program: Command): void {
  program
    .command('resume')
    .summary('let the calls to the loyalty service go on')
    .description(
      'Ends pauses: those that "pause" began and, without --queue, also one that the loyalty service asked for or that refused credentials caused. What waited for that is sent at once.',
    )
    .option('--shop <domain>', 'only this shop')
    .addOption(queueOption('only the pause of this queue'))
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<PauseOptions>(async (session, options) =>
        (await import('./change-pause.ts')).resumeCommand(session, options),
      ),
    );
}

export const queueOption = (what: string) =>
  new Option('--queue <queue>', what).choices(['orders', 'products', 'coupons', 'balances']);
