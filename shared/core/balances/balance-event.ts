import type { PointTopic } from '../../loyalty/point-topics.ts';
import type { TracedEvent } from '../events/traced-event.ts';

/**
 * What a point event left of itself on the way to the worker: whose balance, how much and when. No
 * field of the person but the id.
 */
export interface BalanceEvent extends TracedEvent {
  readonly kind: 'balance';
  /** The customer's id in the store. */
  readonly id: string;
  readonly topic: PointTopic;
  /** Names the topic, the transaction and its moment: the same for every repetition of one delivery. */
  readonly deliveryId: string;
  /** ISO 8601: when the balance was this. */
  readonly eventDate: string;
  /** Exact decimals in plain notation. */
  readonly points: string;
  readonly cashback: string;
  /** The points that a new transaction took; undefined for any other. */
  readonly spent?: string;
}

/** Resolves only when the queue holds the event. */
export interface BalanceQueue {
  send(event: BalanceEvent): Promise<void>;
}
