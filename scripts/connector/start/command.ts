import { type Command, Option } from 'commander';
import { stageName, wholeNumber } from '../session/arguments.ts';

const PORTS = 'webhooks, gateway, store, loyalty, metrics, shop';
const HIGHEST_FIRST_PORT = 65_535 - 5;

const EXAMPLES = `
Examples:
  npx loyalty-connector start                       plays a day, then keeps running
  npx loyalty-connector start --once                ends after the comparison, for a script
  npx loyalty-connector start --data .connector/data --no-demo
`;

/** `loyalty-connector start` */
export function registerStart(program: Command, createProgram: () => Command): void {
  program
    .command('start')
    .summary('run the whole connector on this machine, with a store and a loyalty service')
    .description(
      'Runs the stack as it would be deployed, between a store sandbox and a loyalty sandbox. Plays a short day in the store, compares both sides, and keeps running.',
    )
    .option('--once', 'end after the comparison: exit code 0 if both sides agree, 1 otherwise')
    .addOption(new Option('--no-demo', 'start without playing the day').conflicts('once'))
    .addOption(
      new Option(
        '--new',
        'start as after a first deployment, for "loyalty-connector setup" to complete',
      ).conflicts('once'),
    )
    .option('--no-open', 'do not open the console in a browser')
    .option('--data <folder>', 'keep all data there and continue from it (default: in memory)')
    .option('--stage <name>', 'the stage of connector.config.NAME.ts', stageName, 'prod')
    .option(
      '--port <n>',
      `first of six ports on 127.0.0.1 (${PORTS}); 0 uses any free ports`,
      wholeNumber(0, HIGHEST_FIRST_PORT),
      4030,
    )
    .addHelpText('after', EXAMPLES)
    .action(async ({ once = false, new: isNew = false, ...options }) => {
      // It stops in order on signals of its own, so it takes no session.
      const { runStack } = await import('../../../local/stack/run-stack.ts');
      const { openLocalConsole } = await import('../console/run-console.ts');
      process.exitCode = await runStack(
        { once, isNew, ...options, demo: options.demo && !isNew },
        (say) => openLocalConsole({ createProgram, open: options.open }, say),
      );
    });
}
