import { createHash } from 'node:crypto';
import type { EventHead } from './event.ts';

/** SQS, SendMessage: both ids hold 1 to 128 letters, digits and punctuation; a space is neither. */
const ALLOWED_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * One entity, one group: never worked on twice at once, in parallel with every other. The text stays
 * readable for the operator where SQS allows it; a hash stands in where it does not (a coupon code
 * may hold any character). The two forms never meet: only the readable one contains a slash.
 *
 * A redemption has a group for each who asks: what brings news, an event or a person, must not wait
 * behind the first message, which may rest for minutes on the queue. Work on one redemption may overlap:
 * every step is one conditional write, and the store makes a code once.
 */
export function groupIdOf(event: Pick<EventHead, 'shop' | 'kind' | 'id' | 'topic'>): string {
  const { shop, kind } = event;
  const id = kind === 'redemption' ? `${event.id}/${event.topic}` : event.id;
  const readable = `${shop}/${kind}/${id}`;
  return ALLOWED_ID.test(readable) ? readable : `sha256:${hashOf([shop, kind, id])}`;
}

/**
 * The same for every retry of one delivery, different for any two deliveries. The shop's action id is
 * left out: it is shared by all topics an action fires. A replay is a delivery of its own, or one
 * within five minutes of the first sending would be swallowed and the letter lost.
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
 * Of a dead letter, both its group and its deduplication. A replayed message has a new id, so its second
 * rejection is a letter of its own, while parking the same message again (its deletion failed) stays one
 * letter. Its own group: one letter in somebody's hands must not hide another.
 */
export function letterIdOf(source: { readonly messageId: string; readonly body: string }): string {
  return source.messageId;
}

/** The id of an event in whose body no entity was found. */
export function hashBody(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** JSON keeps the parts apart whatever characters they hold. */
function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
