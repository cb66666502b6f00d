import * as v from 'valibot';
import { isObject, type JsonObject, type PointTopic, pointTopics } from './operations.ts';

interface PointEvent {
  /** Undefined where the delivery does not name it: a bare payload, or a number alone. */
  readonly topic: PointTopic | undefined;
  /** The service's own id of the transaction. */
  readonly pointId: string;
  /** ISO 8601 in UTC. */
  readonly eventDate: string;
  readonly customer: NamedCustomer;
}

export interface NamedCustomer {
  /** What may be the id in the store, the likeliest first. */
  readonly ids: readonly string[];
  readonly email: string | undefined;
  /** As the service wrote it, with its punctuation. */
  readonly document: string | undefined;
}

type ReadPointEvent =
  | { readonly kind: 'event'; readonly event: PointEvent }
  /** `field` is a name of the contract, never a value. */
  | { readonly kind: 'not-the-contract'; readonly field: string };

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/;
const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/;

/** Without a zone it is taken for UTC, also on a machine in another zone. */
const dateTime = v.pipe(
  v.string(),
  v.regex(DATE_TIME),
  v.transform((text) => new Date(HAS_ZONE.test(text) ? text : `${text}Z`)),
  v.check((date) => Number.isFinite(date.getTime())),
  v.transform((date) => date.toISOString()),
);

/**
 * Of `PointEvent` in openapi.yaml only what is used: a subscription can change its payload, and an event
 * refused for an unused field would be lost.
 */
const pointEvent = v.object({
  Customer: v.custom<JsonObject>(isObject),
  PointId: v.pipe(v.number(), v.finite()),
  EventDate: dateTime,
});

/**
 * `customerIdIn` names the field of `Customer` with the id in the store: on some platforms it is not
 * `Id`. Deliveries are wrapped (`PointDelivery`); a subscription can be set to send the payload bare.
 */
export function readPointEvent(value: unknown, customerIdIn: string): ReadPointEvent {
  const isWrapped = isObject(value) && isObject(value.Payload);
  const parsed = v.safeParse(pointEvent, isWrapped ? value.Payload : value, { abortEarly: true });
  if (!parsed.success) {
    return { kind: 'not-the-contract', field: v.getDotPath(parsed.issues[0]) ?? 'body' };
  }
  const { PointId, EventDate, Customer } = parsed.output;
  return {
    kind: 'event',
    event: {
      topic: isWrapped ? topicOf(value) : undefined,
      pointId: String(PointId),
      eventDate: EventDate,
      customer: customerOf(Customer, customerIdIn),
    },
  };
}

/** An older form has a number as `Topic`, and the name beside it. */
function topicOf({ Topic, TopicName }: JsonObject): PointTopic | undefined {
  return pointTopics.find((one) => one === TopicName) ?? pointTopics.find((one) => one === Topic);
}

/** Depending on the platform, the id is null, the e-mail or the document. */
function customerOf(customer: JsonObject, idIn: string): NamedCustomer {
  const field = (name: string) =>
    Object.hasOwn(customer, name) ? textOf(customer[name]) : undefined;
  const ids = [field(idIn), field('OriginalId')].filter((id) => id !== undefined);
  const document = field('Document');
  const plain = plainDocument(document);
  return {
    ids: ids.filter((id) => !id.includes('@') && plainDocument(id) !== plain),
    email: [field('Email'), ...ids].find((text) => text?.includes('@')),
    document: plain === undefined ? undefined : document,
  };
}

/** Documents come with and without punctuation. */
export function plainDocument(text: string | undefined): string | undefined {
  return text?.replace(/[^\dA-Za-z]/g, '').toUpperCase() || undefined;
}

/** A number beyond 2^53 was rounded when it was parsed, and would name another customer. */
function textOf(given: unknown): string | undefined {
  if (typeof given === 'number' && Number.isSafeInteger(given)) return String(given);
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined;
}
