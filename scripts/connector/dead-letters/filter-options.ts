import { type Command, InvalidArgumentError, Option } from 'commander';
import type { EventKind } from '../../../shared/core/events/event.ts';
import { parseMoment } from '../arguments.ts';
import { queueOption } from '../pause/command.ts';
import type { LetterFilter } from './letter-filter.ts';

// Spelled out here so that --help loads nothing of the connector; a test compares them.
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
export const REASONS = [
  'unreadable',
  'unmappable',
  'rejected',
  'retry-window-over',
  'newer-release',
  'made-room',
  'crashed',
  'unknown',
];

/** The options that choose dead letters, the same for every command about them. */
export function addFilterOptions(command: Command): Command {
  return command
    .optionsGroup('Which letters (all that are given must fit):')
    .addOption(new Option('--kind <kind>', 'what the message is about').choices(KINDS))
    .option('--topic <topic>', 'topic of the webhook: orders/updated', notEmpty)
    .option('--shop <domain>', 'example-store.myshopify.com', notEmpty)
    .addOption(queueOption('of this queue'))
    .option('--id <id>', 'of the letter, or of what it is about; may be repeated', collect)
    .option('--code <name>', "the loyalty service's error name", notEmpty)
    .addOption(new Option('--reason <reason>', 'why it was given up').choices(REASONS))
    .option('--text <text>', 'in what the list shows of it', notEmpty)
    .option('--since <when>', 'given up since: 90m, 2h, 3d or 2026-10-05', (text) =>
      parseMoment(text),
    )
    .option('--until <when>', 'given up until', (text) => parseMoment(text))
    .optionsGroup('Options:');
}

/** The filter among all options. */
export function filterIn(options: LetterFilter): LetterFilter {
  const { kind, topic, shop, queue, id, code, reason, text, since, until } = options;
  const given = Object.entries({
    ...{ kind, topic, shop, queue, id, code, reason, text, since, until },
  });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, notEmpty(text)];
}

export function notEmpty(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}
