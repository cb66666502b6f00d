import { join } from 'node:path';
import type { Command } from 'commander';
import { findProject } from '../../../shared/config/folders.ts';
import { stageName } from '../arguments.ts';
import { EXIT } from '../exit.ts';
import { runAction } from '../run-action.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector explain-stack sync-orders < stack-trace.txt
`;

/** `loyalty-connector explain-stack` */
export function registerExplainStack(program: Command): void {
  program
    .command('explain-stack')
    .summary('show an error of the logs with files and lines of the source')
    .description('Reads a stack trace from standard input. The logs call the function "service".')
    .argument('<service>', 'the function: sync-orders and so on')
    .option('--stage <name>', 'the stage of connector.config.NAME.ts', stageName, 'prod')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<{ readonly stage: string }>(async ({ terminal }, { stage }, service = '') => {
        const { explainStack, readSourceMaps } = await import('./explain-stack.ts');
        const { text } = await import('node:stream/consumers');
        const maps = readSourceMaps(join(findProject(), 'cdk.out/bundles', stage), service);
        terminal.line(explainStack(await text(process.stdin), maps).trimEnd());
        return EXIT.fine;
      }),
    );
}
