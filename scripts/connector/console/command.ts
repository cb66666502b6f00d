import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { ConsoleOptions } from './run-console.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector console                     the stack that runs on this machine
  npx loyalty-connector console --stack loyalty-connector-prod --region eu-west-1
  npx loyalty-connector console --read-only         for support: looks, and changes nothing

The page runs on this machine alone, with your AWS credentials: what you may not do, it cannot do. The address
that is printed opens it once, in one browser. It is described in docs/console.md.
`;

/** `loyalty-connector console` */
export function registerConsole(program: Command, createProgram: () => Command): void {
  program
    .command('console')
    .summary('open a page to look at everything and to repair it')
    .description(
      'Serves a page on this machine: what happens now, orders, dead letters, customers.',
    )
    .option('--read-only', 'offer nothing that changes anything')
    .option('--port <n>', 'on 127.0.0.1 (default: any free one)', wholeNumber(1, 65_535))
    .option('--no-open', 'print the address, but do not open it in a browser')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<Omit<ConsoleOptions, 'createProgram'>>(async (session, options) =>
        (await import('./run-console.ts')).runConsole(session, { ...options, createProgram }),
      ),
    );
}
