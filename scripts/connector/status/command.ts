import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { StatusOptions } from './print-status.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector status
  npx loyalty-connector status --stack loyalty-connector-prod --region eu-west-1
  npx loyalty-connector status --watch                       again every ten seconds, until Ctrl-C
  npx loyalty-connector status --charts                      the last hour and the last day as charts
  npx loyalty-connector status --json | jq .state            "well", "waiting" or "needs-a-person"

Ends with 0 when all is well, with 3 while messages wait for something that passes by itself (a service
that does not answer), and with 1 when something needs a person.
`;

/** `loyalty-connector status` */
export function registerStatus(program: Command): void {
  program
    .command('status')
    .summary('show whether all is well, what waits, what is wrong and which command to run next')
    .description(
      "Shows queues, the last hour's outcomes, latency, reconciliation, subscriptions and credentials.",
    )
    .option('--charts', 'show the last hour and the last day as charts, too')
    .option('--watch [seconds]', 'show it again and again', wholeNumber(1, 3_600))
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<StatusOptions>(async (session, options) => {
        const { showStatus } = await import('./print-status.ts');
        return showStatus(session, options);
      }),
    );
}
