import { type Command, InvalidArgumentError, Option } from 'commander';
import type { EventKind } from '../../../shared/core/events/event.ts';
import { DEAD_LETTER_REASONS } from '../../../shared/core/events/outcome.ts';
import { parseMoment, perSecond, queueOption, wholeNumber } from '../session/arguments.ts';
import { runAction } from '../session/run-action.ts';
import type { DropOptions } from './drop.ts';
import type { ListOptions } from './list.ts';
import type { LetterFilter } from './read.ts';
import type { ReplayOptions } from './replay-command.ts';

const EXAMPLES = `
Examples:
  npx loyalty-connector dead-letters list --reason rejected
  npx loyalty-connector dead-letters scan
  npx loyalty-connector dead-letters show 5512345678901
  npx loyalty-connector dead-letters replay --reason rejected --limit 1 --wait --yes
  npx loyalty-connector dead-letters drop --id 5512345678901 --because "a test of the till"
`;

/** `loyalty-connector dead-letters …` */
export function registerDeadLetters(program: Command): void {
  const group = program
    .command('dead-letters')
    .summary('list, scan, show, replay and drop what could not be delivered')
    .description(
      'What could not be delivered waits in a dead-letter queue, with its reason, for a person.',
    )
    .addHelpText('afterAll', EXAMPLES);
  registerList(group);
  registerScan(group);
  registerShow(group);
  registerReplay(group);
  registerDrop(group);
}

function registerList(group: Command): void {
  addFilterOptions(group.command('list'))
    .summary('what is there, grouped by reason')
    .description(
      'Shows all dead letters, grouped by reason, and what happens to the oldest on which day. It reads the summaries that workers write, and receives none. Nothing is changed; scan corrects a list that differs from the queues.',
    )
    .option(
      '--limit <n>',
      'show so many dead letters one by one, the newest first',
      wholeNumber(1, 1_000),
    )
    .option('--after <place>', 'the next page: "next" of the page before', notEmpty)
    .action(
      runAction<LetterFilter & ListOptions>(async (session, options) => {
        const { listLetters } = await import('./list.ts');
        return listLetters(session, filterIn(options), options);
      }),
    );
}

function registerScan(group: Command): void {
  group
    .command('scan')
    .summary('correct the list by what the queues hold')
    .description(
      'Receives every dead letter and puts it back: adds to the list what it lacks, and takes from it what no queue has. While it runs, others cannot receive the dead letters. It is recorded, because it writes.',
    )
    .action(
      runAction(async (session) => {
        const { scanCommand } = await import('./list.ts');
        return scanCommand(session);
      }),
    );
}

function registerReplay(group: Command): void {
  addFilterOptions(group.command('replay'))
    .summary('send dead letters again: a dry run unless --yes')
    .description(
      'Sends the listed dead letters back to their queues. Without --yes it only shows which. It can be interrupted at any instant and run again: a dead letter leaves only when its queue holds the message.',
    )
    .option('--yes', 'do it; without this nothing is sent')
    .option('--limit <n>', 'send so many at most', wholeNumber(1, 1_000_000))
    .option('--rate <n/s>', 'so many a second at most: 20/s', perSecond(10_000))
    .option('--refetch', 'have the worker ask the store instead of using the stored body')
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
      'Shows a dead letter, what the ledger knows of it, what would be sent by the code and settings here, and what happens to it on which day. What is known of people is masked.',
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
    .summary('remove dead letters, after writing them to a file: a dry run unless --yes')
    .description(
      'Removes dead letters that are not needed any more. Without --yes it only shows which. They are written to a file first, which is named at the end. At least one filter must be given.',
    )
    .requiredOption('--because <reason>', 'why they may go; stands in the file', notEmpty)
    .option('--yes', 'do it; without this nothing is removed')
    .action(
      runAction<LetterFilter & DropOptions>(async (session, options) => {
        const { dropCommand } = await import('./drop.ts');
        return dropCommand(session, filterIn(options), options);
      }),
    );
}

// Spelled out here so that --help loads little of the connector; a test compares them.
export const KINDS = [
  'order',
  'product',
  'coupon',
  'member',
  'discount',
  'customer',
  'shop',
  'balance',
  'point-event',
  'redemption',
] as const satisfies readonly EventKind[];

/** The options that choose dead letters, the same for every command about them. */
function addFilterOptions(command: Command): Command {
  return command
    .optionsGroup('Which dead letters (all that are given must fit):')
    .addOption(new Option('--kind <kind>', 'what the message is about').choices(KINDS))
    .option('--topic <topic>', 'topic of the webhook: orders/updated', notEmpty)
    .option('--shop <domain>', 'example-store.myshopify.com', notEmpty)
    .addOption(queueOption('of this queue'))
    .option('--id <id>', 'of the dead letter, or of what it is about; may be repeated', collect)
    .option('--code <name>', "the loyalty service's error name", notEmpty)
    .addOption(new Option('--reason <reason>', 'why it was given up').choices(DEAD_LETTER_REASONS))
    .option('--text <text>', 'in what the list shows of it', notEmpty)
    .option('--since <when>', 'given up since: 90m, 2h, 3d or 2026-10-05', parseMoment)
    .option('--until <when>', 'given up until', parseMoment)
    .optionsGroup('Options:');
}

/** The filter among all options. */
function filterIn(options: LetterFilter): LetterFilter {
  const { kind, topic, shop, queue, id, code, reason, text, since, until } = options;
  const given = Object.entries({
    ...{ kind, topic, shop, queue, id, code, reason, text, since, until },
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, notEmpty(text)];
}

function notEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
