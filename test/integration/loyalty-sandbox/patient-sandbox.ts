import { help, readArguments } from '../../../local/loyalty-sandbox/arguments.ts';
import { greet } from '../../../local/loyalty-sandbox/greeting.ts';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { runCommand } from '../../../local/sandbox-kit/run-command.ts';

/*
 * The sandbox as a process, which never gives an event up and never switches a subscription off: how many
 * deliveries fail before it is killed depends on the machine's speed.
 */

const serverSettings = { eventAttempts: 1_000, subscriptionFailures: 0 };

await runCommand(readArguments(process.argv.slice(2)), help, async (options) => {
  const sandbox = await startLoyaltySandbox({ ...options, serverSettings });
  return { sandbox, greeting: greet(sandbox, new Date()) };
});
