import type { Shop } from '../../../shared/config/connector-config.ts';
import { mapCoupon } from '../../../shared/core/mapping/map-coupon.ts';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { mapProduct } from '../../../shared/core/mapping/map-product.ts';
import type { Mapped } from '../../../shared/core/mapping/wanted-state.ts';
import { compareSides, type Held } from '../../../shared/core/reconcile/compare-sides.ts';
import type { Store, StoreAnswer } from '../../../shared/core/store/store.ts';
import { amountHeld, knownFrom } from '../../harness/held-order.ts';
import type { OrderRow } from '../../loyalty-sandbox/program/rows.ts';
import type { LoyaltySandbox } from '../../loyalty-sandbox/sandbox.ts';
import type { StoreSandbox } from '../../store-sandbox/sandbox.ts';
import { openStoreAdmin } from '../start-sandboxes.ts';

/** What a store lists at this moment, and how each is read. */
export interface ComparedStore {
  readonly admin: Pick<Store, 'readOrder' | 'readProduct' | 'readCoupon'>;
  readonly orderIds: readonly string[];
  readonly productIds: readonly string[];
  readonly codes: readonly string[];
  /** Whether the loyalty service need not have this product yet. Absent: it must have all. */
  readonly mayLack?: (productId: string) => boolean;
}

/** Where products come by Events, the service lacks those that no Event has announced: reconcile sends them later. */
export function listSandbox(
  store: StoreSandbox,
  productChanges: 'webhooks' | 'events' = 'webhooks',
): ComparedStore {
  return {
    admin: openStoreAdmin(store),
    orderIds: [...store.rows.orders.values()].map(({ id }) => id),
    productIds: [...store.rows.products.values()].map(({ id }) => id),
    codes: [...store.rows.codes.values()].map(({ code }) => code),
    mayLack: (id) => productChanges === 'events' && !isAnnounced(store, id),
  };
}

/**
 * Reads everything from the store, computes the wanted states by the connector's own rules, and compares
 * them with what the loyalty service holds.
 */
export async function compare(
  { admin, orderIds, productIds, codes, mayLack = () => false }: ComparedStore,
  loyalty: LoyaltySandbox,
  { domain, rules }: Shop,
  now: Date,
) {
  const state = loyalty.state();
  /** One sentence for each. */
  const differences: string[] = [];
  /** How many agree: one or none. */
  const check = (what: string, mapped: Mapped, held: Held | undefined): number => {
    const problem = problemOf(mapped, held ?? { kind: 'absent' });
    if (problem !== undefined) differences.push(`${what}: ${problem}`);
    return problem === undefined ? 1 : 0;
  };
  const count = { orders: 0, products: 0, coupons: 0 };
  const heldOrders = new Map(state.orders.map((order) => [order.OriginalId, order]));
  for (const id of orderIds) {
    const found = heldOrders.get(id);
    const mapped = mapOrder(foundValue(await admin.readOrder(domain, id)), rules, knownFrom(found));
    count.orders += check(`order ${id}`, mapped, found && heldOrder(found));
  }
  for (const id of productIds) {
    const product = state.products.find(({ OriginalId }) => OriginalId === id);
    if (!product && mayLack(id)) continue;
    const mapped = mapProduct(foundValue(await admin.readProduct(domain, id)), rules, domain);
    count.products += check(`product ${id}`, mapped, product && { kind: 'product', product });
  }
  for (const code of codes) {
    const found = state.coupons.find(({ CouponCode }) => CouponCode === code);
    const known = { known: found !== undefined, remembered: undefined, now };
    const mapped = mapCoupon(
      foundValue(await admin.readCoupon(domain, code)),
      rules,
      known,
      domain,
    );
    // As the service answers it.
    const coupon = found && { ...found, IsUsed: found.IsUsed || !found.isActive };
    count.coupons += check(`coupon ${code}`, mapped, coupon && { kind: 'coupon', coupon });
  }
  for (const { CouponCode: code, isActive } of state.coupons) {
    if (isActive && !codes.includes(code)) {
      differences.push(`coupon ${code}: the store deleted it, the loyalty service still has it`);
    }
  }
  return { ...count, differences };
}

function heldOrder(found: OrderRow): Held {
  const { OriginalId, IsCompleted, IsCancelledOrReturned } = found;
  return {
    kind: 'order',
    order: { OriginalId, IsCompleted, IsCancelledOrReturned, OrderTotal: amountHeld(found) },
  };
}

function isAnnounced({ deliveries }: StoreSandbox, productId: string): boolean {
  const gid = JSON.stringify(`gid://shopify/Product/${productId}`);
  return deliveries.all().some(({ event, body }) => event !== undefined && body.includes(gid));
}

function foundValue<Value>(answer: StoreAnswer<Value>): Value {
  if (answer.kind === 'found') return answer.value;
  throw new Error(`The store could not be read for the comparison: ${answer.kind}.`);
}

/** Without the ledger, which may be wrong. Undefined means no difference. */
function problemOf(mapped: Mapped, held: Held): string | undefined {
  const assumptions = { readTotals: 'less-partial-cancels' } as const;
  const compared = compareSides({ mapped, held, entry: undefined, assumptions });
  const { finding, differences, figures } = compared;
  if (mapped.kind === 'fault') return 'a rule of the settings fails for it';
  if (mapped.kind === 'skip') {
    // The loyalty service itself created the code of a reward.
    if (finding !== 'skipped-but-held' || mapped.why === 'reward-coupon') return undefined;
    return `the loyalty service has it, although it is skipped (${mapped.why})`;
  }
  if (finding === 'agree') return undefined;
  const wrong = differences.map((one) =>
    one === 'absent'
      ? 'the loyalty service does not have it'
      : `${one} is ${figures.service?.[one]} and should be ${figures.store?.[one]}`,
  );
  return wrong.join(', ') || finding;
}
