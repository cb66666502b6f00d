import type { Command } from 'commander';
import { wholeNumber } from '../arguments/whole-number.ts';
import { runAction } from '../run-action.ts';
import { addFilterOptions, filterIn } from './filter-options.ts';
import type { LetterFilter } from './letter-filter.ts';
import type { ReplayOptions } from './replay/replay-command.ts';

/** `connector dead-letters …` */
export function registerDeadLetters(program: Command): void {
  const group = program
    .command('dead-letters')
    .summary('list, show, replay and drop what could not be delivered')
    .description(
      'What could not be delivered waits in a dead-letter queue, with its reason, for a person.',
    );
  registerList(group);
  registerReplay(group);
}

function registerList(group: Command): void {
  addFilterOptions(group.command('list'))
    .summary('what is there, grouped by reason')
    .description('Shows all dead letters, grouped by reason. Nothing is changed.')
    .action(
      runAction<LetterFilter>(async (session, options) => {
        const { listLetters } = await import('./list/list-letters.ts');
        return listLetters(session, filterIn(options));
      }),
    );
}

function registerReplay(group: Command): void {
  addFilterOptions(group.command('replay'))
    .summary('send dead letters again: a dry run unless --yes')
    .description(
      'Sends dead letters back to their queues. Without --yes it only shows which. It can be interrupted at any instant and run again: a letter leaves only when its queue holds it.',
    )
    .option('--yes', 'do it; without this nothing is sent')
    .option('--limit <n>', 'send so many at most', wholeNumber(1, 1_000_000))
    .option('--rate <n>', 'so many a second at most', wholeNumber(1, 10_000))
    .option('--refetch', 'have the worker ask the store instead of using the stored body')
    .option('--force', 'send even what the ledger calls unchanged; never over a newer version')
    .option('--wait', 'follow them until each has its outcome')
    .action(
      runAction<LetterFilter & ReplayOptions>(async (session, options) => {
        const { replayCommand } = await import('./replay/replay-command.ts');
        return replayCommand(session, filterIn(options), options);
      }),
    );
}
