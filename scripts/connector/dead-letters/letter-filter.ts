import type { Connector } from '../../../shared/config/connector-config.ts';
import type { ListedLetter } from '../../../shared/core/batch/dead-letter.ts';
import {
  type EventKind,
  type QueueFamily,
  queueFamilyOf,
} from '../../../shared/core/events/event.ts';
import type { LetterReason } from '../../../shared/core/events/outcome.ts';
import { shellWord } from '../terminal/text.ts';

/** Which letters are meant; what is not given matches all. */
export interface LetterFilter {
  readonly kind?: EventKind;
  readonly topic?: string;
  readonly shop?: string;
  readonly queue?: QueueFamily;
  /** Of letters, or of what they are about: one of these. */
  readonly id?: readonly string[];
  /** The loyalty service's error name. */
  readonly code?: string;
  readonly reason?: LetterReason;
  /** Stands in what a list shows of the letter; in capitals or not. */
  readonly text?: string;
  /** Epoch milliseconds, on the time at which the letter was given up. */
  readonly since?: number;
  readonly until?: number;
}

export function matchesFilter(letter: ListedLetter, filter: LetterFilter): boolean {
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

function contains({ event, why, code, reason }: ListedLetter, text: string): boolean {
  const { shop, kind, id, topic } = event ?? {};
  return [why, code, reason, shop, kind, id, topic].some((part) =>
    part?.toLowerCase().includes(text.toLowerCase()),
  );
}

/** The deployed queues in which such letters can be. */
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
