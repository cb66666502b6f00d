import type { QueuedEvent, QueueFamily } from './event.ts';

/** Sends each event to the queue of its family. */
export interface EventQueue {
  /** Resolves only when the queue holds the event. */
  send(event: QueuedEvent): Promise<void>;
}

/** An event that a queue refused, with the queue's code for the reason. */
export interface RefusedEvent {
  readonly event: QueuedEvent;
  readonly code: string;
}

/** An event queue for feeders and operators, who send many at once. */
export interface BulkQueue extends EventQueue {
  /**
   * The queues hold all events but the refused ones that it returns. Rejects when a queue cannot be
   * reached, even if some were accepted.
   *
   * Sent twice under one name within five minutes, an event arrives once. Its own name is the same for
   * every repetition of its delivery.
   */
  sendAll(
    events: readonly QueuedEvent[],
    nameOf?: (event: QueuedEvent) => string,
  ): Promise<readonly RefusedEvent[]>;
}

/** How much work is waiting already, as the queue estimates. */
export interface QueueDepth {
  of(family: QueueFamily): Promise<{
    /** Waiting for a worker now. */
    readonly ready: number;
    /** Being worked on, or waiting for its next try. */
    readonly hidden: number;
  }>;
}

/** A message as a worker received it, not checked yet. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** The FIFO group: see `groupIdOf`. */
  readonly groupId: string;
  /** How often it was received, this time included. */
  readonly attempts: number;
  /** Orders the messages of one group: a later one has a larger number. */
  readonly sequenceNumber: string;
}

/** The queue a worker's messages came from. */
export interface SourceQueue {
  /**
   * Hides all these messages for the same time from now, in as few calls as possible.
   * Rejects when any could not be changed: the message then comes back after its old visibility.
   */
  delay(messages: readonly ReceivedMessage[], afterSeconds: number): Promise<void>;
  /** So many messages wait for their next attempt that the queue may soon hand out no others. */
  isCrowded(): Promise<boolean>;
}
