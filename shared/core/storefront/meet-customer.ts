import type { LoyaltyClient } from '../../loyalty/client.ts';
import { balanceIn, type ReadBalance } from '../balances/read-customer.ts';
import { errorFields } from '../batch/telemetry.ts';
import type { BalanceRequest } from '../events/event.ts';
import { type AskingWorld, askLoyalty } from './ask-loyalty.ts';
import type { TimedCache } from './timed-cache.ts';

export interface MeetingWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomerPoints'>;
  readonly queue: { send(event: BalanceRequest): Promise<void> };
  /** Balances of customers whom the ledger does not know; null: the service names none. */
  readonly met: TimedCache<MetBalance | null>;
  /** Customers whose balance was asked for a short time ago. */
  readonly requested: TimedCache<true>;
}

export interface MetBalance extends ReadBalance {
  /** ISO 8601. */
  readonly asOf: string;
}

/** For a customer whom the ledger does not know yet: the page shows what the service says right now. */
export async function meetCustomer(
  shop: string,
  customerId: string,
  world: MeetingWorld,
): Promise<MetBalance | undefined> {
  const known = world.met.recall(customerId);
  if (known !== undefined) return known ?? undefined;
  const began = world.now();
  const asked = await askLoyalty(
    'getCustomerPoints',
    (options) => world.loyalty.getCustomerPoints(customerId, options),
    world,
  );
  if (asked.kind === 'unavailable') return undefined;
  const read = asked.kind === 'answered' ? balanceIn(asked.value, began.getTime()) : undefined;
  const balance = read && { ...read, asOf: began.toISOString() };
  world.met.keep(customerId, balance ?? null);
  // Only the worker writes balances, so that no two writers disagree.
  if (balance) await requestReading(shop, customerId, world);
  return balance;
}

/** Points come close to their expiry without any event: a visitor's balance is at most this old. */
const STALE_MS = 86_400_000;

export const isStale = (readAt: number | undefined, now: Date): boolean =>
  readAt === undefined || now.getTime() - readAt > STALE_MS;

/** A page does not fail because of it: the next visit asks again. */
export async function requestReading(
  shop: string,
  customerId: string,
  { queue, requested, telemetry, now }: MeetingWorld,
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
