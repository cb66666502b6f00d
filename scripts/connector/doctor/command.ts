import type { Command } from 'commander';
import { runAction } from '../run-action.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector doctor
  npx loyalty-connector doctor --stack loyalty-connector-prod --region eu-west-1
  npx loyalty-connector doctor --json | jq '.checks[].findings[] | select(.verdict == "fail")'

Changes nothing. The webhook address is sent one forged signature, which is refused and not counted.
Ends with 0 when nothing failed and with 1 otherwise.
`;

/** `loyalty-connector doctor` */
export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('check everything that a deployment needs, with a fix for each problem')
    .description(
      'Checks settings, AWS, secrets, webhook address, store, loyalty service, clock and quota; shows rewards and assumptions.',
    )
    .addHelpText('after', EXAMPLES)
    .action(
      runAction(async (session, options) => {
        const { examine } = await import('./examine.ts');
        return examine(session, options);
      }),
    );
}
