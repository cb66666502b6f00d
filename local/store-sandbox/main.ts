import { runCommand } from '../sandbox-kit/run-command.ts';
import { help, readArguments } from './arguments.ts';
import { greet } from './greeting.ts';

await runCommand(readArguments(process.argv.slice(2)), help, async (options) => {
  const { startStoreSandbox } = await import('./sandbox.ts');
  const sandbox = await startStoreSandbox(options);
  return { sandbox, greeting: greet(sandbox, options.webhooksTo) };
});
