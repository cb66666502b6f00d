import { groupIdOf } from '../events/message-ids.ts';
import type { TracedEvent } from '../events/traced-event.ts';

/** Asks the worker to see to it that one redemption comes to its end. */
export interface RedemptionEvent extends TracedEvent {
  readonly kind: 'redemption';
  readonly id: string;
  readonly customerId: string;
  /** Who asks. */
  readonly topic: 'redeem' | 'point-event' | 'operator';
}

/**
 * A group for each redemption and each who asks. What brings news, an event or a person, must not wait
 * behind the first message, which may rest for minutes on the queue. Work on one redemption may meet: every
 * step is one conditional write, and the store makes a code once.
 */
export function redemptionGroupOf({ shop, kind, id, topic }: RedemptionEvent): string {
  return groupIdOf({ shop, kind, id: `${id}/${topic}` });
}

/** Resolves only when the queue holds the event. */
export interface RedemptionQueue {
  send(event: RedemptionEvent): Promise<void>;
}
