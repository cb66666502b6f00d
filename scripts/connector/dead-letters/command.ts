import type { Command } from 'commander';
import { perSecond, wholeNumber } from '../arguments.ts';
import { runAction } from '../run-action.ts';
import type { DropOptions } from './drop.ts';
import { addFilterOptions, filterIn, type LetterFilter, notEmpty } from './filter.ts';
import type { ListOptions } from './list.ts';
import type { ReplayOptions } from './replay-command.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector dead-letters list --reason rejected
  npx loyalty-connector dead-letters show 5512345678901
  npx loyalty-connector dead-letters replay --reason rejected --limit 1 --wait --yes
  npx loyalty-connector dead-letters drop --id 5512345678901 --because "a test of the till"
`;

/** `loyalty-connector dead-letters …` */
export function registerDeadLetters(program: Command): void {
  const group = program
    .command('dead-letters')
    .summary('list, show, replay and drop what could not be delivered')
    .description(
      'What could not be delivered waits in a dead-letter queue, with its reason, for a person.',
    )
    .addHelpText('afterAll', EXAMPLES);
  registerList(group);
  registerShow(group);
  registerReplay(group);
  registerDrop(group);
}

function registerList(group: Command): void {
  addFilterOptions(group.command('list'))
    .summary('what is there, grouped by reason')
    .description(
      'Shows all dead letters, grouped by reason. It reads the summaries that workers write, and receives none. Nothing is changed.',
    )
    .option(
      '--limit <n>',
      'show so many dead letters one by one, the newest first',
      wholeNumber(1, 1_000),
    )
    .option('--after <place>', 'the next page: "next" of the page before', notEmpty)
    .option('--scan', 'read the queues themselves: also dead letters without a summary')
    .action(
      runAction<LetterFilter & ListOptions>(async (session, options) => {
        const { listLetters } = await import('./list.ts');
        return listLetters(session, filterIn(options), options);
      }),
    );
}

function registerReplay(group: Command): void {
  addFilterOptions(group.command('replay'))
    .summary('send dead letters again: a dry run unless --yes')
    .description(
      'Sends dead letters back to their queues. Without --yes it only shows which. It can be interrupted at any instant and run again: a dead letter leaves only when its queue holds the message.',
    )
    .option('--yes', 'do it; without this nothing is sent')
    .option('--limit <n>', 'send so many at most', wholeNumber(1, 1_000_000))
    .option('--rate <n/s>', 'so many a second at most: 20/s', perSecond(10_000))
    .option('--refetch', 'have the worker ask the store instead of using the stored body')
    .option('--force', 'send even what the ledger calls unchanged; never over a newer version')
    .option('--wait', 'follow them until each has its outcome')
    .action(
      runAction<LetterFilter & ReplayOptions>(async (session, options) => {
        const { replayCommand } = await import('./replay-command.ts');
        return replayCommand(session, filterIn(options), options);
      }),
    );
}

function registerShow(group: Command): void {
  group
    .command('show')
    .argument(
      '<id>',
      'of the message, or of what it is about: order, product, code, customer, redemption',
    )
    .summary('one dead letter: reason, ledger, and what would be sent now')
    .description(
      'Shows a dead letter, what the ledger knows of it, what would be sent by the code and settings here, and how that differs from what was applied. What is known of people is masked.',
    )
    .option(
      '--reveal',
      'show the body and everything that would be sent, people included; this is recorded',
    )
    .action(
      runAction<{ readonly reveal?: boolean }>(async (session, options, id = '') => {
        const { showLetter } = await import('./show.ts');
        return showLetter(session, id, options);
      }),
    );
}

function registerDrop(group: Command): void {
  addFilterOptions(group.command('drop'))
    .summary('remove dead letters, after writing them to a file')
    .description(
      'Removes dead letters that are not needed any more. They are written to a file first, which is named at the end. At least one filter must be given.',
    )
    .requiredOption('--because <reason>', 'why they may go; stands in the file', notEmpty)
    .option('--yes', 'do not ask')
    .action(
      runAction<LetterFilter & DropOptions>(async (session, options) => {
        const { dropCommand } = await import('./drop.ts');
        return dropCommand(session, filterIn(options), options);
      }),
    );
}
