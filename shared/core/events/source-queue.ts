/** A message as a worker got it, before anything in it is believed. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** FIFO group: one entity. */
  readonly groupId: string;
  /** How often it was handed out, this time included. */
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
}
