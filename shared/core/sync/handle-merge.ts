import { ask } from '../balances/read-customer.ts';
import { type Outcome, overtaken } from '../batch/outcome.ts';
import type { StoreEvent } from '../events/event.ts';
import { readEntry } from '../ledger/ledger.ts';
import { noteMerge } from '../ledger/merged-customer.ts';
import { bookKey, openIn } from '../redeem/redemption-book.ts';
import { secondsUntil } from '../redeem/redemption-state.ts';
import { callLoyalty, stayAway } from './call-loyalty.ts';
import type { SyncWorld } from './sync-entity.ts';

export type MemberWorld = Pick<
  SyncWorld,
  'ledger' | 'now' | 'orderRetentionDays' | 'deadline' | 'shop'
>;

/** A redemption that is open for longer needs a person. */
const MERGE_WAITS_SECONDS = 86_400;

/**
 * The service has no operation that merges customers. What the member of the customer who is gone still has is
 * moved by a person: the message is parked until nothing is left, and a replay looks again.
 * See docs/decisions/0050-customers-from-sign-up.md.
 */
export async function handleMerge(
  event: StoreEvent,
  { deletedId, keptId }: { readonly deletedId: string; readonly keptId: string },
  world: MemberWorld,
): Promise<Outcome> {
  const { loyalty, breaker, rules } = world.shop(event.shop);
  if (rules.customers === 'with-orders') return { kind: 'skipped', why: 'customers-with-orders' };
  const { ledger, now, deadline: signal } = world;
  const noted = await noteMerge({ shop: event.shop, id: deletedId }, keptId, {
    ...{ ledger, now: now(), topic: event.topic, retentionDays: world.orderRetentionDays },
  });
  if (!noted) return overtaken;
  // The store refuses a code for a customer who is gone, and the points of its redemption go back to the member.
  const book = await readEntry(ledger, bookKey({ shop: event.shop, customerId: deletedId }));
  const mayWait = secondsUntil(event.receivedAt, MERGE_WAITS_SECONDS, now()) > 0;
  if (mayWait && openIn(book?.remembered, now()).length > 0) {
    return { kind: 'retry', why: 'redemption-open' };
  }
  const call = () => loyalty.getCustomerPoints(deletedId, { signal });
  const asked = await ask('getCustomerPoints', call, { breaker, now });
  if (asked.kind === 'retry') return { kind: 'retry', ...asked.retry };
  const { PointsBalance: points = 0, CashbackBalance: cashback = 0 } = asked.value ?? {};
  if (points === 0 && cashback === 0) return { kind: 'handled', how: 'merged' };
  const why =
    'the store merged two customers; the loyalty service keeps both members, and the one who is gone still has points: move them to the kept one, then replay this letter';
  return { kind: 'rejected', reason: 'rejected', why };
}

const REASON = 'the store asked to erase this customer';

/** Undefined: there was nothing to do, or it is done. */
export async function deactivateRedacted(
  shop: string,
  customerId: string,
  { shop: shopOf, now, deadline: signal }: MemberWorld,
): Promise<Outcome | undefined> {
  const { loyalty, breaker, rules } = shopOf(shop);
  if (rules.redactedCustomers === 'keep') return undefined;
  const status = { IsEnabled: false, Reason: REASON };
  const call = () => loyalty.changeCustomerStatus(customerId, status, { signal });
  const called = await callLoyalty('changeCustomerStatus', call, { breaker, now });
  if (called.kind === 'stay-away') return stayAway(called);
  const { outcome } = called;
  const isUnknown = outcome.kind === 'rejected' && outcome.code === 'Customer_NotFound';
  return outcome.kind === 'applied' || isUnknown ? undefined : outcome;
}
