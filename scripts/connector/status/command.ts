import type { Command } from 'commander';
import { runAction } from '../run-action.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector status
  npx loyalty-connector status --stack loyalty-connector-prod --region eu-west-1
  npx loyalty-connector status --json | jq .healthy

Ends with 0 when the deployment is healthy and with 1 when something needs a person.
`;

/** `loyalty-connector status` */
export function registerStatus(program: Command): void {
  program
    .command('status')
    .summary('show whether it is healthy, what is wrong and which command to run next')
    .description(
      "Shows queues, the last hour's outcomes, latency, reconciliation, subscriptions and credentials.",
    )
    .addHelpText('after', EXAMPLES)
    .action(
      runAction(async (session, options) => {
        const { showStatus } = await import('./print-status.ts');
        return showStatus(session, options);
      }),
    );
}
