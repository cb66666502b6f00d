import type { BalanceEvent } from './balance-event.ts';

const AGAIN = '/again/';

/** The same event as a message of its own, which the queue does not take for a repetition. */
export function askAgain(event: BalanceEvent, now: Date): BalanceEvent {
  return { ...event, deliveryId: `${firstDeliveryId(event)}${AGAIN}${now.getTime()}` };
}

/** The delivery that an event came with, however often it was asked for again. */
export function firstDeliveryId({ deliveryId }: BalanceEvent): string {
  return deliveryId.split(AGAIN, 1)[0] ?? deliveryId;
}
