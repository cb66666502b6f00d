import { amountHeld, knownFrom } from '../../../local/harness/held-order.ts';
import type {
  OrderRow as HeldRow,
  ProgramTables,
} from '../../../local/loyalty-sandbox/program/rows.ts';
import type { OrderRow, StoreRows } from '../../../local/store-sandbox/model/rows.ts';
import { type LedgerKey, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { mapCoupon } from '../../../shared/core/mapping/map-coupon.ts';
import { isOver, mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { mapProduct } from '../../../shared/core/mapping/map-product.ts';
import type { OrderForm, ProductForm } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreCustomer } from '../../../shared/store/store-entities.ts';
import { judgeOrder } from '../../support/judge-order.ts';
import type { MemoryLedger } from '../../support/memory-ledger.ts';
import { type LawRules, standingOf, usualRules } from '../../support/order-law.ts';
import { BEGINNING, type Kernel } from '../kernel/kernel.ts';
import { type Rules, SHOP, shopRules } from './connector.ts';
import type { LedgerRestore } from './ledger-restore.ts';
import { type LivingStore, toStoreCoupon, toStoreOrder, toStoreProduct } from './living-store.ts';
import type { LoyaltyService } from './loyalty-service.ts';
import { ON_ITS_WAY_MS } from './watch-merges.ts';
import { hasContact, type Seen } from './watch-orders.ts';

interface Compared {
  readonly kernel: Kernel;
  readonly store: LivingStore;
  readonly loyalty: LoyaltyService;
  readonly rules: Rules;
  readonly seen: Seen;
  readonly knownSince: ReadonlyMap<string, number>;
  /** A webhook about a dispute never came. */
  readonly disputesLost: boolean;
  readonly restore: Pick<LedgerRestore, 'happened' | 'isLeftToPerson' | 'since' | 'until'>;
  /**
   * A known limit: only the dead letter of its deletion knew of the order when the ledger was lost, and it expired. See
   * docs/recover.md#what-a-lost-ledger-can-still-hide.
   */
  readonly isForgotten: (id: string) => boolean;
}

interface Held extends Omit<Compared, 'loyalty'> {
  readonly loyalty: ProgramTables;
}

/** At the end of a run: does the loyalty service hold the wanted state of the store's last state? */
export async function compareStates({ loyalty, ...rest }: Compared): Promise<void> {
  const held = { ...rest, loyalty: loyalty.rows };
  compareBalances(await compareOrders(held), loyalty, rest.kernel);
  compareProducts(held);
  compareCodes(held);
  comparePoints(held);
}

/** Returns by customer what the store's orders are worth to them by the rules, in hundredths. */
async function compareOrders(held: Held): Promise<ReadonlyMap<string, number>> {
  const { kernel, store, loyalty } = held;
  const worth = new Map<string, number>();
  const { world, buyers } = store;
  const { rows } = world;
  for (const order of rows.orders.values()) {
    const found = loyalty.orders.get(order.id);
    const buyer = buyers.get(order.id);
    const current = await toStoreOrder(world, order);
    // A known order is corrected even after its customer was deleted.
    const { customer = buyer && deletedCustomer(buyer, order.email) } = current;
    const whole = found && customer ? { ...current, customer } : current;
    const mapped = mapOrder(whole, shopRules, knownFrom(found));
    const differ = (what: string) => {
      if (held.restore.isLeftToPerson(order.id)) return;
      kernel.journal.violation('orders', `order ${order.id} ${what}`);
    };
    if (found && (order.test || buyer === undefined)) {
      differ('is known to the service, and should not be');
    } else if (
      found &&
      store.redacted.has(store.customerNow(found.customerId)) &&
      !isOver(current)
    ) {
      // It changes no more, except by its end.
      const states = store.orderStates.get(order.id) ?? [];
      const had = states.some((row) => row && judge(row, found, held) === undefined);
      if (found.IsCancelledOrReturned || !had) {
        differ(`of a redacted customer is held with ${amountHeld(found)}, which it never was`);
      }
      if (found.IsCompleted) addTo(worth, found.customerId, amountHeld(found));
    } else if (mapped.kind !== 'wanted') {
      const waits = mapped.kind === 'skip' && mapped.why === 'exchange';
      if (found && !waits) differ('is known to the service, and should not be');
      else if (found?.IsCompleted) addTo(worth, found.customerId, amountHeld(found));
    } else if (mapped.wanted.kind === 'order') {
      const { order: due } = mapped.wanted;
      const keepsOldRules =
        found !== undefined && taxesOf(found.OriginalId, held).includes('include');
      const owner = found?.customerId ?? '';
      if (found?.IsCompleted) addTo(worth, owner, amountHeld(found));
      const [has, wanted] = [found ?? {}, due].map((one) => textOf(one, rows));
      const broken = found && judge(order, found, held);
      if (!found) differ('is not known to the service');
      else if (broken !== undefined) differ(broken);
      else if (found.partialCancels.length === 0 && !keepsOldRules && has !== wanted) {
        differ(`is held as ${has} and not as ${wanted}`);
      } else if (store.customerNow(owner) !== store.customerNow(due.Customer?.OriginalId ?? '')) {
        differ(`is held as of customer ${owner}, and is not theirs`);
      }
    } else if (found && !found.IsCancelledOrReturned)
      differ('is over, and the service holds it as alive');
  }
  for (const found of loyalty.orders.values()) {
    if (rows.orders.get(found.OriginalId) || found.IsCancelledOrReturned) continue;
    if (held.isForgotten(found.OriginalId)) {
      if (found.IsCompleted) addTo(worth, found.customerId, amountHeld(found));
      continue;
    }
    const what = `order ${found.OriginalId} was deleted, and the service holds it as alive`;
    kernel.journal.violation('orders', what);
  }
  return worth;
}

/**
 * The rules that an order is counted by: those that it was first sent as completed under. Both, where it was sent while
 * they changed.
 */
function rulesOf(id: string, held: Held): LawRules[] {
  const taxes = taxesOf(id, held);
  // A dispute changes nothing of its order, so without its webhook no scan finds it.
  const disputes = held.disputesLost
    ? (['take-back', 'ignore'] as const)
    : (['take-back'] as const);
  return taxes.flatMap((rule) =>
    disputes.map((lostDisputes) => ({ ...usualRules, taxes: rule, lostDisputes })),
  );
}

function taxesOf(
  id: string,
  { rules, seen, knownSince, restore, store }: Held,
): LawRules['taxes'][] {
  const completedAt = seen.completedAt.get(id) ?? rules.changeAt;
  if (completedAt < rules.changeAt) {
    const isForgotten = completedAt >= restore.since && completedAt <= restore.until;
    return isForgotten && countsAlike(store.orderStates.get(id)) ? BOTH : ['include'];
  }
  const markedAt = knownSince.get(id) ?? Number.POSITIVE_INFINITY;
  return markedAt < rules.changeAt + ON_ITS_WAY_MS ? BOTH : ['exclude'];
}

const BOTH: LawRules['taxes'][] = ['include', 'exclude'];

/** A ledger that forgot such an order finds it as today's rules count it: docs/recover.md says so. */
const countsAlike = (states: readonly (OrderRow | undefined)[] = []): boolean =>
  states.some((row) => {
    const [one, other] = BOTH.map((taxes) => row && standingOf(row, { ...usualRules, taxes }));
    return one?.kind === 'open' && other?.kind === 'open' && one.minor === other.minor;
  });

/** By the rows of the store alone. */
function judge(
  order: OrderRow,
  found: Pick<HeldRow, 'IsCompleted' | 'IsCancelledOrReturned' | 'OrderTotal' | 'partialCancels'>,
  held: Held,
): string | undefined {
  const states = held.store.orderStates.get(order.id) ?? [];
  const judgement = judgeOrder({
    states: [...states.filter((row) => row !== order), order],
    held: {
      isCompleted: found.IsCompleted,
      isCancelled: found.IsCancelledOrReturned,
      minor: BigInt(Math.round(amountHeld(found) * 100)),
    },
    rules: rulesOf(order.id, held),
    letters: [],
  });
  return judgement.kind === 'broken' ? judgement.what : undefined;
}

/** Every customer of the store is a member with their address and telephone number of today. */
export function compareMembers({ kernel, store, loyalty, seen }: Compared): void {
  for (const customer of store.world.rows.customers.values()) {
    // The store had them before it sent webhooks.
    if (Date.parse(customer.updatedAt) <= BEGINNING) continue;
    const held = loyalty.rows.customers.get(customer.id);
    // An order was on its way when they changed it: the next change brings it.
    const isRaced = (seen.otherContactAt.get(customer.id) ?? 0) > Date.parse(customer.updatedAt);
    if (isRaced || (held && hasContact(customer, held))) continue;
    const what = held ? 'is held with another address or number' : 'is not known to the service';
    kernel.journal.violation('members', `customer ${customer.id} ${what}`);
  }
}

const ENDED: ReadonlySet<string> = new Set(['applied', 'unchanged']);

/** Of a redacted customer and the orders that the store named the ledger holds no personal text, whatever comes late. */
export function judgeRedactions(
  {
    store: { redacted: all, buyers, world },
    loyalty,
    rules,
    restore,
    kernel: { journal },
  }: Omit<Compared, 'seen' | 'knownSince' | 'disputesLost'>,
  { entries }: MemoryLedger,
  lettersExpire: boolean,
): void {
  // What was erased before the ledger was restored, it may hold again: a person sends the request once more.
  const redacted = new Map([...all].filter(([, { at }]) => at > restore.until));
  const orders = [...redacted.values()].flatMap((one) => one.orders);
  // The store does not name those that it deleted before.
  for (const [id, buyer] of buyers) {
    const entry = entries.get(ledgerKeyText({ shop: SHOP, kind: 'order', id }));
    const line = entry?.outcomes.findLast(({ topic }) => topic === 'orders/delete');
    const isEnded = line !== undefined && ENDED.has(line.outcome) && entry?.uncertain === false;
    if (redacted.has(buyer) && !world.rows.orders.get(id) && isEnded) orders.push(id);
  }
  const keys = [
    ...orders.map((id): LedgerKey => ({ shop: SHOP, kind: 'order', id })),
    ...[...redacted.keys()].map((id): LedgerKey => ({ shop: SHOP, kind: 'member', id })),
  ];
  for (const key of keys) {
    const { remembered = '' } = entries.get(ledgerKeyText(key)) ?? {};
    if (!/zqzq/i.test(remembered)) continue;
    journal.violation('redacted', `the ledger still names the person of ${key.kind} ${key.id}`);
  }
  // A refused call waits for a person, and in these runs there is none.
  if (rules.current.redactedCustomers === 'keep' || lettersExpire) return;
  for (const [id, { at }] of redacted) {
    const row = loyalty.rows.customers.get(id);
    // An order that was on its way may make the customer anew.
    if (!row?.isActive || Date.parse(row.createdAt) > at) continue;
    journal.violation('redacted', `the redacted customer ${id} is still active in the service`);
  }
}

function addTo(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + Math.round(amount * 100));
}

/** The balance that the service tells a customer is what their orders are worth. */
function compareBalances(
  worth: ReadonlyMap<string, number>,
  loyalty: LoyaltyService,
  { journal }: Kernel,
): void {
  for (const { OriginalId: id, isActive } of loyalty.rows.customers.values()) {
    // An inactive one earns nothing for what arrives later.
    if (!isActive) continue;
    const answer = loyalty.answer('getCustomerPoints', { id });
    const { PointsBalance: has = 0 } = answer as { readonly PointsBalance?: number };
    const due = (worth.get(id) ?? 0) / 100;
    if (has !== due) journal.violation('balances', `customer ${id} has ${has} points, not ${due}`);
  }
}

/**
 * Products that were deleted since count as one: the store no longer names them in the order, and sends no
 * webhook about that.
 */
function textOf(order: OrderForm | object, { products }: StoreRows): string {
  const { OrderTotal, IsCompleted, IsCancelledOrReturned, Products } = order as OrderForm;
  const lines = new Map<string, number>();
  for (const { OriginalId: id = '', ProductPrice = 0 } of Products ?? []) {
    addTo(lines, products.get(id) ? id : 'deleted', ProductPrice ?? 0);
  }
  return JSON.stringify([OrderTotal, IsCompleted, IsCancelledOrReturned, [...lines].sort()]);
}

const deletedCustomer = (id: string, email: string | null): StoreCustomer => ({
  id,
  name: undefined,
  email: email ?? undefined,
  phone: undefined,
  createdAt: undefined,
});

function compareProducts({ kernel, store, loyalty, restore }: Held): void {
  const { world } = store;
  const { rows } = world;
  const differ = (id: string, what: string) =>
    kernel.journal.violation('products', `product ${id} ${what}`);
  for (const product of rows.products.values()) {
    const found = loyalty.products.get(product.id);
    const mapped = mapProduct(toStoreProduct(world, product), shopRules, SHOP);
    const wanted = mapped.kind === 'wanted' && mapped.wanted.kind === 'product' && mapped.wanted;
    if (!wanted) continue;
    if (!found) differ(product.id, 'is not known to the service');
    else if (!isSameProduct(found, wanted.product)) {
      const has = JSON.stringify([found.ProductPrice, found.IsActive]);
      const due = JSON.stringify([wanted.product.ProductPrice, wanted.product.IsActive]);
      differ(product.id, `is held as ${has} and not as ${due}`);
    }
  }
  for (const found of loyalty.products.values()) {
    if (rows.products.get(found.OriginalId) || !found.IsActive) continue;
    // Of a product that a lost ledger has forgotten nothing is known but its id.
    if (restore.happened) continue;
    differ(found.OriginalId, 'was deleted, and the service holds it as on offer');
  }
}

function isSameProduct(found: object, wanted: ProductForm): boolean {
  const { ProductPrice, IsActive, Title } = found as ProductForm;
  return (
    ProductPrice === wanted.ProductPrice && IsActive === wanted.IsActive && Title === wanted.Title
  );
}

function compareCodes({ kernel, store, loyalty, restore }: Held): void {
  const { rows } = store.world;
  const now = kernel.now();
  const due = new Map<string, number>();
  for (const code of rows.codes.values()) {
    const discount = rows.discounts.get(code.discountId);
    if (!discount) throw new Error(`the code ${code.code} has no discount`);
    const coupon = toStoreCoupon(discount, code, now);
    const mapped = mapCoupon(coupon, shopRules, { known: true, remembered: undefined, now }, SHOP);
    if (mapped.kind === 'wanted' && mapped.wanted.kind === 'coupon') {
      due.set(code.code, mapped.wanted.coupon.CouponValue ?? 0);
    }
  }
  const held = [...loyalty.coupons.values()].filter(({ isActive }) => isActive);
  for (const { CouponCode: code, CouponValue: value } of held) {
    if (!due.has(code)) {
      // Which codes a deleted discount had, only the ledger knew.
      const isForgotten =
        restore.happened && ![...rows.codes.values()].some((one) => one.code === code);
      if (!isForgotten) kernel.journal.violation('codes', `code ${code} is over, and still usable`);
    } else if (due.get(code) !== value) {
      kernel.journal.violation('codes', `code ${code} gives ${value}, and should ${due.get(code)}`);
    }
    due.delete(code);
  }
  for (const code of due.keys()) {
    kernel.journal.violation('codes', `code ${code} is not known to the service as usable`);
  }
}

/** No order earns points twice, and a cancelled one keeps none. */
function comparePoints({ kernel, loyalty }: Held): void {
  const earned = new Map<string, number>();
  for (const { source, pointsHundredths } of loyalty.points.values()) {
    if (source.kind !== 'order') continue;
    earned.set(source.orderId, (earned.get(source.orderId) ?? 0) + pointsHundredths);
  }
  for (const order of loyalty.orders.values()) {
    const earns = order.IsCompleted && !order.IsCancelledOrReturned;
    const due = earns ? Math.round(amountHeld(order) * 100) : 0;
    const has = earned.get(order.OriginalId) ?? 0;
    const isInactive = loyalty.customers.get(order.customerId)?.isActive === false;
    if (has === due || (isInactive && has === 0)) continue;
    const what = `order ${order.OriginalId} earned ${has / 100} points and is worth ${due / 100}`;
    kernel.journal.violation('points', what);
  }
}
