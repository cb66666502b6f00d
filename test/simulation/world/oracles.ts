import type { ProgramTables } from '../../../local/loyalty-sandbox/program/rows.ts';
import { mapCoupon } from '../../../shared/core/mapping/map-coupon.ts';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { mapProduct } from '../../../shared/core/mapping/map-product.ts';
import type { OrderForm, ProductForm } from '../../../shared/core/mapping/wanted-state.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { toStoreCoupon, toStoreOrder, toStoreProduct } from '../store/living-store.ts';
import type { StoreRows } from '../store/rows.ts';
import { SHOP, shopRules } from './connector.ts';

interface Held {
  readonly kernel: Kernel;
  readonly rows: StoreRows;
  readonly loyalty: ProgramTables;
}

/** Once everything is quiet: does the loyalty service hold what the store's last word amounts to? */
export function compareStates(held: Held): void {
  compareOrders(held);
  compareProducts(held);
  compareCodes(held);
  comparePoints(held);
}

function compareOrders({ kernel, rows, loyalty }: Held): void {
  for (const order of rows.orders.values()) {
    const found = loyalty.orders.get(order.id);
    // An order that is known is corrected whatever became of its customer.
    const whole = found ? { ...order, customer: order.customer ?? order.buyer } : order;
    const before = { known: found !== undefined, remembered: undefined };
    const mapped = mapOrder(toStoreOrder(whole), shopRules, before);
    const differ = (what: string) =>
      kernel.journal.violation('orders', `order ${order.id} ${what}`);
    if (found && (order.test || order.buyer === undefined)) {
      differ('is known to the service, and should not be');
    } else if (mapped.kind !== 'wanted') {
      if (found) differ('is known to the service, and should not be');
    } else if (mapped.wanted.kind === 'order') {
      if (!found) differ('is not known to the service');
      else if (textOf(found) !== textOf(mapped.wanted.order)) {
        differ(`is held as ${textOf(found)} and not as ${textOf(mapped.wanted.order)}`);
      } else if (found.customerId !== mapped.wanted.order.Customer?.OriginalId) {
        differ(`is held as of customer ${found.customerId}, and is not theirs`);
      }
    } else if (found && !found.IsCancelledOrReturned)
      differ('is over, and the service holds it as alive');
  }
  for (const found of loyalty.orders.values()) {
    if (rows.orders.has(found.OriginalId) || found.IsCancelledOrReturned) continue;
    const what = `order ${found.OriginalId} was deleted, and the service holds it as alive`;
    kernel.journal.violation('orders', what);
  }
}

const textOf = (order: OrderForm | object): string => {
  const { OrderTotal, IsCompleted, OrderStatus, IsCancelledOrReturned, Products } =
    order as OrderForm;
  const products = Products?.map(({ OriginalId, ProductPrice }) => `${OriginalId} ${ProductPrice}`);
  return JSON.stringify([OrderTotal, IsCompleted, OrderStatus, IsCancelledOrReturned, products]);
};

function compareProducts({ kernel, rows, loyalty }: Held): void {
  const differ = (id: string, what: string) =>
    kernel.journal.violation('products', `product ${id} ${what}`);
  for (const product of rows.products.values()) {
    const found = loyalty.products.get(product.id);
    const mapped = mapProduct(toStoreProduct(product), shopRules, SHOP);
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
    if (rows.products.has(found.OriginalId) || !found.IsActive) continue;
    differ(found.OriginalId, 'was deleted, and the service holds it as on offer');
  }
}

function isSameProduct(found: object, wanted: ProductForm): boolean {
  const { ProductPrice, IsActive, Title } = found as ProductForm;
  return (
    ProductPrice === wanted.ProductPrice && IsActive === wanted.IsActive && Title === wanted.Title
  );
}

function compareCodes({ kernel, rows, loyalty }: Held): void {
  const due = new Map<string, number>();
  for (const discount of rows.discounts.values()) {
    for (const code of discount.codes) {
      const coupon = toStoreCoupon(discount, code);
      const mapped = mapCoupon(coupon, shopRules, { known: true, now: kernel.now() });
      if (mapped.kind === 'wanted' && mapped.wanted.kind === 'coupon') {
        due.set(code, mapped.wanted.coupon.CouponValue ?? 0);
      }
    }
  }
  const held = [...loyalty.coupons.values()].filter(({ isActive }) => isActive);
  for (const { CouponCode: code, CouponValue: value } of held) {
    if (!due.has(code)) kernel.journal.violation('codes', `code ${code} is over, and still usable`);
    else if (due.get(code) !== value) {
      kernel.journal.violation('codes', `code ${code} gives ${value}, and should ${due.get(code)}`);
    }
    due.delete(code);
  }
  for (const code of due.keys()) {
    kernel.journal.violation('codes', `code ${code} is not known to the service as usable`);
  }
}

/** No order earns twice, and none that is over keeps what it earned. */
function comparePoints({ kernel, loyalty }: Held): void {
  const earned = new Map<string, number>();
  for (const { source, pointsHundredths } of loyalty.points.values()) {
    if (source.kind !== 'order') continue;
    earned.set(source.orderId, (earned.get(source.orderId) ?? 0) + pointsHundredths);
  }
  for (const order of loyalty.orders.values()) {
    const earns = order.IsCompleted && !order.IsCancelledOrReturned;
    const due = earns ? Math.round(order.OrderTotal * 100) : 0;
    const has = earned.get(order.OriginalId) ?? 0;
    if (has === due) continue;
    const what = `order ${order.OriginalId} earned ${has / 100} points and is worth ${due / 100}`;
    kernel.journal.violation('points', what);
  }
}
