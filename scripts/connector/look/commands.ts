import type { Command } from 'commander';
import type { ProgramParts } from '../ground/checks/step.ts';
import type { ConsoleOptions } from '../ground/console/server.ts';
import { parseMoment, wholeNumber } from '../ground/session/arguments.ts';
import { ANY_SHOP, declare, ONE_SHOP } from '../ground/session/run-action.ts';
import { BadArguments } from '../ground/terminal/exit.ts';
import type { AuditOptions } from './audit.ts';
import type { DoctorOptions } from './doctor.ts';
import type { StatusOptions } from './show-status.ts';

/** The commands that change nothing. */
export function registerLook(program: Command, { createProgram, loadChecks }: ProgramParts): void {
  declare<Omit<ConsoleOptions, 'createProgram'>>(program, 'console', {
    summary: 'open a page to look at everything and to repair it',
    examples: `\
  npx loyalty-connector console --read-only         for support: looks, and changes nothing

The page runs on this machine alone, with your AWS credentials: what you may not do, it cannot do. The address
that is printed opens it once, in one browser. It is described in docs/console.md.
`,
    async run() {
      const { runConsole } = await import('../ground/console/server.ts');
      return (session, options) => runConsole(session, { ...options, createProgram });
    },
  })
    .option('--read-only', 'offer nothing that changes anything')
    .option('--port <n>', 'on 127.0.0.1 (default: any free one)', wholeNumber(1, 65_535));

  declare<StatusOptions>(program, 'status', {
    summary: 'show whether all is well, what is pending or wrong, and which command to run next',
    description:
      "Shows queues, the last hour's outcomes, latency, reconciliation, subscriptions and credentials.",
    examples: `\
  npx loyalty-connector status --json | jq .verdict.kind     "ok", "pending", "action required" or "unknown"
`,
    async run() {
      const [{ showStatus, watchStatus }, platforms] = [
        await import('./show-status.ts'),
        await loadChecks(),
      ];
      return (session, options) =>
        (options.watch ? watchStatus : showStatus)(session, options, platforms);
    },
  })
    .option('--watch', 'again and again, until Ctrl-C')
    .option('--charts', 'add the figures of the last hour and the last day, for a page or --json');

  declare(program, 'trace', {
    summary: 'show everything known about one order, product, coupon or customer',
    description:
      'Reads store, ledger, dead letters and loyalty service: what differs, how the points came about, what happened.',
    examples: `\
  npx loyalty-connector trace 1007                             an order, or a code of this name
  npx loyalty-connector trace order '#1007-A' --shop SHOP

What still waits on a queue is not shown: reading it would take it off. The service cannot be asked for products: one
whose current state was sent ends with 0.
`,
    run: async () => (await import('./show-trace.ts')).showTrace,
  })
    .argument('<kind>', 'order, product, coupon or customer; or the id alone, to find what it is')
    .argument(
      '[id]',
      "the store's id; of an order also its number, name or e-mail address (the newest); of a product its title; of a coupon its code; of a customer also the e-mail address",
    )
    .option(...ONE_SHOP)
    .option('--full', 'show what the loyalty service should hold, field by field')
    .option('--reveal', 'show personal data instead of masking it; this is recorded');

  declare<{ readonly since?: number; readonly csv?: string }>(program, 'compare', {
    summary: 'read many orders from both sides and list what differs',
    description:
      'Reads each order that changed lately from the store, the ledger and the loyalty service. For an observed shop it compares what would be sent with what the service holds, also under the ids of another integration.',
    examples: `\
  npx loyalty-connector compare orders --since 7d --csv compared.csv

The file has one line for each order, without personal data.
`,
    run:
      async () =>
      async (session, { since, ...options }, kind) => {
        if (kind !== 'orders' || since === undefined) {
          throw new BadArguments(
            'give "orders" and --since, such as: compare orders --since 24h. For one order or product: trace order ID, trace product ID.',
          );
        }
        const { compareOrders } = await import('./compare-orders.ts');
        return compareOrders(session, { ...options, since });
      },
  })
    .argument('<kind>', 'orders')
    // "compare order 1007" is answered with the command that does it.
    .allowExcessArguments()
    .option('--since <when>', 'changed since: 90m, 24h, 3d or 2026-10-05', parseMoment)
    .option('--csv <file>', 'also write every order to this file')
    .option(...ONE_SHOP);

  declare<AuditOptions>(program, 'audit', {
    summary: 'check from logs, ledger, store and loyalty service that every promise was kept',
    description:
      'Reads log lines, the ledger, dead letters, and each changed order from the store and the loyalty service. Shows for every promise how many cases there were, which broke it, and which could not be decided, and why.',
    examples: `\
  npx loyalty-connector audit --since 24h --stack loyalty-connector-prod --region eu-west-1
  npx loyalty-connector audit --since 7d --logs exported/ --json | jq '.data.promises[].violations'

What was not logged, or is older than the logs are kept, is not decided: docs/how-to/audit.md.
`,
    run: async () => (await import('./audit.ts')).audit,
  })
    .requiredOption('--since <when>', 'accepted since: 90m, 24h, 3d or 2026-10-05', parseMoment)
    .option('--until <when>', 'accepted before, in the same form (default: now)', parseMoment)
    .option('--logs <path>', 'a file or folder of exported lines, instead of CloudWatch')
    .option('--no-sides', 'leave out the comparison: large shops take long')
    .option(...ANY_SHOP);

  declare<DoctorOptions>(program, 'doctor', {
    summary: 'check everything that a deployment needs, with a fix for each problem',
    description:
      'Checks settings, AWS, secrets, webhook address, store, loyalty service and quota. Shows what is wrong, the cause first.',
    examples: `\
  npx loyalty-connector doctor --json | jq '.data.checks[].findings[] | select(.verdict == "fail")'

It sends the webhook address one forged signature, which is refused and not counted.
`,
    async run() {
      const [{ examine }, platforms] = [await import('./doctor.ts'), await loadChecks()];
      return (session, options) => examine(session, options, platforms);
    },
  }).option('--all', 'also show what passed, and how rewards are read');

  declare(program, 'history', {
    summary: 'list what operators changed, and whose personal data they saw',
    description:
      'Lists what was changed with this command line, and where it showed personal data (--reveal), by any operator of the stack, the newest first.',
    examples: `\
  npx loyalty-connector history --command "dead-letters drop" --who olivia

Records are kept for 400 days; what CloudTrail adds is in docs/operator-access.md.
`,
    run: async () => (await import('./show-history.ts')).showHistory,
  })
    .option('--since <when>', 'started since this date, or this long ago', parseMoment)
    .option('--until <when>', 'started before this date, or this long ago', parseMoment)
    .option('--command <name>', 'only this command: "secrets set", or all of a group: secrets')
    .option('--who <text>', "only callers whose ARN contains this text, such as a person's name")
    .option('--limit <n>', 'at most this many (default: 50)', wholeNumber(1, 10_000));
}
