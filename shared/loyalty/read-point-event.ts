import * as v from 'valibot';
import { isObject, type JsonObject } from './payload.ts';

/** What the connector uses of a point event. Nothing of the person but their id. */
interface PointEvent {
  /** The service's own id of the transaction. */
  readonly pointId: string;
  /** ISO 8601 in UTC. */
  readonly eventDate: string;
  /** The customer's id in the merchant's store, when the event names one. */
  readonly customerId: string | undefined;
  /** What the transaction took from the customer; undefined for one that took nothing. */
  readonly spent: number | undefined;
  /** After the transaction. */
  readonly balance: { readonly points: number; readonly cashback: number };
}

export type ReadPointEvent =
  | { readonly kind: 'event'; readonly event: PointEvent }
  /** `field` is a name of the contract, never a value. */
  | { readonly kind: 'not-the-contract'; readonly field: string };

const number = v.pipe(v.number(), v.finite());

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/;
const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/;

/** Without a zone it is taken for UTC, whatever zone the machine is in. */
const dateTime = v.pipe(
  v.string(),
  v.regex(DATE_TIME),
  v.transform((text) => new Date(HAS_ZONE.test(text) ? text : `${text}Z`)),
  v.check((date) => Number.isFinite(date.getTime())),
  v.transform((date) => date.toISOString()),
);

/**
 * `PointEvent` of openapi.yaml. Fields that it does not have are let through: it may grow. What is not
 * required may be null as well as absent: an event refused for an unused field would be lost.
 */
const pointEvent = v.object({
  Points: number,
  PointType: number,
  PointAction: number,
  Customer: v.custom<JsonObject>(isObject),
  PointsBalance: v.object({ PointsBalance: number, CashbackBalance: number }),
  Cashback: v.nullish(number),
  ValidDate: v.nullish(dateTime),
  ValidDateFormatted: v.nullish(v.string()),
  PointId: number,
  EventDate: dateTime,
  Origins: v.array(v.object({ PointId: number, UsedPoints: number, UsedCashback: number })),
});

/**
 * `customerIdIn` names the field of `Customer` with the id in the store: on some platforms it is not
 * `Id`. Deliveries are wrapped (`PointDelivery`); a subscription can be set to send the payload bare.
 */
export function readPointEvent(value: unknown, customerIdIn: string): ReadPointEvent {
  const payload = isObject(value) && isObject(value.Payload) ? value.Payload : value;
  const parsed = v.safeParse(pointEvent, payload, { abortEarly: true });
  if (!parsed.success) {
    return { kind: 'not-the-contract', field: v.getDotPath(parsed.issues[0]) ?? 'body' };
  }
  const { Points, PointId, EventDate, Customer, PointsBalance } = parsed.output;
  const given = Object.hasOwn(Customer, customerIdIn) ? Customer[customerIdIn] : undefined;
  return {
    kind: 'event',
    event: {
      pointId: String(PointId),
      eventDate: EventDate,
      customerId: customerIdOf(given),
      spent: Points < 0 ? -Points : undefined,
      balance: { points: PointsBalance.PointsBalance, cashback: PointsBalance.CashbackBalance },
    },
  };
}

/** A number beyond 2^53 was rounded when it was parsed, and would name another customer. */
function customerIdOf(given: unknown): string | undefined {
  if (typeof given === 'number' && Number.isSafeInteger(given)) return String(given);
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined;
}
