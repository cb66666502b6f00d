import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Connector } from '../../../shared/config/connector-config.ts';
import type { ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import {
  type EventKind,
  type QueueFamily,
  queueFamilyOf,
} from '../../../shared/core/events/event.ts';
import type { DeadLetterReason } from '../../../shared/core/events/outcome.ts';
import { parseMoment, queueOption } from '../arguments.ts';
import { shellWord } from '../terminal/text.ts';

/** Which dead letters are meant; what is not given matches all. */
export interface LetterFilter {
  readonly kind?: EventKind;
  readonly topic?: string;
  readonly shop?: string;
  readonly queue?: QueueFamily;
  /** Of dead letters, or of what they are about: one of these. */
  readonly id?: readonly string[];
  /** The loyalty service's error name. */
  readonly code?: string;
  readonly reason?: DeadLetterReason;
  /** Stands in what a list shows of the dead letter; in capitals or not. */
  readonly text?: string;
  /** Epoch milliseconds, on the time at which the dead letter was given up. */
  readonly since?: number;
  readonly until?: number;
}

export function matchesFilter(letter: ListedDeadLetter, filter: LetterFilter): boolean {
  const { event, at, letterId } = letter;
  const same = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || wanted === found;
  return (
    same(filter.kind, event?.kind) &&
    same(filter.topic, event?.topic) &&
    same(filter.shop, event?.shop) &&
    same(filter.code, letter.code) &&
    same(filter.reason, letter.reason) &&
    same(filter.queue, letter.family) &&
    (filter.id?.some((id) => [letterId, event?.id].includes(id)) ?? true) &&
    (filter.text === undefined || contains(letter, filter.text)) &&
    at >= (filter.since ?? Number.NEGATIVE_INFINITY) &&
    at <= (filter.until ?? Number.POSITIVE_INFINITY)
  );
}

function contains({ event, why, code, reason }: ListedDeadLetter, text: string): boolean {
  const { shop, kind, id, topic } = event ?? {};
  return [why, code, reason, shop, kind, id, topic].some((part) =>
    part?.toLowerCase().includes(text.toLowerCase()),
  );
}

/** The deployed queues in which such dead letters can be. */
export function familiesOf(
  { kind, queue }: LetterFilter,
  { storefront }: Pick<Connector, 'storefront'>,
): readonly QueueFamily[] {
  const deployed: readonly QueueFamily[] = storefront
    ? [...STORE_QUEUES, 'balances']
    : STORE_QUEUES;
  return deployed.filter(
    (one) =>
      (kind === undefined || one === queueFamilyOf(kind)) && (queue === undefined || one === queue),
  );
}

const STORE_QUEUES = ['orders', 'products', 'coupons'] as const;

/** The filter in the words in which it was given, to be shown and repeated. */
export function describeFilter(filter: LetterFilter): string {
  const words = Object.entries(filter).flatMap(([name, value]) =>
    [value].flat().map((one) => {
      const word = shellWord(typeof one === 'number' ? new Date(one).toISOString() : one);
      return word.startsWith('-') ? `--${name}=${word}` : `--${name} ${word}`;
    }),
  );
  return words.join(' ');
}

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
    .optionsGroup('Which dead letters (all that are given must fit):')
    .addOption(new Option('--kind <kind>', 'what the message is about').choices(KINDS))
    .option('--topic <topic>', 'topic of the webhook: orders/updated', notEmpty)
    .option('--shop <domain>', 'example-store.myshopify.com', notEmpty)
    .addOption(queueOption('of this queue'))
    .option('--id <id>', 'of the dead letter, or of what it is about; may be repeated', collect)
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
