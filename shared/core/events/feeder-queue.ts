import type { StoreEvent } from './store-event.ts';

/** Where a feeder puts many events at once. */
export interface FeederQueue {
  /**
   * Resolves when the queue holds every one of them; rejects when one was not taken, however many were.
   * Sending the same events again within five minutes adds nothing.
   */
  sendAll(events: readonly StoreEvent[]): Promise<void>;
}
