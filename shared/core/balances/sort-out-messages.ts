import type { Rejection } from '../batch/outcome.ts';
import { type ParkingWorld, parkMessage } from '../batch/park-message.ts';
import { firstDeliveryId } from '../events/ask-again.ts';
import type { DecodedEvent } from '../events/decode-event.ts';
import type { BalanceEvent } from '../events/event.ts';
import { groupIdOf } from '../events/message-ids.ts';
import type { ReceivedMessage, TracedMessage } from '../events/queues.ts';
import type { RecordKey } from '../ledger/ledger-key.ts';
import { isFromTheFuture } from './decide-balance.ts';

interface BalanceMessage {
  readonly message: ReceivedMessage;
  readonly event: BalanceEvent;
}

/** All that came at once about one customer. The newest is what counts; the others leave with it. */
export interface CustomerWork {
  readonly key: RecordKey<'customer'>;
  readonly newest: BalanceEvent;
  /** The newest first. */
  readonly messages: readonly [BalanceMessage, ...BalanceMessage[]];
  /** The events with the newest one's date, itself first. */
  readonly moment: readonly [BalanceEvent, ...BalanceEvent[]];
}

export interface SortingWorld {
  readonly decode: (text: string) => DecodedEvent;
  readonly knowsShop: (shop: string) => boolean;
}

export interface SortedMessages {
  readonly works: readonly CustomerWork[];
  /** Groups of which a letter could not be parked: all that is left of them waits. */
  readonly stuck: readonly (readonly TracedMessage[])[];
}

/** Parks what cannot be used and orders the rest by customer and date. */
export async function sortOutMessages(
  messages: readonly ReceivedMessage[],
  world: ParkingWorld & SortingWorld,
): Promise<SortedMessages> {
  const works: CustomerWork[] = [];
  const stuck: TracedMessage[][] = [];
  const read = messages.map((message) => ({ message, decoded: world.decode(message.body) }));
  for (const group of Map.groupBy(read, customerOf).values()) {
    const usable: BalanceMessage[] = [];
    const unparked: TracedMessage[] = [];
    for (const { message, decoded } of group) {
      const event = balanceIn(decoded);
      const rejection = faultOf(decoded, world.knowsShop);
      if (!rejection && event) usable.push({ message, event });
      else if (rejection && !(await parkMessage({ message, event }, rejection, world))) {
        unparked.push({ message, event });
      }
    }
    const [newest, ...older] = newestFirst(usable);
    if (unparked.length > 0) stuck.push([...usable, ...unparked]);
    else if (newest) works.push(workOn([newest, ...older]));
  }
  return { works, stuck };
}

/** Not the message's own group: a letter that was sent back has the one of the dead-letter queue. */
function customerOf({ message, decoded }: { message: ReceivedMessage; decoded: DecodedEvent }) {
  return decoded.kind === 'event' ? groupIdOf(decoded.event) : message.groupId;
}

function workOn(messages: CustomerWork['messages']): CustomerWork {
  const [{ event: newest }, ...older] = messages;
  const sameDate = older.filter(({ event }) => dateOf(event) === dateOf(newest));
  return {
    key: { shop: newest.shop, kind: 'customer', id: newest.id },
    newest,
    messages,
    moment: [newest, ...sameDate.map(({ event }) => event)],
  };
}

function balanceIn(decoded: DecodedEvent): BalanceEvent | undefined {
  return decoded.kind === 'event' && decoded.event.kind === 'balance' ? decoded.event : undefined;
}

function faultOf(
  decoded: DecodedEvent,
  knowsShop: (shop: string) => boolean,
): Rejection | undefined {
  if (decoded.kind === 'unreadable') return { reason: 'unreadable', why: decoded.why };
  const event = balanceIn(decoded);
  if (!event) return { reason: 'unreadable', why: 'it belongs on another queue' };
  if (!knowsShop(event.shop)) {
    return { reason: 'unreadable', why: 'the shop is not in the settings of the storefront' };
  }
  if (!isFromTheFuture(event)) return undefined;
  const minutes = Math.round((dateOf(event) - Date.parse(event.receivedAt)) / 60_000);
  return {
    reason: 'rejected',
    why: `its EventDate lies ${minutes} minutes after its arrival and would keep true events out: see whether the loyalty service's clock or time zone is wrong`,
  };
}

/** By date; within one date by arrival, where a repetition counts as having come with the first. */
function newestFirst(messages: readonly BalanceMessage[]): BalanceMessage[] {
  const arrivals = new Map<string, bigint>();
  for (const { message, event } of messages) {
    const arrival = BigInt(message.sequenceNumber);
    const known = arrivals.get(firstDeliveryId(event));
    if (known === undefined || arrival < known) arrivals.set(firstDeliveryId(event), arrival);
  }
  const arrivalOf = ({ event }: BalanceMessage) => arrivals.get(firstDeliveryId(event)) ?? 0n;
  return messages.toSorted((a, b) => {
    const byDate = dateOf(b.event) - dateOf(a.event);
    return byDate === 0 ? Number(arrivalOf(b) - arrivalOf(a)) : byDate;
  });
}

const dateOf = ({ eventDate }: BalanceEvent): number => Date.parse(eventDate);
