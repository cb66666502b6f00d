import { help, readArguments } from './arguments.ts';
import { greet } from './greeting.ts';
import type { StoreSandboxOptions } from './sandbox.ts';

const wanted = readArguments(process.argv.slice(2));
switch (wanted.kind) {
  case 'help':
    process.stdout.write(help);
    break;
  case 'wrong':
    process.stderr.write(`${wanted.problem}. (--help shows the options.)\n`);
    process.exitCode = 2;
    break;
  case 'start':
    await run(wanted.options);
}

async function run(options: StoreSandboxOptions): Promise<void> {
  try {
    // Only now, because loading it takes longer than telling of a mistyped option.
    const { startStoreSandbox } = await import('./sandbox.ts');
    const sandbox = await startStoreSandbox(options);
    if (sandbox.notice) process.stderr.write(`${sandbox.notice}\n`);
    process.stdout.write(greet(sandbox, options.webhooksTo));
    const stop = () => void sandbox.stop();
    process.once('SIGINT', stop).once('SIGTERM', stop);
  } catch (error) {
    process.stderr.write(`${explain(error, options)}\n`);
    process.exitCode = 1;
  }
}

function explain(error: unknown, { port }: StoreSandboxOptions): string {
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
