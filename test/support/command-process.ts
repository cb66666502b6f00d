import { Readable } from 'node:stream';
import type { AskedCommand, CommandRun } from './connector-command.ts';

let runs = 0;

/** Everything but the main module, which runs once for each command, is loaded only once. */
process.on('message', async ({ words, input }: AskedCommand) => {
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    process[stream].write = (text: string | Uint8Array) => {
      printed[stream] += text;
      return true;
    };
  }
  process.argv = [process.execPath, 'loyalty-connector', ...words];
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  process.exitCode = 0;
  runs += 1;
  await import(`../../scripts/connector/main.ts?${runs}`);
  process.removeAllListeners('SIGINT');
  process.stdout.removeAllListeners('error');
  process.send?.({ code: Number(process.exitCode), ...printed } satisfies CommandRun);
});
