import type { StoreCoupon } from '../../shared/store/coupon.ts';
import type { StoreOrder } from '../../shared/store/order.ts';
import type { StoreProduct } from '../../shared/store/product.ts';
import type { Store, StoreAnswer } from '../../shared/sync/store-reader.ts';

/** A store in this process, under the same contract suite as the one behind the Admin API. */
export interface MemoryStore extends Store {
  putOrder(shop: string, order: StoreOrder): void;
  putProduct(shop: string, product: StoreProduct): void;
  putCoupon(shop: string, coupon: StoreCoupon): void;
  putAutomaticDiscount(shop: string, id: string): void;
  remove(shop: string, kind: 'order' | 'product' | 'coupon' | 'discount', id: string): void;
  /** Until undefined is given, every question is answered with this. */
  outage: Extract<StoreAnswer<never>, { kind: 'unavailable' }> | undefined;
  readonly reads: number;
}

const CODES_PER_PAGE = 50;

export function createMemoryStore(): MemoryStore {
  const things = new Map<string, unknown>();
  const at = (shop: string, kind: string, id: string) => `${shop}|${kind}|${id}`;
  let reads = 0;
  let outage: MemoryStore['outage'];

  function read<Value>(shop: string, kind: string, id: string): StoreAnswer<Value> {
    reads += 1;
    if (outage) return outage;
    const value = things.get(at(shop, kind, id)) as Value | undefined;
    return value === undefined ? { kind: 'gone' } : { kind: 'found', value };
  }

  function couponsOf(shop: string, discountId: string): StoreCoupon[] {
    return [...things]
      .filter(([key]) => key.startsWith(at(shop, 'coupon', '')))
      .map(([, coupon]) => coupon as StoreCoupon)
      .filter((coupon) => coupon.discountId === discountId);
  }

  const store: MemoryStore = {
    get reads() {
      return reads;
    },
    get outage() {
      return outage;
    },
    set outage(answer) {
      outage = answer;
    },
    putOrder: (shop, order) => things.set(at(shop, 'order', order.id), order),
    putProduct: (shop, product) => things.set(at(shop, 'product', product.id), product),
    putCoupon(shop, coupon) {
      things.set(at(shop, 'coupon', coupon.code), coupon);
      things.set(at(shop, 'discount', coupon.discountId), { automatic: false });
    },
    putAutomaticDiscount: (shop, id) => things.set(at(shop, 'discount', id), { automatic: true }),
    remove(shop, kind, id) {
      things.delete(at(shop, kind, id));
      if (kind !== 'discount') return;
      for (const { code } of couponsOf(shop, id)) things.delete(at(shop, 'coupon', code));
    },
    until: () => store,
    readOrder: async (shop, id) => read(shop, 'order', id),
    readProduct: async (shop, id) => read(shop, 'product', id),
    readCoupon: async (shop, code) => read(shop, 'coupon', code),
    async readDiscount(shop, id, from = '0') {
      const answer = read<{ readonly automatic: boolean }>(shop, 'discount', id);
      if (answer.kind !== 'found') return answer;
      const start = Number(from);
      const end = start + CODES_PER_PAGE;
      const codes = couponsOf(shop, id);
      const next = end < codes.length ? { next: String(end) } : {};
      return {
        kind: 'found',
        value: { ...answer.value, coupons: codes.slice(start, end), ...next },
      };
    },
  };
  return store;
}
