import module from 'node:module';
import { join } from 'node:path';
import { help, readArguments } from './arguments.ts';

// Compiling takes most of the time before the first line of output, so the result is cached.
module.enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'));

const wanted = readArguments(process.argv.slice(2));
switch (wanted.kind) {
  case 'help':
    process.stdout.write(help);
    break;
  case 'wrong':
    process.stderr.write(`${wanted.problem}. (--help shows the options.)\n`);
    process.exitCode = 2;
    break;
  case 'start': {
    // Imported late, so that a mistyped option is reported quickly.
    const { runStack } = await import('./run-stack.ts');
    process.exitCode = await runStack(wanted.options);
  }
}
