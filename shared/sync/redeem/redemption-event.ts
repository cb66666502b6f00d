import type { TracedEvent } from '../traced-event.ts';

/** Asks the worker to see to it that one redemption comes to its end. */
export interface RedemptionEvent extends TracedEvent {
  readonly kind: 'redemption';
  /** The redemption's: each is a group of its own, so that none waits behind another. */
  readonly id: string;
  readonly customerId: string;
  /** Who asks. */
  readonly topic: 'redeem' | 'point-event' | 'operator';
}

/** Resolves only when the queue holds the event. */
export interface RedemptionQueue {
  send(event: RedemptionEvent): Promise<void>;
}
