import type { ReceivedMessage } from './source-queue.ts';

/** What every event on a queue has, whoever told it: by what it is found, counted and aged. */
export interface TracedEvent {
  readonly shop: string;
  readonly kind: string;
  /** The id of what it is about. */
  readonly id: string;
  readonly topic: string;
  readonly deliveryId: string;
  /** ISO 8601: when the connector accepted it. */
  readonly receivedAt: string;
  readonly replays?: readonly { readonly at: string; readonly by: string }[];
}

/** A message, and its event unless not even the envelope could be read. */
export interface TracedMessage {
  readonly message: ReceivedMessage;
  readonly event: TracedEvent | undefined;
}
