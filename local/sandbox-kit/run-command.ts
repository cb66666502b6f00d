/** What a sandbox's command line asks for. */
export type Wanted<Options> =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | { readonly kind: 'start'; readonly options: Options };

interface Running {
  stop(): Promise<void>;
  /** What was found and mended at the start, if anything. */
  readonly notice?: string;
}

/** A sandbox as a command: help, one clear line for a mistake, a greeting, and a clean end. */
export async function runCommand<Options extends { readonly port?: number }>(
  wanted: Wanted<Options>,
  help: string,
  /** Gives the greeting too. Loads what it needs itself: telling of a mistyped option is faster. */
  start: (options: Options) => Promise<{ readonly sandbox: Running; readonly greeting: string }>,
): Promise<void> {
  switch (wanted.kind) {
    case 'help':
      process.stdout.write(help);
      return;
    case 'wrong':
      process.stderr.write(`${wanted.problem}. (--help shows the options.)\n`);
      process.exitCode = 2;
      return;
    case 'start':
      try {
        const { sandbox, greeting } = await start(wanted.options);
        if (sandbox.notice) process.stderr.write(`${sandbox.notice}\n`);
        process.stdout.write(greeting);
        const stop = () => void sandbox.stop();
        process.once('SIGINT', stop).once('SIGTERM', stop);
      } catch (error) {
        process.stderr.write(`${explain(error, wanted.options.port)}\n`);
        process.exitCode = 1;
      }
  }
}

function explain(error: unknown, port: number | undefined): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken, perhaps by another sandbox. Stop that one, or give another --port.`;
  }
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen') {
    return `Port ${port} is not open to this user. Give a --port above 1023.`;
  }
  return error.message;
}
