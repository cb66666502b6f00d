import { type Doubt, isDoubtful, wasSettledSince } from '../ledger/doubt.ts';
import { restKey } from '../ledger/idempotency-key.ts';
import type { EntityEntry } from '../ledger/ledger.ts';
import { redactionOf } from '../ledger/redacted-person.ts';
import { type SentAmounts, toThousandths } from '../ledger/sent-amounts.ts';
import { HISTORY_METADATA, isKnown } from '../mapping/history-mark.ts';
import { recallOrder, rememberOrder } from '../mapping/remembered.ts';
import type { Mapped, OrderForm, WantedOrder } from '../mapping/wanted-state.ts';
import { stayAway, throughBreaker } from './call-loyalty.ts';
import { countedIn, type OrderFacts, type ReadTotals } from './next-call.ts';
import { type HeldOrder, heldCustomer, readHeld } from './order-calls.ts';
import type { Plan } from './plan.ts';
import type { Snapshot } from './read-snapshot.ts';
import type { ExecutionWorld, Synced } from './record-outcome.ts';

/** What the loyalty service says of an order; `held` is undefined where it does not have it. */
export interface ServiceReading {
  readonly held: HeldOrder | undefined;
}

interface Question {
  readonly snapshot: Snapshot;
  readonly entry: EntityEntry | undefined;
  readonly mapped: Mapped;
  readonly next: Plan;
  readonly doubt: Doubt | undefined;
}

/**
 * True when the service may hold more of an order than the ledger knows: then it is read before anything is decided. A
 * ledger that was lost or restored may have forgotten that the order was sent, for whom, and what was taken back.
 * See docs/decisions/0081-a-ledger-can-be-lost.md.
 */
export function mayHoldMore(
  { snapshot, entry, mapped, next, doubt }: Question,
  { now, orderRetentionDays }: Pick<ExecutionWorld, 'now' | 'orderRetentionDays'>,
): boolean {
  if (snapshot.entity.kind !== 'order' || next.kind === 'superseded') return false;
  const placedAt = Date.parse(snapshot.entity.order.placedAt);
  // Not only until everything was compared: what the comparison sends is worked on later.
  const mayBeForgotten =
    doubt !== undefined && placedAt < doubt.until && !wasSettledSince(entry, doubt.until);
  if (mapped.kind === 'skip') return mayBeForgotten && !isKnown(entry);
  if (next.kind !== 'call' || mapped.kind !== 'wanted') return false;
  if (!entry?.amounts && mayBeForgotten) return true;
  // The service answers the cancellation of an order that it does not have.
  if (mapped.wanted.kind !== 'order') return false;
  if (entry?.amounts) return isDoubtful(entry, doubt);
  const { order, isRefunded } = mapped.wanted;
  if (!order.IsCompleted) return false;
  if (!isKnown(entry)) {
    const hasExpired = now().getTime() - placedAt > orderRetentionDays * 86_400_000;
    // Sending again what was sent is harmless, unless something was taken back since.
    return isRefunded || hasExpired;
  }
  // An entry that is certain and was pending was not sent as completed.
  const { basics } = recallOrder(entry.remembered) ?? {};
  const wasPending = basics !== undefined && basics.OrderCompletedDate == null;
  return isRefunded || entry.uncertain || !wasPending;
}

export async function readFromService(
  { shop, id }: { readonly shop: string; readonly id: string },
  entry: EntityEntry | undefined,
  world: ExecutionWorld,
): Promise<ServiceReading | Synced> {
  const { loyalty, breaker } = world.shop(shop);
  const answer = await throughBreaker({ breaker, now: world.now }, async () => ({
    kind: 'answered' as const,
    ...(await readHeld(id, loyalty, { signal: world.deadline })),
  }));
  if (answer.kind === 'stay-away') return { outcome: stayAway(answer), entry };
  if (answer.outcome.kind !== 'applied') return { outcome: answer.outcome, entry };
  return { held: answer.held };
}

/** The order counts, or may. */
export function isHeldLive(held: HeldOrder | undefined): held is HeldOrder {
  return held !== undefined && held.IsCancelledOrReturned !== true;
}

export function isHeldCompleted(held: HeldOrder | undefined): held is HeldOrder {
  return isHeldLive(held) && held.IsCompleted === true;
}

/**
 * What the entry of an order would remember that the service holds, as far as the service says it. Once completed, it
 * stays so, and stays its customer's.
 */
export function presumeHeld(held: HeldOrder, entry: EntityEntry | undefined): EntityEntry {
  const { OrderPlacementDate, OrderTotal, Metadatas } = held;
  const completedAt = new Date(held.OrderCompletedDate ?? Number.NaN);
  const hasDate = held.IsCompleted === true && !Number.isNaN(completedAt.getTime());
  const remembered = rememberOrder({
    ...recallOrder(entry?.remembered),
    basics: {
      ...(OrderPlacementDate !== undefined && { OrderPlacementDate }),
      ...(OrderTotal !== undefined && { OrderTotal }),
      ...(hasDate && { OrderCompletedDate: completedAt.toISOString() }),
    },
    // Of a redacted person nothing is remembered again.
    ...(held.Customer && entry?.redactedAt === undefined && { customer: heldCustomer(held) }),
  });
  const { name, value } = HISTORY_METADATA;
  const isHistory = Metadatas?.some((one) => one.Name === name && one.Value === value);
  return {
    ...{ version: entry?.version ?? 0, uncertain: true, remembered, outcomes: [], revision: 0 },
    ...((isHistory || entry?.history) && { history: true }),
    ...redactionOf(entry),
  };
}

/** The amounts that the service holds: at least what the ledger says was taken from them. */
export function adoptHeld(
  held: HeldOrder,
  amounts: SentAmounts | undefined,
  { order, isRefunded, earlier }: WantedOrder,
  readTotals: ReadTotals,
): Pick<OrderFacts, 'amounts' | 'adopted'> {
  const read = sentIn(held, order);
  const known = { taken: 0, ...amounts };
  const isSent = amounts?.sent.total === read.total;
  // Nothing can have been taken from an order without refunds.
  if (isSent && !isRefunded) return { amounts };
  if (readTotals === 'as-sent' || !isRefunded) {
    const sent = isSent ? amounts.sent : read;
    return { amounts: { ...known, sent }, adopted: readTotals };
  }
  // A sum above all that was ever sent: the keys that it makes were never used.
  const totals = [order, ...earlier].map(({ OrderTotal }) => toThousandths(OrderTotal));
  const total = Math.max(read.total, amounts?.sent.total ?? 0, ...totals);
  const sent = { ...read, total };
  return { amounts: { ...known, sent, taken: total - read.total }, adopted: readTotals };
}

function sentIn(held: HeldOrder, order: OrderForm): SentAmounts['sent'] {
  // Not all of the rest can be read.
  const isSameRest =
    held.Customer?.OriginalId === order.Customer?.OriginalId &&
    held.Coupon?.toLowerCase() === order.Coupon?.toLowerCase();
  const completedAt = order.OrderCompletedDate ?? '';
  return { ...countedIn(held), completedAt, ...(isSameRest && { rest: restKey(order) }) };
}
