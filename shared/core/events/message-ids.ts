import { createHash } from 'node:crypto';
import type { EventHead } from './event.ts';

/** SQS, SendMessage: both ids hold 1 to 128 letters, digits and punctuation; a space is neither. */
const ALLOWED_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * One group per entity: one worker at a time works on it, in parallel with every other entity. The text is
 * readable for the operator where SQS allows it, and a hash where it does not (a coupon code may hold any
 * character). The two forms are never equal: only the readable one contains a slash.
 *
 * A redemption has a group for each sender: a point event or an operator must not wait behind the first
 * message, which may be delayed for minutes. Work on one redemption may overlap: every step is one
 * conditional write, and the store makes a code once.
 */
export function groupIdOf(event: Pick<EventHead, 'shop' | 'kind' | 'id' | 'topic'>): string {
  const { shop, kind } = event;
  const id = kind === 'redemption' ? `${event.id}/${event.topic}` : event.id;
  const readable = `${shop}/${kind}/${id}`;
  return ALLOWED_ID.test(readable) ? readable : `sha256:${hashOf([shop, kind, id])}`;
}

/**
 * The same for every retry of one delivery, different for any two deliveries. The sender's event id is
 * left out: all webhooks of one action in the store share it. A replay has its own id: SQS would drop
 * it within five minutes of the first sending, and the letter would be lost.
 */
export function deduplicationIdOf({
  shop,
  topic,
  deliveryId,
  replays,
}: Pick<EventHead, 'shop' | 'topic' | 'deliveryId' | 'replays'>): string {
  const replayed = (replays ?? []).flatMap(({ at, by }) => [at, by]);
  return hashOf([shop, topic, deliveryId, ...replayed]);
}

/**
 * The group id and the deduplication id of a dead letter. A replayed message has a new id, so its
 * second rejection is another letter, while parking the same message again (its deletion failed) stays
 * one letter. Each letter has its own group: one that a caller holds must not hide another.
 */
export function letterIdOf(source: { readonly messageId: string; readonly body: string }): string {
  return source.messageId;
}

/** The id of an event in whose body no entity was found. */
export function hashBody(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** JSON separates the parts even where they hold the separator. */
function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

const AGAIN = '/again/';

/** The same event as a new message, which the queue does not drop as a repetition. */
export function askAgain<Event extends { readonly deliveryId: string }>(
  event: Event,
  now: Date,
): Event {
  return { ...event, deliveryId: `${event.deliveryId}${AGAIN}${now.getTime()}` };
}

/** The first delivery of a balance that was asked for again. */
export function firstDeliveryId({ deliveryId }: { readonly deliveryId: string }): string {
  return deliveryId.split(AGAIN, 1)[0] ?? deliveryId;
}
