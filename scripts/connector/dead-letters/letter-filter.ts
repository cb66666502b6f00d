import type { Connector } from '../../../shared/config/connector-config.ts';
import type { LetterReason } from '../../../shared/core/events/dead-letter.ts';
import {
  type EventKind,
  type QueueFamily,
  queueFamilyOf,
} from '../../../shared/core/events/event.ts';
import { shellWord } from '../terminal/text.ts';
import type { ReadLetter } from './read-letter.ts';

/** Which letters are meant; what is not given matches all. */
export interface LetterFilter {
  readonly kind?: EventKind;
  readonly topic?: string;
  readonly shop?: string;
  /** Of the message, or of what it is about. */
  readonly id?: string;
  /** The loyalty service's error name. */
  readonly code?: string;
  readonly reason?: LetterReason;
  /** Epoch milliseconds, on the time at which the letter was given up. */
  readonly since?: number;
  readonly until?: number;
}

export function matchesFilter(letter: ReadLetter, filter: LetterFilter): boolean {
  const { event, at } = letter;
  const same = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || wanted === found;
  return (
    same(filter.kind, event?.kind) &&
    same(filter.topic, event?.topic) &&
    same(filter.shop, event?.shop) &&
    same(filter.code, letter.code) &&
    same(filter.reason, letter.reason) &&
    (filter.id === undefined || filter.id === letter.messageId || filter.id === event?.id) &&
    at >= (filter.since ?? Number.NEGATIVE_INFINITY) &&
    at <= (filter.until ?? Number.POSITIVE_INFINITY)
  );
}

/** The deployed queues in which such letters can be. */
export function familiesOf(
  { kind }: LetterFilter,
  { storefront }: Pick<Connector, 'storefront'>,
): readonly QueueFamily[] {
  const deployed: readonly QueueFamily[] = storefront
    ? [...STORE_QUEUES, 'balances']
    : STORE_QUEUES;
  return kind === undefined ? deployed : deployed.filter((one) => one === queueFamilyOf(kind));
}

const STORE_QUEUES = ['orders', 'products', 'coupons'] as const;

/** The filter in the words in which it was given, to be shown and repeated. */
export function describeFilter(filter: LetterFilter): string {
  const words = Object.entries(filter).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const word = shellWord(typeof value === 'number' ? new Date(value).toISOString() : value);
    return [word.startsWith('-') ? `--${name}=${word}` : `--${name} ${word}`];
  });
  return words.join(' ');
}
