// The package create-loyalty-connector is this file, bundled: `npm create loyalty-connector my-shop` runs it,
// on any Node from 20. Without `runAction`, which would bring the AWS SDK.
import { Command } from 'commander';
import { BadArguments, Problem } from '../ground/terminal/exit.ts';
import { printDocument } from '../ground/terminal/print-document.ts';
import { createTerminal } from '../ground/terminal/terminal.ts';
import { describeInit } from './describe-init.ts';
import { init } from './init.ts';

const command = describeInit(new Command('create-loyalty-connector'));
await command
  .option('--region <region>', 'the AWS region (default: us-east-1)')
  .action(async (folder, options) => {
    try {
      const terminal = createTerminal({ quiet: false });
      printDocument(terminal, await init(terminal, options, folder), { now: new Date() });
    } catch (error) {
      if (!(error instanceof BadArguments || error instanceof Problem)) throw error;
      command.error(error.message);
    }
  })
  .parseAsync();
