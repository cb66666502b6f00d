import type { StoreAnswer } from '../../../shared/core/sync/store-reader.ts';
import { parseJson } from '../../../shared/shopify/webhooks/parse-json.ts';
import { readOrderWebhook } from '../../../shared/shopify/webhooks/read-order-webhook.ts';
import { readProductWebhook } from '../../../shared/shopify/webhooks/read-product-webhook.ts';
import type { StoreCoupon } from '../../../shared/store/coupon.ts';
import { readAmount } from '../../../shared/store/money.ts';
import type { StoreOrder } from '../../../shared/store/order.ts';
import type { StoreProduct } from '../../../shared/store/product.ts';
import { createMemoryStore, type MemoryStore } from '../../models/memory-store.ts';
import { orderNotice, productBody, utc } from './payloads.ts';
import type { DiscountRow, OrderRow, ProductRow, StoreRows } from './rows.ts';
import type { Happening } from './store-life.ts';

/**
 * What the Admin API says of the living store: the model that keeps the store's contract, brought up to
 * date only when it is asked, because most events never ask.
 */
export class LivingStore {
  readonly shop: string;
  readonly #rows: StoreRows;
  readonly #model: MemoryStore = createMemoryStore();
  readonly #stale = new Map<string, Happening['touched'][number]>();
  readonly #codes = new Map<string, readonly string[]>();
  readonly #now: () => number;
  readonly #codesSeen = new Map<string, ReadonlySet<string>>();
  /** Undefined: this store never lags, and its past need not be known. */
  readonly #past: Map<string, { readonly at: number; readonly value: () => unknown }[]> | undefined;

  constructor(shop: string, rows: StoreRows, now: () => number, lags: boolean) {
    this.shop = shop;
    this.#rows = rows;
    this.#now = now;
    this.#model.now = now;
    this.#past = lags ? new Map() : undefined;
  }

  /** To be told after every change. */
  touch(touched: Happening['touched']): void {
    for (const one of touched) {
      this.#stale.set(`${one.kind}/${one.id}`, one);
      if (this.#past) this.#remember(one);
    }
  }

  /** What a store that lags by so much says of one thing. */
  asOf(kind: 'order' | 'product' | 'coupon', id: string, lagMs: number): StoreAnswer<unknown> {
    const states = this.#past?.get(`${kind}/${id}`) ?? [];
    const value = states.findLast(({ at }) => at <= this.#now() - lagMs)?.value();
    return value === undefined ? { kind: 'gone' } : { kind: 'found', value };
  }

  #remember({ kind, id }: Happening['touched'][number]): void {
    const keep = (key: string, value: () => unknown) => {
      const states = this.#past?.get(key) ?? [];
      this.#past?.set(key, states);
      states.push({ at: this.#now(), value });
    };
    if (kind === 'orders') {
      const order = structuredClone(this.#rows.orders.get(id));
      keep(`order/${id}`, () => order && toStoreOrder(order));
    } else if (kind === 'products') {
      const product = structuredClone(this.#rows.products.get(id));
      keep(`product/${id}`, () => product && toStoreProduct(product));
    } else {
      const discount = structuredClone(this.#rows.discounts.get(id));
      const codes = new Set([...(this.#codesSeen.get(id) ?? []), ...(discount?.codes ?? [])]);
      this.#codesSeen.set(id, codes);
      for (const code of codes) {
        const has = discount?.codes.includes(code);
        keep(`coupon/${code}`, () => (has && discount ? toStoreCoupon(discount, code) : undefined));
      }
    }
  }

  /** As the store is now. */
  get now(): MemoryStore {
    for (const { kind, id } of this.#stale.values()) this.#refresh(kind, id);
    this.#stale.clear();
    return this.#model;
  }

  #refresh(kind: keyof StoreRows, id: string): void {
    const { shop } = this;
    if (kind === 'orders') {
      const order = this.#rows.orders.get(id);
      const value = order && toStoreOrder(order);
      if (value) this.#model.putOrder(shop, value);
      else this.#model.remove(shop, 'order', id);
    } else if (kind === 'products') {
      const product = this.#rows.products.get(id);
      const value = product && toStoreProduct(product);
      if (value) this.#model.putProduct(shop, value);
      else this.#model.remove(shop, 'product', id);
    } else {
      const discount = this.#rows.discounts.get(id);
      const codes = discount?.codes ?? [];
      for (const code of this.#codes.get(id) ?? []) {
        if (codes.includes(code)) continue;
        this.#model.remove(shop, 'coupon', code);
      }
      this.#codes.set(id, [...codes]);
      if (!discount) this.#model.remove(shop, 'discount', id);
      for (const code of discount ? codes : []) {
        const coupon = discount && toStoreCoupon(discount, code);
        if (!coupon) continue;
        this.#model.putCoupon(shop, coupon);
      }
    }
  }
}

export function toStoreOrder(order: OrderRow): StoreOrder {
  const parsed = parseJson(orderNotice('', order).body);
  const read = readOrderWebhook(parsed.kind === 'parsed' ? parsed.value : undefined);
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.faults));
  return read.order;
}

export function toStoreProduct(product: ProductRow): StoreProduct {
  const read = readProductWebhook(productBody(product));
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.faults));
  return read.product;
}

export function toStoreCoupon(discount: DiscountRow, code: string): StoreCoupon {
  return {
    code,
    codeId: '20453209080041',
    discountId: discount.id,
    kind: 'percentage',
    value: readAmount(String(discount.percent)),
    status: discount.endsAt === undefined ? 'active' : 'expired',
    createdAt: iso(discount.createdAt),
    startsAt: iso(discount.createdAt),
    endsAt: discount.endsAt === undefined ? undefined : iso(discount.endsAt),
    updatedAt: iso(discount.updatedAt),
    audience: { kind: 'everyone' },
    timesUsed: 0,
    useLimit: undefined,
    oncePerCustomer: false,
    madeByConnector: false,
  };
}

const iso = (ms: number): string => new Date(utc(ms)).toISOString();
