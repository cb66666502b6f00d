import type { AnyQueueFamily, QueueFamily } from './queue-family.ts';
import type { StoreEvent } from './store-event.ts';

/** Why a message is a dead letter; `crashed` is what SQS moved by itself, without a word. */
export const LETTER_REASONS = [
  'unreadable',
  'unmappable',
  'rejected',
  'retry-window-over',
  'crashed',
] as const;

/** A message in a dead-letter queue, in the hands of whoever received it. */
export interface DeadLetter {
  readonly family: AnyQueueFamily;
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Orders the letters of one queue: a later one has a larger number. */
  readonly sequenceNumber: string;
  /** One of `LETTER_REASONS`, or what a newer release wrote. */
  readonly reason: string;
  readonly why: string;
  readonly code: string | undefined;
  /** How often the worker tried; undefined where nobody wrote it down. */
  readonly attempts: number | undefined;
  /** Epoch milliseconds: when it was given up. */
  readonly at: number;
}

interface LetterCounts {
  readonly visible: number;
  /** Received by somebody and not given back yet. */
  readonly inFlight: number;
  /** How long the queue keeps a letter. */
  readonly retentionSeconds: number;
}

/** One dead-letter queue, for a person to go through. */
export interface LetterQueue {
  readonly family: AnyQueueFamily;
  /**
   * Up to ten letters that nobody holds; they stay hidden from everybody else for this long, or until
   * they are given back. Empty only when the queue has none to give.
   */
  receive(hiddenSeconds: number): Promise<readonly DeadLetter[]>;
  /** Puts the letters back exactly as they were. One whose time is over is back already. */
  giveBack(receiptHandles: readonly string[]): Promise<void>;
  /** Rejects when any could not be removed: that one shows itself again when its time is over. */
  remove(receiptHandles: readonly string[]): Promise<void>;
  /** As SQS counts: roughly, and a minute behind at times. */
  counts(): Promise<LetterCounts>;
}

/**
 * An event on its way back. Sent twice under one name within five minutes, it arrives once: the run that
 * was killed between sending and removing a letter can be repeated without a second message.
 */
export interface ReplayedEvent {
  readonly event: StoreEvent;
  readonly name: string;
}

/** Where replayed letters go. */
export interface ReplayQueue {
  /** Up to ten, in this order. Gives the names of those that the queues hold now. */
  send(events: readonly ReplayedEvent[]): Promise<ReadonlySet<string>>;
  /** Messages that wait or are being worked on. */
  depth(family: QueueFamily): Promise<number>;
}
