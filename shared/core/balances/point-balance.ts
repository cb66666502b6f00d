import { type NamedCustomer, readPointEvent } from '../../loyalty/read-point-event.ts';
import type { BalanceEvent } from '../events/event.ts';
import { decimalText } from './decimal-text.ts';

/** What a point event says of a balance, for any customer. */
type SaidBalance = Pick<BalanceEvent, 'topic' | 'deliveryId' | 'eventDate' | 'points' | 'cashback'>;

/** How a customer is named whose id in the store is not known. */
export type Person = Pick<NamedCustomer, 'email' | 'document'>;

export type PointBalance =
  | { readonly kind: 'of-customer'; readonly customerId: string; readonly said: SaidBalance }
  | { readonly kind: 'of-person'; readonly person: Person; readonly said: SaidBalance }
  /** `why` names fields of the contract, never a value. */
  | { readonly kind: 'unreadable'; readonly why: string };

/** An event of the contract has a hundredth of this; a customer object may be large. */
export const MOST_BYTES = 65_536;

/** `customerIdIn`: the field of an event's customer with the id in the store. */
export function readPointBalance(body: Uint8Array, customerIdIn: string): PointBalance {
  if (body.byteLength > MOST_BYTES) return unreadable(`it is larger than ${MOST_BYTES} bytes`);
  const json = parse(body);
  if (json === undefined) return unreadable('it is not JSON');
  const read = readPointEvent(json, customerIdIn);
  if (read.kind === 'not-the-contract') return unreadable(`${read.field} is missing or unusable`);
  const { event } = read;
  const points = decimalText(event.balance.points);
  const cashback = decimalText(event.balance.cashback);
  if (points === undefined || cashback === undefined) {
    return unreadable('PointsBalance holds a number that no store can keep');
  }
  const topic = event.topic ?? 'unnamed';
  const said: SaidBalance = {
    topic,
    deliveryId: `${topic}/${event.pointId}/${event.eventDate}`,
    eventDate: event.eventDate,
    points,
    cashback,
  };
  const { ids, email, document } = event.customer;
  const customerId = ids.find(
    (id) => isStoreId(id) && (email === undefined || !isLikeDocument(id)),
  );
  if (customerId !== undefined) return { kind: 'of-customer', customerId, said };
  if (email !== undefined || document !== undefined) {
    return { kind: 'of-person', person: { email, document }, said };
  }
  return unreadable('Customer has neither the id of the store nor an e-mail or document');
}

/** Undefined for what is no JSON: the parser's error would quote the body. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/**
 * The service documents that `Id` may be the document, and a Brazilian one has 11 or 14 digits. With an
 * e-mail there is a surer way to the customer, which does not take a person's document for an id.
 */
const isLikeDocument = (id: string): boolean => /^(?:\d{11}|\d{14})$/.test(id);

/** The store's ids are signed numbers of 64 bits. */
const LARGEST_ID = 2n ** 63n - 1n;

/** The store would refuse any other id, and with it everything written in the same call. */
export function isStoreId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= LARGEST_ID;
}

function unreadable(why: string): PointBalance {
  return { kind: 'unreadable', why: `the point event cannot be used: ${why}` };
}
