import type { Shop } from '../../../shared/config/connector-config.ts';
import { mapCoupon } from '../../../shared/core/mapping/map-coupon.ts';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { mapProduct } from '../../../shared/core/mapping/map-product.ts';
import type { Mapped } from '../../../shared/core/mapping/wanted-state.ts';
import type { Store, StoreAnswer } from '../../../shared/core/store/store.ts';
import { amountHeld, knownFrom } from '../../harness/held-order.ts';
import type { LoyaltySandbox } from '../../loyalty-sandbox/sandbox.ts';
import type { StoreSandbox } from '../../store-sandbox/sandbox.ts';
import { openStoreAdmin } from '../start-sandboxes.ts';

export interface Comparison {
  readonly orders: number;
  readonly products: number;
  readonly coupons: number;
  /** One sentence for each difference. */
  readonly differences: readonly string[];
}

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

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads everything from the store, computes the wanted states by the connector's own rules, and compares
 * them with what the loyalty service holds.
 */
export async function compare(
  { admin, orderIds, productIds, codes, mayLack = () => false }: ComparedStore,
  loyalty: LoyaltySandbox,
  { domain, rules }: Shop,
  now: Date,
): Promise<Comparison> {
  const state = loyalty.state();
  const differences: string[] = [];
  const check = (what: string, mapped: Mapped, found: object | undefined): boolean => {
    const problem = differenceOf(mapped, found);
    if (problem !== undefined) differences.push(`${what}: ${problem}`);
    return problem === undefined;
  };
  const count = { orders: 0, products: 0, coupons: 0 };
  const heldOrders = new Map(state.orders.map((order) => [order.OriginalId, order]));
  for (const id of orderIds) {
    const found = heldOrders.get(id);
    const order = foundValue(await admin.readOrder(domain, id));
    const mapped = mapOrder(order, rules, knownFrom(found));
    const held = found && { ...found, OrderTotal: amountHeld(found) };
    if (check(`order ${id}`, mapped, held)) count.orders += 1;
  }
  for (const id of productIds) {
    const found = state.products.find(({ OriginalId }) => OriginalId === id);
    if (!found && mayLack(id)) continue;
    const product = foundValue(await admin.readProduct(domain, id));
    if (check(`product ${id}`, mapProduct(product, rules, domain), found)) count.products += 1;
  }
  for (const code of codes) {
    const found = state.coupons.find(({ CouponCode }) => CouponCode === code);
    const coupon = foundValue(await admin.readCoupon(domain, code));
    const mapped = mapCoupon(
      coupon,
      rules,
      { known: found !== undefined, remembered: undefined, now },
      domain,
    );
    if (check(`coupon ${code}`, mapped, found)) count.coupons += 1;
  }
  for (const { CouponCode: code, isActive } of state.coupons) {
    if (isActive && !codes.includes(code)) {
      differences.push(`coupon ${code}: the store deleted it, the loyalty service still has it`);
    }
  }
  return { ...count, differences };
}

function isAnnounced({ deliveries }: StoreSandbox, productId: string): boolean {
  const gid = JSON.stringify(`gid://shopify/Product/${productId}`);
  return deliveries.all().some(({ event, body }) => event !== undefined && body.includes(gid));
}

function foundValue<Value>(answer: StoreAnswer<Value>): Value {
  if (answer.kind === 'found') return answer.value;
  throw new Error(`The store could not be read for the comparison: ${answer.kind}.`);
}

/** Undefined means no difference. */
function differenceOf(mapped: Mapped, found: object | undefined): string | undefined {
  if (mapped.kind === 'fault') return 'a rule of the settings fails for it';
  if (mapped.kind === 'skip') {
    // The loyalty service itself created the code of a reward; an exchange changes nothing yet.
    if (!found || mapped.why === 'reward-coupon' || mapped.why === 'exchange') return undefined;
    return `the loyalty service has it, although it is skipped (${mapped.why})`;
  }
  const { wanted } = mapped;
  switch (wanted.kind) {
    case 'order': {
      const { OrderTotal, IsCompleted } = wanted.order;
      return differing({ OrderTotal, IsCompleted, IsCancelledOrReturned: false }, found);
    }
    case 'cancelled-order':
      return found && differing({ IsCancelledOrReturned: true }, found);
    case 'product': {
      const { Title, ProductPrice, IsActive, Url } = wanted.product;
      return differing({ Title, ProductPrice, IsActive, Url }, found);
    }
    case 'coupon': {
      const { CouponType, CouponValue } = wanted.coupon;
      return differing({ CouponType, CouponValue, isActive: true }, found);
    }
    case 'inactive-coupon':
      return found && differing({ isActive: false }, found);
    case 'member': {
      const { Name, Email, Phone } = wanted.member;
      return differing({ Name, Email, Phone }, found);
    }
    case 'deleted-member':
      return undefined;
  }
}

function differing(wanted: Fields, row: object | undefined): string | undefined {
  if (!row) return 'the loyalty service does not have it';
  const found: Fields = { ...row };
  const wrong = Object.keys(wanted).filter((name) => wanted[name] !== found[name]);
  if (wrong.length === 0) return undefined;
  const parts = wrong.map((name) => `${name} is ${found[name]} and should be ${wanted[name]}`);
  return parts.join(', ');
}
