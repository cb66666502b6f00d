import { optionsOrHelp, type Wanted } from './command-line.ts';

/** A text as one word for a POSIX shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

interface Running {
  stop(): Promise<void>;
  /** What was repaired at the start, if anything. */
  readonly notice?: string;
}

/** Runs a sandbox as a command, until a signal stops it. */
export async function runCommand<Options extends { readonly port?: number }>(
  wanted: Wanted<Options>,
  help: string,
  /** Imports its modules only when called, so that a mistyped option is reported quickly. */
  start: (options: Options) => Promise<{ readonly sandbox: Running; readonly greeting: string }>,
): Promise<void> {
  const options = optionsOrHelp(wanted, help);
  if (!options) return;
  try {
    const { sandbox, greeting } = await start(options);
    if (sandbox.notice) process.stderr.write(`${sandbox.notice}\n`);
    process.stdout.write(greeting);
    const stop = () => void sandbox.stop();
    process.once('SIGINT', stop).once('SIGTERM', stop);
  } catch (error) {
    process.stderr.write(`${explain(error, options.port)}\n`);
    process.exitCode = 1;
  }
}

function explain(error: unknown, port: number | undefined): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `Port ${port} is in use, perhaps by another sandbox. Stop that sandbox, or give another --port.`;
  }
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen') {
    return `This user may not listen on port ${port}. Give a --port above 1023.`;
  }
  return error.message;
}
