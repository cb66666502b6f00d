import { expect } from 'vitest';
import type { LoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import type { StoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { mapCoupon } from '../../shared/core/mapping/map-coupon.ts';
import { mapOrder } from '../../shared/core/mapping/map-order.ts';
import { mapProduct } from '../../shared/core/mapping/map-product.ts';
import type { StoreAnswer } from '../../shared/core/sync/store-reader.ts';
import { rules } from '../fixtures/store-entities.ts';
import { adminStoreOf } from './store-and-connector.ts';

type Loyalty = Pick<LoyaltySandbox, 'state'>;

/** Every order of the store is held as it is, every other is unknown, and the points are those due. */
export async function expectSameOrders(loyalty: Loyalty, store: StoreSandbox): Promise<void> {
  const admin = adminStoreOf(store);
  const { orders } = loyalty.state();
  for (const { id } of store.rows.orders.values()) {
    const held = orders.find(({ OriginalId }) => OriginalId === id);
    const order = found(await admin.readOrder(store.shop.domain, id));
    const mapped = mapOrder(order, rules, { known: held !== undefined, remembered: undefined });
    if (mapped.kind !== 'wanted') expect(held, `order ${id}`).toBeUndefined();
    else if (mapped.wanted.kind === 'order') {
      const { OrderTotal, IsCompleted, OrderStatus } = mapped.wanted.order;
      const wanted = { OrderTotal, IsCompleted, OrderStatus, IsCancelledOrReturned: false };
      expect(held, `order ${id}`).toMatchObject(wanted);
    } else if (held) expect(held.IsCancelledOrReturned, `order ${id}`).toBe(true);
  }
  const earning = orders.filter((order) => order.IsCompleted && !order.IsCancelledOrReturned);
  const earned = orders.reduce((sum, { points }) => sum + Math.round((points ?? 0) * 100), 0);
  const due = earning.reduce((sum, { OrderTotal }) => sum + Math.round(OrderTotal * 100), 0);
  expect(earned).toBe(due);
}

/** Of those that changed before this moment. */
export async function expectSameProducts(
  loyalty: Loyalty,
  store: StoreSandbox,
  before = Number.POSITIVE_INFINITY,
): Promise<void> {
  const admin = adminStoreOf(store);
  const { domain } = store.shop;
  const { products } = loyalty.state();
  for (const { id, updatedAt } of store.rows.products.values()) {
    if (Date.parse(updatedAt) >= before) continue;
    const mapped = mapProduct(found(await admin.readProduct(domain, id)), rules, domain);
    if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'product') throw new Error('skipped');
    const { ProductPrice, Title, IsActive } = mapped.wanted.product;
    const held = products.find(({ OriginalId }) => OriginalId === id);
    expect(held, `product ${id}`).toMatchObject({ ProductPrice, Title, IsActive });
  }
}

/** The codes that can be used are those that can be used, of discounts that changed before this moment. */
export async function expectSameCodes(
  loyalty: Loyalty,
  store: StoreSandbox,
  before = Number.POSITIVE_INFINITY,
): Promise<void> {
  const admin = adminStoreOf(store);
  const { codes, discounts } = store.rows;
  const active = new Set<string>();
  for (const { code, discountId } of codes.values()) {
    if (Date.parse(discounts.get(discountId)?.updatedAt ?? '') >= before) continue;
    const coupon = found(await admin.readCoupon(store.shop.domain, code));
    const mapped = mapCoupon(coupon, rules, { known: true, now: new Date() });
    if (mapped.kind === 'wanted' && mapped.wanted.kind === 'coupon') active.add(code);
  }
  const held = loyalty.state().coupons.filter(({ isActive }) => isActive);
  expect(new Set(held.map(({ CouponCode }) => CouponCode))).toEqual(active);
}

function found<Value>(answer: StoreAnswer<Value>): Value {
  if (answer.kind === 'found') return answer.value;
  throw new Error(`the store says ${answer.kind}`);
}
