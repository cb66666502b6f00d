import type { Command } from 'commander';
import { parseMoment } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { RecoverOptions } from './recover.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector recover                               what it would do; changes nothing
  npx loyalty-connector recover --since 2026-11-16T08:00Z --yes
  npx loyalty-connector recover --from ledger-restored --yes  first copies what the ledger lacks
  npx loyalty-connector recover --go-live 2026-03-01 --yes    of a stack that was deployed again

Interrupted, it is continued by the same command; the comparison goes on by itself. Ends with 0 when everything was
compared and settled, 3 when messages are left that wait for a later try. docs/runbook.md says what can be lost.
`;

/** `loyalty-connector recover` */
export function registerRecover(program: Command): void {
  program
    .command('recover')
    .summary('after the ledger was lost or restored: compare everything, and take nothing twice')
    .description(
      'Puts the ledger in doubt: what it says is compared with the loyalty service before anything is sent. Then compares everything with the store, finds the codes that customers bought, and says what was sent again and how long it took.',
    )
    .option(
      '--since <when>',
      'the moment that the ledger was restored to (default: all since go-live)',
      (text) => parseMoment(text),
    )
    .option(
      '--go-live <when>',
      'when the program began, if neither settings nor ledger say it',
      (text) => parseMoment(text),
    )
    .option('--from <table>', 'first copy what the ledger lacks from this restored table')
    .option('--replace', 'with --from: also replace what the ledger has')
    .option('--shop <domain>', 'only this shop (default: all; not with --from)')
    .option('--yes', 'do not ask')
    .addHelpText('after', EXAMPLES)
    .action(
      runAction<RecoverOptions>(async (session, options) =>
        (await import('./recover.ts')).recover(session, options),
      ),
    );
}
