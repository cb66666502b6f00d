import type { DeadLetter } from '../../../shared/sync/dead-letter.ts';
import { decodeEvent } from '../../../shared/sync/event-envelope.ts';
import type { StoreEvent } from '../../../shared/sync/store-event.ts';

/** A dead letter and the event in it, as far as this release can read it. */
export interface ReadLetter extends DeadLetter {
  /** Undefined when not even the envelope can be read; `why` then says it too. */
  readonly event: StoreEvent | undefined;
  readonly undecodable: string | undefined;
}

export function readLetter(letter: DeadLetter): ReadLetter {
  const decoded = decodeEvent(letter.body);
  return decoded.kind === 'event'
    ? { ...letter, event: decoded.event, undecodable: undefined }
    : { ...letter, event: undefined, undecodable: decoded.why };
}
