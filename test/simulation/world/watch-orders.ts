import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { OrderForm } from '../../../shared/core/mapping/wanted-state.ts';
import { standingOf, usualRules } from '../../support/order-law.ts';
import type { Backfill } from './backfill.ts';
import { SHOP } from './connector.ts';
import type { LivingStore } from './living-store.ts';
import { ON_ITS_WAY_MS, type WatchedMerges, watchMerges } from './watch-merges.ts';

interface Watched extends WatchedMerges {
  readonly store: LivingStore;
  readonly backfill: Backfill;
}

/** What was seen of the calls, in epoch milliseconds. */
export interface Seen {
  /** By order: when the service first held it as completed. */
  readonly completedAt: Map<string, number>;
  /** By order. */
  readonly lastCallAt: Map<string, number>;
  /** By order. */
  readonly lastSent: Map<string, OrderForm>;
  /** By customer: when an order last brought another address or telephone number than the store had. */
  readonly otherContactAt: Map<string, number>;
}

/**
 * Looks at the points of an order after each call: they may go to 0 only if the order was worth nothing in one of its
 * states. The moment of an exchange when nothing is kept is no such state.
 */
export function watchOrders(watched: Watched): Seen {
  const { kernel, store, loyalty, backfill } = watched;
  const earning = new Set<string>();
  const seen: Seen = {
    completedAt: new Map(),
    lastCallAt: new Map(),
    lastSent: new Map(),
    otherContactAt: new Map(),
  };
  const merges = watchMerges(watched);
  loyalty.onExecuted = (call) => {
    merges.watch(call);
    const { operation, path, body } = call;
    if (!CHANGES.has(operation)) return;
    if (operation === 'sendOrder') {
      backfill.watch(body as OrderForm);
      watchContact(body as OrderForm, watched, seen);
      seen.lastSent.set((body as OrderForm).OriginalId ?? '', body as OrderForm);
    }
    const id = path.orderId ?? (body as { readonly OriginalId: string }).OriginalId;
    seen.lastCallAt.set(id, kernel.time.now);
    const { pointId = null, IsCompleted = false } = loyalty.rows.orders.get(id) ?? {};
    if (IsCompleted && !seen.completedAt.has(id)) seen.completedAt.set(id, kernel.time.now);
    if (pointId !== null) earning.add(id);
    else if (earning.delete(id) && !wasWorthNothing(store, id)) {
      kernel.journal.violation('points-through-zero', `order ${id} lost all its points`);
    }
  };
  return seen;
}

/** An order does not bring back an address or telephone number that its customer has changed since. */
function watchContact(
  { OriginalId: id, Customer }: OrderForm,
  { kernel, store, ledger }: Pick<Watched, 'kernel' | 'store' | 'ledger'>,
  seen: Seen,
): void {
  const customer = store.world.rows.customers.get(Customer?.OriginalId ?? '');
  if (!customer || hasContact(customer, Customer)) return;
  seen.otherContactAt.set(customer.id, kernel.time.now);
  const key = ledgerKeyText({ shop: SHOP, kind: 'member', id: customer.id });
  const { version, uncertain, outcomes } = ledger.entries.get(key) ?? {};
  const knownSince = Date.parse(outcomes?.at(-1)?.at ?? '') + ON_ITS_WAY_MS;
  const isKnown = version === Date.parse(customer.updatedAt) && !uncertain;
  if (!isKnown || !(knownSince < kernel.time.now)) return;
  kernel.journal.violation('old-contact', `order ${id} brings an old address or number back`);
}

/** What the store or the call does not say stays in the service as it was. */
export function hasContact(
  { email, phone }: { readonly email: string | null; readonly phone: string | null },
  held: { readonly Email?: string | null; readonly Phone?: string | null } | undefined,
): boolean {
  const isSame = (store: string | null, service: string | null | undefined) =>
    store === null || service === undefined || store === service;
  return isSame(email, held?.Email) && isSame(phone, held?.Phone);
}

const CHANGES: ReadonlySet<string> = new Set([
  'sendOrder',
  'cancelPosOrder',
  'partiallyCancelPosOrder',
]);

/** By either rule: an amount is 0 under both or under neither. */
function wasWorthNothing({ orderStates }: LivingStore, id: string): boolean {
  return (orderStates.get(id) ?? []).some((row) => !row || isWorthNothing(row));
}

/** A row never changes. */
const worthNothing = new WeakMap<OrderRow, boolean>();

function isWorthNothing(row: OrderRow): boolean {
  const known = worthNothing.get(row);
  if (known !== undefined) return known;
  // As the simulated deployment has it; only the taxes of its rules change.
  const standing = standingOf(row, { ...usualRules, lostDisputes: 'take-back' });
  const found = standing.kind === 'over' || (standing.kind === 'open' && standing.minor === 0n);
  worthNothing.set(row, found);
  return found;
}
