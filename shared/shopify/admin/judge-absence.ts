import type { StoreAnswer } from '../../core/sync/store-reader.ts';
import { failure, unavailable } from './client/admin-answer.ts';
import type { Ask } from './client/admin-client.ts';
import { seesAllOrders } from './find-absent.ts';

/** What the asker knows of an order besides its id. */
export interface OrderEvidence {
  /** The store itself has announced the deletion, in a signed body of that shape. */
  readonly deletionAnnounced?: boolean | undefined;
}

/**
 * What it means that the store has no such order.
 *
 * Without `read_all_orders` an app sees the last sixty days only (Shopify, "Order"), and an older order
 * looks exactly like a deleted one. Whatever is told as gone is cancelled in the loyalty service, so
 * gone is said only on proof: the app may see all orders, or the store announced the deletion. No
 * date helps: what counts is the order's creation, which nothing that only knows its id can tell.
 */
export async function judgeAbsence(
  ask: Ask,
  { deletionAnnounced = false }: OrderEvidence,
): Promise<StoreAnswer<never>> {
  if (deletionAnnounced) return { kind: 'gone' };
  const answer = await seesAllOrders(ask);
  if (answer.kind !== 'found') return answer;
  return answer.value
    ? { kind: 'gone' }
    : unavailable(failure('order-not-visible', { scope: 'read_all_orders' }));
}
