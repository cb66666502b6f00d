import type { Command } from 'commander';
import { parseMoment, wholeNumber } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { HistoryOptions } from './show-history.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector history --since 7d
  npx loyalty-connector history --command "dead-letters drop" --who olivia
  npx loyalty-connector history --until 2026-10-05T12:30:00.000Z --limit 20
  npx loyalty-connector history --json | jq '.changes[] | select(.end == null)'

Changes nothing. A change is recorded before it begins and when it ends. One without an end still runs, or its
process was ended. Records are kept for 400 days; what CloudTrail adds is in docs/security.md.
`;

/** `loyalty-connector history` */
export function registerHistory(program: Command): void {
  program
    .command('history')
    .summary('list what operators changed, and whose personal data they saw')
    .description(
      'Lists what was changed with this command line, and where it showed personal data (--reveal), by any operator of the stack, the newest first.',
    )
    .option('--since <when>', 'begun since this date, or this long ago: 2026-10-01, 7d', (text) =>
      parseMoment(text),
    )
    .option('--until <when>', 'begun before this date, or this long ago', (text) =>
      parseMoment(text),
    )
    .option('--command <name>', 'only this command: "secrets set", or all of a group: secrets')
    .option('--who <text>', "only callers whose ARN contains this text, such as a person's name")
    .option('--limit <n>', 'so many at most (default: 50)', wholeNumber(1, 10_000))
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<HistoryOptions>(async (session, options) =>
        (await import('./show-history.ts')).showHistory(session, options),
      ),
    );
}
