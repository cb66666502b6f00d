import type { PointTopic } from '../../../shared/loyalty/operations.ts';

/**
 * A change of points to tell about, as the program writes it and as the sender marks it.
 *
 *   (no delivery) ──▶ pending ──▶ delivered
 *         │              └──────▶ undelivered   after the last attempt
 *         └──▶ not-sent                         no active subscription for its topic
 */
export interface PointEvent {
  readonly id: string;
  readonly topic: PointTopic;
  readonly payload: unknown;
  readonly delivery?: Delivery;
}

export interface Delivery {
  readonly state: 'pending' | 'delivered' | 'undelivered' | 'not-sent';
  readonly attempts: number;
  /** When the last attempt ended. */
  readonly at?: string;
  /** What was wrong with the last attempt. */
  readonly problem?: string;
  /** The subscriptions that need no further attempt while others do. */
  readonly takenBy?: readonly string[];
}

/** Events of one customer are sent one after the other; those of others need not wait for them. */
export function customerOf(event: PointEvent): string {
  const customer = (event.payload as { readonly Customer?: Record<string, unknown> }).Customer;
  return String(customer?.Id ?? customer?.Email ?? '');
}
