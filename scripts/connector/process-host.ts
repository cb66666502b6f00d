import { EXIT } from './exit.ts';
import type { Host } from './session.ts';
import { createTerminal } from './terminal/terminal.ts';
import { printableLines } from './terminal/text.ts';

const printError = (text: string): void => {
  process.stderr.write(`${printableLines(text)}\n`);
};

/** This process: its terminal, Ctrl-C and its exit code. */
export const processHost: Host = {
  createTerminal,
  async findDeployment(options) {
    const { findDeployment } = await import('./deployment/find-deployment.ts');
    return findDeployment(options);
  },
  onInterruption(interrupt) {
    process.on('SIGINT', () => {
      const ending = interrupt();
      if (ending === undefined) process.exit(EXIT.interrupted);
      // The cursor may be behind a progress line.
      const start = process.stderr.isTTY ? '\n' : '';
      printError(`${start}${ending} Press Ctrl-C again to stop at once.`);
    });
  },
  onClosedOutput(stop) {
    // main.ts ends the process when a pipe is closed (`| head`): too early for a command that ends in order.
    process.stdout.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      stop();
    });
  },
  reportProblem({ message, next }) {
    printError(message);
    if (next !== undefined) printError(next);
  },
  end(code) {
    process.exitCode = code;
  },
};
