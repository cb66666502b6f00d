import type { EventHead, QueueFamily, StoreEvent } from './event.ts';

/**
 * Why a message is a dead letter. `newer-release`: it, or what the ledger holds, was written by a newer
 * release, which was not deployed within the retry window. `made-room`: its shop was paused or misconfigured, and so
 * many messages waited that other shops would have got none. `crashed`: SQS moved it, because every worker
 * died on it. `unknown`: a newer release wrote a reason that this one does not know.
 */
export const LETTER_REASONS = [
  'unreadable',
  'unmappable',
  'rejected',
  'retry-window-over',
  'newer-release',
  'made-room',
  'crashed',
  'unknown',
] as const;
export type LetterReason = (typeof LETTER_REASONS)[number];

/** Why a worker gave a message up, in fields that a person can filter by. */
export interface DeadLetterReason {
  readonly reason: Exclude<LetterReason, 'crashed' | 'unknown'>;
  /** One plain sentence without personal data. */
  readonly why: string;
  /** The loyalty service's error name, where there is one. */
  readonly code?: string;
  readonly attempts: number;
  /** ISO 8601. */
  readonly at: string;
}

/** How long a dead letter waits: the longest that SQS keeps a message. */
export const DEAD_LETTER_DAYS = 14;

/** Where the rejected messages of one queue wait for a person. `source` is the message exactly as it was received. */
export interface DeadLetters {
  readonly family: QueueFamily;
  park(
    source: { readonly messageId: string; readonly body: string },
    reason: DeadLetterReason,
  ): Promise<void>;
}

/** What a letter says of itself, also where its message cannot be read. */
export interface LetterFacts {
  /** See `letterIdOf`; of a letter that SQS moved, the id of its message. */
  readonly letterId: string;
  readonly family: QueueFamily;
  readonly reason: LetterReason;
  readonly why: string;
  readonly code: string | undefined;
  /** How often the worker tried; undefined where it was not recorded. */
  readonly attempts: number | undefined;
  /** Epoch milliseconds: when it was given up. */
  readonly at: number;
}

/** What is known of a letter without its message. */
export interface ListedLetter extends LetterFacts {
  /** Undefined: its envelope cannot be read. */
  readonly event: ListedEvent | undefined;
}

/** What a list shows of an event. */
export interface ListedEvent
  extends Pick<EventHead, 'shop' | 'kind' | 'id' | 'topic' | 'receivedAt' | 'replays'>,
    Pick<StoreEvent, 'triggeredAt'> {}

/** A message in a dead-letter queue, held by the caller that received it. */
export interface DeadLetter extends LetterFacts {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Orders the letters of one queue: a later one has a larger number. */
  readonly sequenceNumber: string;
}

interface LetterCounts {
  readonly visible: number;
  /** Received by a caller and not given back yet. */
  readonly inFlight: number;
  /** How long the queue keeps a letter. */
  readonly retentionSeconds: number;
}

/** One dead-letter queue, for a person to go through. */
export interface LetterQueue {
  readonly family: QueueFamily;
  /**
   * Up to ten letters that no other caller holds; they stay hidden from all others for this long, or
   * until they are given back. Empty only when the queue has none to give.
   */
  receive(hiddenSeconds: number): Promise<readonly DeadLetter[]>;
  /** Puts the letters back exactly as they were. One whose hiding time is over is back already. */
  giveBack(receiptHandles: readonly string[]): Promise<void>;
  /** Rejects when any could not be removed: that one returns when its hiding time is over. */
  remove(receiptHandles: readonly string[]): Promise<void>;
  /** Approximate, as SQS counts: at times a minute late. */
  counts(): Promise<LetterCounts>;
}
