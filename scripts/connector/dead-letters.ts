import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEAD_LETTER_REASONS } from '../../shared/core/events/outcome.ts';
import type { LetterFilter } from './ground/letters/read-letters.ts';
import { EVENT_KINDS, parseMoment, queueOption, wholeNumber } from './ground/session/arguments.ts';
import { ANY_SHOP, declare } from './ground/session/run-action.ts';
import type { ListOptions } from './look/list-letters.ts';
import type { DropOptions, ReplayOptions } from './repair/change-letters.ts';

export function registerDeadLetters(program: Command): void {
  const group = declare(program, 'dead-letters', {
    summary: 'list, scan, show, replay and drop what could not be delivered',
    description:
      'What could not be delivered is kept in a dead-letter queue with its reason, until you decide.',
    examples: `\
  npx loyalty-connector dead-letters list --reason rejected
  npx loyalty-connector dead-letters list --text '#1007'
  npx loyalty-connector dead-letters scan
  npx loyalty-connector dead-letters show 5512345678901
  npx loyalty-connector dead-letters replay --reason rejected --limit 1 --wait --yes
  npx loyalty-connector dead-letters drop --text '#1007' --because "a test of the till"
`,
  });

  const list = declare<LetterFilter & ListOptions>(group, 'list', {
    summary: 'list them by cause, and what to do about each',
    description:
      'Shows all dead letters by cause, with the commands that send or drop them, and when the oldest expires. It reads the summaries that workers write and changes nothing; scan corrects a list that differs from the queues.',
    async run() {
      const { listLetters } = await import('./look/list-letters.ts');
      return (session, options) => listLetters(session, filterIn(options), options);
    },
  });
  addFilterOptions(list).option(
    '--limit <n>',
    'also show this many one by one, the newest first',
    wholeNumber(1, 100_000),
  );

  declare(group, 'scan', {
    summary: 'correct the list from the queues',
    description:
      'Receives every dead letter and puts it back: adds what the list lacks, and removes what no queue has. While it runs, others cannot receive the dead letters. It is recorded, because it writes.',
    run: async () => (await import('./look/list-letters.ts')).scanCommand,
  });

  declare<{ readonly reveal?: boolean }>(group, 'show', {
    summary: 'one dead letter: its reason, and what to do about it',
    description:
      'Shows why it failed and when it expires, or how it left the queue. "trace" shows what would be sent now.',
    async run() {
      const { showLetter } = await import('./look/show-letter.ts');
      return (session, options, id = '') => showLetter(session, id, options);
    },
  })
    .argument(
      '<id>',
      'its id, or what it is about: the number of an order, a code, or the id of a product, customer or redemption',
    )
    .option('--reveal', 'show the body, people included; this is recorded');

  const replay = declare<LetterFilter & ReplayOptions>(group, 'replay', {
    summary: 'send dead letters again, after showing which',
    description:
      'Sends the listed dead letters back to their queues. Also those delivered since: their worker finds nothing to do. Without --yes it shows which, and asks. Where a stored body cannot be used, the worker asks the store. It can be interrupted at any time and run again: a dead letter is removed only once its queue holds the message.',
    async run() {
      const { replayCommand } = await import('./repair/change-letters.ts');
      return (session, options) => replayCommand(session, filterIn(options), options);
    },
  });
  addFilterOptions(replay)
    .option('--yes', 'do it without asking; a script needs it')
    .option('--limit <n>', 'send at most this many, the oldest first', wholeNumber(1, 1_000_000))
    .option('--wait', 'wait until each is delivered or refused, or a pause or an outage holds it');

  const drop = declare<LetterFilter & DropOptions>(group, 'drop', {
    summary: 'remove dead letters, after showing which',
    description:
      'Removes dead letters that are no longer needed. Without --yes it shows which, and asks. No copy is kept: "resend" sends what the store has. At least one filter is required.',
    async run() {
      const { dropCommand } = await import('./repair/change-letters.ts');
      return (session, options) => dropCommand(session, filterIn(options), options);
    },
  });
  addFilterOptions(drop)
    .requiredOption('--because <reason>', 'why, for whoever comes next', because)
    .option('--yes', 'do it without asking');
}

/** The options that choose dead letters, the same for every command about them. */
function addFilterOptions(command: Command): Command {
  return command
    .optionsGroup('Which dead letters (all given filters must match):')
    .addOption(new Option('--kind <kind>', 'what the message is about').choices(EVENT_KINDS))
    .option(...ANY_SHOP)
    .addOption(queueOption('of this queue'))
    .option('--id <id>', 'of the dead letter or of what it is about; may be repeated', collect)
    .option('--code <name>', "the loyalty service's error name", notEmpty)
    .addOption(new Option('--reason <reason>', 'why it failed').choices(DEAD_LETTER_REASONS))
    .option('--text <text>', 'in what the list shows, such as the name of an order', notEmpty)
    .addOption(
      new Option('--delivered <which>', 'only those delivered later, or not').choices([
        'yes',
        'no',
      ]),
    )
    .option('--since <when>', 'given up since: 90m, 2h, 3d or 2026-10-05', (text) =>
      parseMoment(text),
    )
    .option('--until <when>', 'given up until', (text) => parseMoment(text))
    .optionsGroup('Options:');
}

function filterIn(options: LetterFilter): LetterFilter {
  const { kind, shop, queue, id, code, reason, text, delivered, since, until } = options;
  const all = { kind, shop, queue, id, code, reason, text, delivered, since, until };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, notEmpty(text)];
}

function notEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** In a suggested line, `<reason for dropping>` stands for the reason. */
function because(text: string): string {
  if (!/^<.*>$/.test(text)) return notEmpty(text);
  throw new InvalidArgumentError('Give a reason.');
}
