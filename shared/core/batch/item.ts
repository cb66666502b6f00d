import type { StoreEvent } from '../events/event.ts';
import type { ReceivedMessage } from '../events/queues.ts';
import type { EventReading } from '../sync/store-reader.ts';

/** A message, what it carries, and what that says. */
export interface Item {
  readonly message: ReceivedMessage;
  /** Undefined when not even the envelope could be read. */
  readonly event: StoreEvent | undefined;
  readonly reading: EventReading;
}

/** A readable item. */
export interface Candidate {
  readonly event: StoreEvent;
  readonly reading: Exclude<EventReading, { kind: 'unreadable' }>;
  /**
   * Other snapshots of the entity that wait in the same group and may have been sent already, by a
   * worker that died before it could write that down. The newest first.
   */
  readonly maybeSent?: readonly Extract<EventReading, { kind: 'snapshot' }>[];
}
