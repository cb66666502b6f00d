const AGAIN = '/again/';

/** The same event as a message of its own, which the queue does not take for a repetition. */
export function askAgain<Event extends { readonly deliveryId: string }>(
  event: Event,
  now: Date,
): Event {
  return { ...event, deliveryId: `${event.deliveryId}${AGAIN}${now.getTime()}` };
}

/** The delivery that a balance came with, however often it was asked for again. */
export function firstDeliveryId({ deliveryId }: { readonly deliveryId: string }): string {
  return deliveryId.split(AGAIN, 1)[0] ?? deliveryId;
}
