import type { Connector } from '../../../shared/config/connector-config.ts';
import {
  type AnyQueueFamily,
  type QueueFamily,
  queueFamilyOf,
} from '../../../shared/core/events/queue-family.ts';
import type { EventKind } from '../../../shared/core/events/store-event.ts';
import type { ReadLetter } from './read-letter.ts';

/** Which letters are meant; what is not given matches all. */
export interface LetterFilter {
  readonly kind?: EventKind;
  readonly topic?: string;
  readonly shop?: string;
  /** Of the message, or of the order, product, coupon or discount. */
  readonly id?: string;
  /** The loyalty service's error name. */
  readonly code?: string;
  readonly reason?: string;
  /** Epoch milliseconds, on the time at which the letter was given up. */
  readonly since?: number;
  readonly until?: number;
}

export function matchesFilter(letter: ReadLetter, filter: LetterFilter): boolean {
  const { about, at } = letter;
  const same = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || wanted === found;
  return (
    same(filter.kind, about?.kind) &&
    same(filter.topic, about?.topic) &&
    same(filter.shop, about?.shop) &&
    same(filter.code, letter.code) &&
    same(filter.reason, letter.reason) &&
    (filter.id === undefined || filter.id === letter.messageId || filter.id === about?.id) &&
    at >= (filter.since ?? Number.NEGATIVE_INFINITY) &&
    at <= (filter.until ?? Number.POSITIVE_INFINITY)
  );
}

/** The queues in which such letters can be looked at, that of the way back included. */
export function allFamiliesOf(
  filter: LetterFilter,
  { storefront }: Pick<Connector, 'storefront'>,
): readonly AnyQueueFamily[] {
  const families = familiesOf(filter);
  return storefront && filter.kind === undefined ? [...families, 'balances'] : families;
}

/** The queues of the store's events in which such letters can be. */
export function familiesOf({ kind }: LetterFilter): readonly QueueFamily[] {
  return kind === undefined ? ['orders', 'products', 'coupons'] : [queueFamilyOf(kind)];
}

/** The filter in the words in which it was given, to be shown and repeated. */
export function describeFilter(filter: LetterFilter): string {
  const words = Object.entries(filter).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [`--${name} ${typeof value === 'number' ? new Date(value).toISOString() : value}`];
  });
  return words.join(' ');
}
