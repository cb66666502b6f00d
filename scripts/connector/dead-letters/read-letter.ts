import type {
  DeadLetter,
  ListedEvent,
  ListedLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import { isStoreEvent, type QueuedEvent } from '../../../shared/core/events/event.ts';

/** A dead letter and the event in it, as far as this release can read it. */
export interface ReadLetter extends DeadLetter {
  /** Undefined when not even the envelope can be read. */
  readonly event: QueuedEvent | undefined;
  readonly undecodable: string | undefined;
  /** A newer release wrote it: the command of that release can show and replay it. */
  readonly isNewer: boolean;
}

/** What a list shows of it, without the message. */
export function listedOf(letter: ReadLetter): ListedLetter {
  const { letterId, family, reason, why, code, attempts, at, event } = letter;
  return { letterId, family, reason, why, code, attempts, at, event: event && headOf(event) };
}

function headOf(event: QueuedEvent): ListedEvent {
  const { shop, kind, id, topic, receivedAt, replays } = event;
  const triggeredAt = isStoreEvent(event) ? event.triggeredAt : undefined;
  return {
    ...{ shop, kind, id, topic, receivedAt },
    ...(triggeredAt && { triggeredAt }),
    ...(replays && { replays }),
  };
}

export function readLetter(letter: DeadLetter): ReadLetter {
  const decoded = decodeEvent(letter.body);
  return decoded.kind === 'event'
    ? { ...letter, event: decoded.event, undecodable: undefined, isNewer: false }
    : { ...letter, event: undefined, undecodable: decoded.why, isNewer: decoded.kind === 'newer' };
}
