import type { MemoryLedger } from '../../../local/harness/memory-ledger.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger-key.ts';
import { orderAmounts } from '../../../shared/core/mapping/order-amounts.ts';
import { isBetweenLines, isOver } from '../../../shared/core/mapping/order-progress.ts';
import type { OrderForm } from '../../../shared/core/mapping/wanted-state.ts';
import { toJsonNumber } from '../../../shared/store/money.ts';
import type { StoreOrder } from '../../../shared/store/order.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Backfill } from './backfill.ts';
import { SHOP, shopRules } from './connector.ts';
import { type LivingStore, toStoreOrder } from './living-store.ts';
import type { LoyaltyService } from './loyalty-service.ts';

interface Watched {
  readonly kernel: Kernel;
  readonly store: LivingStore;
  readonly loyalty: LoyaltyService;
  readonly ledger: MemoryLedger;
  readonly backfill: Backfill;
}

/** Longer than any call and any lag: an order that is on its way when its customer changes is not judged. */
const ON_ITS_WAY_MS = 5 * 60_000;

/**
 * Looks at the points of an order after each call: they may go to 0 only if the order was worth nothing in one of its
 * states. The moment of an exchange when nothing is kept is no such state.
 */
export function watchOrders({ kernel, store, loyalty, ledger, backfill }: Watched): void {
  const earning = new Set<string>();
  loyalty.onExecuted = ({ operation, path, body }) => {
    if (!CHANGES.has(operation)) return;
    if (operation === 'sendOrder') {
      backfill.watch(body as OrderForm);
      watchContact(body as OrderForm, { kernel, store, ledger });
    }
    const id = path.orderId ?? (body as { readonly OriginalId: string }).OriginalId;
    const { pointId = null } = loyalty.rows.orders.get(id) ?? {};
    if (pointId !== null) earning.add(id);
    else if (earning.delete(id) && !wasWorthNothing(store, id)) {
      kernel.journal.violation('points-through-zero', `order ${id} lost all its points`);
    }
  };
}

/** An order does not bring back an e-mail address that its customer has changed since. */
function watchContact(
  { OriginalId: id, Customer }: OrderForm,
  { kernel, store, ledger }: Pick<Watched, 'kernel' | 'store' | 'ledger'>,
): void {
  const customer = store.world.rows.customers.get(Customer?.OriginalId ?? '');
  if (!customer || customer.email === Customer?.Email) return;
  const key = ledgerKeyText({ shop: SHOP, kind: 'member', id: customer.id });
  const { version, uncertain, outcomes } = ledger.entries.get(key) ?? {};
  const knownSince = Date.parse(outcomes?.at(-1)?.at ?? '') + ON_ITS_WAY_MS;
  const isKnown = version === Date.parse(customer.updatedAt) && !uncertain;
  if (!isKnown || !(knownSince < kernel.time.now)) return;
  kernel.journal.violation('old-contact', `order ${id} brings an old e-mail address back`);
}

const CHANGES: ReadonlySet<string> = new Set([
  'sendOrder',
  'cancelPosOrder',
  'partiallyCancelPosOrder',
]);

function wasWorthNothing({ world, orderStates }: LivingStore, id: string): boolean {
  return (orderStates.get(id) ?? []).some((row) => {
    if (!row) return true;
    const order = toStoreOrder(world, row);
    return isOver(order) || (!isBetweenLines(order) && worthOf(order) === 0);
  });
}

/** What the order counts by the rules. */
export function worthOf(order: StoreOrder): number {
  return toJsonNumber(orderAmounts(order, shopRules).total);
}
