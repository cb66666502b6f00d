import type { Command } from 'commander';
import { explainAwsError } from './deployment/explain-aws-error.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from './exit.ts';
import type { CommonOptions, Session } from './session.ts';
import { createTerminal } from './terminal/terminal.ts';

/** The code of a command. Returns the exit code; throws a `Problem` to print it and end with 1. */
export type Action<Options> = (
  session: Session,
  options: Options & CommonOptions,
  ...operands: string[]
) => Promise<ExitCode>;

/** Wraps an action for commander: opens the session, handles Ctrl-C and reports errors. */
export function runAction<Options = object>(action: Action<Options>) {
  return async (...given: unknown[]): Promise<void> => {
    // commander passes the operands, the command's own options and the command.
    const command = given.at(-1) as Command;
    const operands = given.slice(0, -2) as string[];
    const options = command.optsWithGlobals<Options & CommonOptions>();
    const { session, wasInterrupted } = openSession(options);
    try {
      const code = await action(session, options, ...operands);
      process.exitCode = wasInterrupted() ? EXIT.interrupted : code;
    } catch (error) {
      process.exitCode = reportError(error, options, command.name());
    }
  };
}

function openSession(options: CommonOptions) {
  const terminal = createTerminal({ quiet: options.json === true });
  let controller: AbortController | undefined;
  let interruptions = 0;
  let ending = 'Finishing the current batch, then stopping.';
  process.on('SIGINT', () => {
    interruptions += 1;
    if (!controller || interruptions > 1) process.exit(EXIT.interrupted);
    // The cursor may be behind a progress line.
    const start = process.stderr.isTTY ? '\n' : '';
    terminal.note(`${start}${ending} Press Ctrl-C again to stop at once.`);
    controller.abort();
  });
  const session: Session = {
    terminal,
    json: options.json === true,
    async findDeployment() {
      const { findDeployment } = await import('./deployment/find-deployment.ts');
      return findDeployment(options);
    },
    interruption(note = ending) {
      ending = note;
      controller ??= new AbortController();
      // main.ts ends the process when a pipe is closed (`| head`): too early for a command that ends in order.
      process.stdout.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
        controller?.abort();
      });
      return controller.signal;
    },
  };
  return { session, wasInterrupted: () => interruptions > 0 };
}

/** Prints what went wrong on standard error and returns the exit code. */
function reportError(error: unknown, options: CommonOptions, command: string): ExitCode {
  if (error instanceof BadArguments) {
    process.stderr.write(`${command}: ${error.message}\n`);
    return EXIT.badArguments;
  }
  const problem = error instanceof Problem ? error : explainAwsError(error, options);
  const showStack = options.verbose === true || Boolean(process.env.DEBUG);
  if (problem) {
    process.stderr.write(`${problem.message}\n`);
    if (problem.next !== undefined) process.stderr.write(`${problem.next}\n`);
    if (showStack && !(error instanceof Problem)) console.error(error);
    return EXIT.failed;
  }
  if (showStack || !(error instanceof Error)) console.error(error);
  else {
    const hint =
      'This error is unexpected. Run the command with --verbose to see where it happened.';
    process.stderr.write(`${error.name}: ${error.message}\n${hint}\n`);
  }
  return EXIT.failed;
}
