import type { StoreEvent } from '../events/store-event.ts';
import type { ReconcileWorld } from './reconcile-world.ts';

/**
 * False: this run has sent it already. The walks of one run overlap, and what the first one sent for
 * still waits while the second one looks at it.
 */
export async function sendOnce(
  event: StoreEvent,
  { queue, sent }: Pick<ReconcileWorld, 'queue' | 'sent'>,
): Promise<boolean> {
  if (sent.has(event.deliveryId)) return false;
  await queue.send(event);
  sent.add(event.deliveryId);
  return true;
}
