import type { Command } from 'commander';
import { wholeNumber } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { ProbeOptions } from './probe.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector probe                                 the stack that runs on this machine
  npx loyalty-connector probe --stack loyalty-connector-test --region eu-west-1
  npx loyalty-connector probe --wait 600                      a program that gives points after minutes

For a TEST account only: it makes a customer, orders, a coupon and a redemption, all named
probe-<date>-<random>, and undoes them at the end, also after Ctrl-C. Orders and the customer cannot be
deleted: they stay, cancelled and inactive. Ends with 0 when everything was undone and with 1 otherwise.
`;

/** `loyalty-connector probe` */
export function registerProbe(program: Command): void {
  program
    .command('probe')
    .summary('try on a test account what the service does not document; prints the settings')
    .description(
      'Tries what the documentation of the loyalty service leaves open, step by step, and prints the settings that follow.',
    )
    .option('--shop <domain>', 'the shop, where the settings name several')
    .option('--yes', 'do not ask')
    .option(
      '--wait <seconds>',
      'how long to wait for points to come or change (default: 60)',
      wholeNumber(0, 3600),
    )
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<ProbeOptions>(async (session, options) =>
        (await import('./probe.ts')).probe(session, options),
      ),
    );
}
