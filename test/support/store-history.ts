import { amountHeld } from '../../local/harness/held-order.ts';
import { readLastReconcile } from '../../shared/core/reconcile/last-reconcile.ts';
import type { StoreCoupon, StoreOrder, StoreProduct } from '../../shared/store/store-entities.ts';
import { buildOrder } from '../fixtures/order-payload.ts';
import { type OrderSpec, simpleOrder } from '../fixtures/order-spec.ts';
import { storeCoupon, storeOrder, storeProduct } from '../fixtures/store-entities.ts';
import { storeEvent } from '../fixtures/store-event.ts';
import { openConnector, SHOP } from './in-process-connector.ts';

const HOUR_MS = 3_600_000;

/** A connector that knows orders, products and codes by webhooks, and what a deep scan changes for them. */
export async function openKnowing({ orders = 3, products = 3, codes = ['A', 'B'] } = {}) {
  const { connector, history } = await openAfterRun();
  for (let i = 1; i <= orders; i += 1) await history.putOrder(String(70 + i), {}, true);
  for (let i = 1; i <= products; i += 1) await history.putProduct(String(80 + i), `Hat ${i}`, true);
  await history.putDiscount('91', codes, {}, true);
  await connector.drain();
  connector.clock.ms += HOUR_MS;
  await connector.reconcile();
  const { loyalty, telemetry } = connector;
  const { rows } = loyalty;
  return {
    ...connector,
    history,

    async reconcileDeeply(): Promise<void> {
      await connector.reconcile({ deep: true });
      await connector.drain();
    },

    lastRun: () => readLastReconcile(connector.ledger, SHOP),
    healed: (kind?: string) => telemetry.total('healed', kind ? { kind } : {}),
    rolledOut: (kind: string) => telemetry.total('rolled-out', { kind }),
    /** Calls that may change something: a deep scan also reads. */
    changes: () => loyalty.journal.filter(({ operation }) => operation !== 'getOrder').length,
    cancelled: () =>
      [...rows.orders.values()].flatMap((order) =>
        order.IsCancelledOrReturned ? [order.OriginalId] : [],
      ),
    activeCodes: () =>
      [...rows.coupons.values()]
        .flatMap(({ isActive, CouponCode }) => (isActive ? [CouponCode] : []))
        .toSorted(),
    productsOnOffer: () =>
      [...rows.products.values()]
        .flatMap((product) => (product.IsActive ? [product.OriginalId] : []))
        .toSorted(),
  };
}

type Connector = ReturnType<typeof openConnector>;

/** Changes in the store, with or without an event for the connector. */
export function createStoreHistory(connector: Connector) {
  const moment = () => new Date(Math.floor(connector.clock.ms / 1000) * 1000).toISOString();
  const event = (kind: 'order' | 'product' | 'discount', id: string, topic: string) =>
    storeEvent({
      shop: SHOP,
      kind,
      id,
      topic,
      deliveryId: `${topic}/${id}/${connector.clock.ms}`,
      receivedAt: moment(),
      body: undefined,
    });
  const now = {
    orders: new Map<string, StoreOrder>(),
    products: new Map<string, StoreProduct>(),
    coupons: new Map<string, readonly StoreCoupon[]>(),
  };
  /** By order: a store never moves the moment of an order. */
  const placedAt = new Map<string, string>();
  return {
    async putOrder(id: string, spec: Partial<OrderSpec>, isTold: boolean): Promise<void> {
      const whole = { ...simpleOrder, ...spec };
      const updated_at = moment();
      const placed = placedAt.get(id) ?? updated_at;
      placedAt.set(id, placed);
      const changes = {
        id: Number(id),
        admin_graphql_api_id: `gid://shopify/Order/${id}`,
        created_at: placed,
        processed_at: placed,
        updated_at,
      };
      const order = storeOrder(whole, changes);
      now.orders.set(id, order);
      connector.store.putOrder(SHOP, order);
      if (!isTold) return;
      const { payload } = buildOrder(whole, changes);
      await connector.deliver({ topic: 'orders/updated', payload });
    },
    async putProduct(id: string, title: string, isTold: boolean): Promise<void> {
      const product = storeProduct({ id, title, updatedAt: moment() });
      now.products.set(id, product);
      connector.store.putProduct(SHOP, product);
      if (isTold) await connector.send(event('product', id, 'products/update'));
    },
    /** Sets all codes of the discount; codes that are missing in the list are removed. */
    async putDiscount(
      id: string,
      codes: readonly string[],
      changes: Partial<StoreCoupon>,
      isTold: boolean,
    ): Promise<void> {
      connector.store.remove(SHOP, 'discount', id);
      const coupons = codes.map((code) =>
        storeCoupon({ ...changes, code, discountId: id, updatedAt: moment() }),
      );
      now.coupons.set(id, coupons);
      for (const coupon of coupons) connector.store.putCoupon(SHOP, coupon);
      if (isTold) await connector.send(event('discount', id, 'discounts/update'));
    },
    /** A new connector that gets the current state of everything. */
    async tellAll(other: Connector): Promise<void> {
      other.clock.ms = connector.clock.ms;
      const again = createStoreHistory(other);
      for (const [id, order] of now.orders) {
        other.store.putOrder(SHOP, order);
        await again.ask('order', id, 'orders/updated');
      }
      for (const [id, product] of now.products) {
        other.store.putProduct(SHOP, product);
        await again.ask('product', id, 'products/update');
      }
      for (const [id, coupons] of now.coupons) {
        for (const coupon of coupons) other.store.putCoupon(SHOP, coupon);
        if (coupons.length > 0) await again.ask('discount', id, 'discounts/update');
      }
      await other.drain();
    },
    /** An event without a body. */
    async ask(kind: 'order' | 'product' | 'discount', id: string, topic: string): Promise<void> {
      await connector.send(event(kind, id, topic));
    },
  };
}

/**
 * The state of the loyalty service, without what depends on the number of calls or their time. Codes that
 * have ended are omitted: a connector that first sees them then has nothing to remove.
 */
export function heldBy({ loyalty }: Connector): unknown {
  const { orders, products, coupons } = loyalty.rows;
  const plain = (rows: Iterable<object>) =>
    [...rows].map((row) => {
      const { Id, pointId, UpdatedDate, Metadatas, customerId, ...rest } = row as Record<
        string,
        unknown
      >;
      return JSON.stringify(rest);
    });
  return {
    // Whether it was completed before, and how its amount was reached, depends on what was seen of it.
    orders: plain(
      [...orders.values()].map((order) => ({
        id: order.OriginalId,
        amount: amountHeld(order),
        coupon: order.Coupon,
        payment: order.PaymentMethod,
      })),
    ).toSorted(),
    products: plain(products.values()).toSorted(),
    coupons: plain([...coupons.values()].filter(({ isActive }) => isActive)).toSorted(),
  };
}

/** Replaces questions of a run to the store; returns how to undo it. */
export function replaceScan(
  { parts }: Pick<Connector, 'parts'>,
  replace: (walked: typeof parts.walked) => Partial<typeof parts.walked>,
): () => void {
  const { walked } = parts;
  parts.walked = Object.assign(Object.create(walked), replace(walked));
  return () => {
    parts.walked = walked;
  };
}

/** One run whose time ends with the fifth question to the store, as if each took long. */
export async function reconcileBriefly(connector: Connector, deep = false): Promise<void> {
  const end = new AbortController();
  const { walked } = connector.parts;
  let asked = 0;
  connector.parts.walked = new Proxy(walked, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        asked += 1;
        if (asked >= 6) end.abort();
        return member.apply(target, given);
      };
    },
  });
  await connector.reconcile({ deep, deadline: end.signal });
  connector.parts.walked = walked;
}

/** A connector that has run once, an hour ago. */
export async function openAfterRun(given: Parameters<typeof openConnector>[0] = {}) {
  const connector = openConnector(given);
  const history = createStoreHistory(connector);
  await connector.reconcile();
  connector.clock.ms += 3_600_000;
  return { connector, history };
}
