import { errorFields, type Telemetry } from '../batch/telemetry.ts';
import type { BalanceRequest } from '../events/event.ts';
import type { TimedCache } from './timed-cache.ts';

export interface ReadingWorld {
  readonly queue: { send(event: BalanceRequest): Promise<void> };
  /** Customers whose balance was asked for a short time ago. */
  readonly requested: TimedCache<true>;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

/** Points come close to their expiry without any event: a visitor's balance is at most this old. */
const STALE_MS = 86_400_000;

export const isStale = (readAt: number | undefined, now: Date): boolean =>
  readAt === undefined || now.getTime() - readAt > STALE_MS;

/**
 * Only the worker writes balances, so that no two writers disagree. A page does not fail because of it: the
 * next visit asks again.
 */
export async function requestReading(
  shop: string,
  customerId: string,
  { queue, requested, telemetry, now }: ReadingWorld,
): Promise<void> {
  if (requested.recall(customerId)) return;
  requested.keep(customerId, true);
  const receivedAt = now().toISOString();
  const deliveryId = `visit/${customerId}/${receivedAt.slice(0, 'yyyy-mm-ddThh'.length)}`;
  const head = { shop, id: customerId, deliveryId, receivedAt } as const;
  try {
    await queue.send({ ...head, kind: 'balance', topic: 'visit' });
  } catch (error) {
    telemetry.log('error', 'the queue did not take the request for a balance', errorFields(error));
  }
}
