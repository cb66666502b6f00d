import { help, readArguments } from './arguments.ts';

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
    // Loaded only now: telling of a mistyped option is faster.
    const { runStack } = await import('./run-stack.ts');
    process.exitCode = await runStack(wanted.options);
  }
}
