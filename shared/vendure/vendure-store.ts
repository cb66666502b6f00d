import type { ShopStore, StoreSettings } from '../core/platform/platform.ts';
import type {
  DiscountPage,
  ScanAnswer,
  ScannedKind,
  ScanPage,
  Span,
  StoreAnswer,
  StoreUnavailable,
} from '../core/store/store.ts';
import type {
  StoreCoupon,
  StoreMember,
  StoreOrder,
  StoreProduct,
} from '../store/store-entities.ts';
import {
  channelOf,
  createVendureClient,
  type VendureClient,
  type VendureClientSettings,
} from './admin-client.ts';
import {
  documents,
  type VendureCustomer,
  type VendureOrder,
  type VendureProduct,
  type VendurePromotion,
  type VendureSellerOrder,
} from './documents.ts';
import { readVendureCoupon, readVendureProduct } from './read-catalogue.ts';
import { readCustomer, readVendureOrder } from './read-order.ts';

interface VendureShop extends VendureClientSettings {
  readonly currency: string;
  readonly precision: number;
  /** How long after an order was placed it may still change. */
  readonly changeDays: number;
}

export interface VendureStoreSettings {
  readonly shop: (domain: string) => VendureShop;
  readonly now?: () => Date;
  readonly pageSize?: number;
}

const DAY_MS = 86_400_000;
/** With the last one of the page before. Far below the thousand that a list may have, because of the parts of an order. */
const PAGE = 100;

interface List<Item> {
  readonly totalItems: number;
  readonly items: readonly Item[];
}

/** Of coupons with one code, the last one counts. */
const FORCE = ['expired', 'scheduled', 'active'];

type Promotion = VendurePromotion & { readonly coupon?: StoreCoupon };

/** Makes what was read whole by further questions. */
type Complete<Raw> = (domain: string, raws: readonly Raw[]) => Promise<ScanAnswer<readonly Raw[]>>;

const leave = async <Raw>(
  _domain: string,
  raws: readonly Raw[],
): Promise<ScanAnswer<readonly Raw[]>> => ({ kind: 'found', value: raws });

export const openVendureStore = ({ shop }: StoreSettings): ShopStore =>
  createVendureStore({ shop: (domain) => channelOf(shop(domain)) });

/** The shops of one or several Vendure servers. Every method reads. */
export function createVendureStore(settings: VendureStoreSettings): ShopStore {
  const { now = () => new Date(), pageSize = PAGE } = settings;
  const clients = new Map<string, VendureClient>();
  /** Of shops whose server refused a page as too long. */
  const shorterPages = new Map<string, number>();
  return openStore(undefined);

  function openStore(signal: AbortSignal | undefined): ShopStore {
    function shopOf(domain: string) {
      const shop = settings.shop(domain);
      const client = clients.get(domain) ?? createVendureClient(shop);
      clients.set(domain, client);
      return { shop, reading: { readAt: now(), precision: shop.precision } };
    }

    async function ask<Value>(
      domain: string,
      query: string,
      variables: Readonly<Record<string, unknown>>,
    ): Promise<{ readonly kind: 'data'; readonly value: Value } | StoreUnavailable> {
      const client = clients.get(domain);
      if (!client) throw new Error(`unknown shop: ${domain}`);
      const answer = await client.ask<Readonly<Record<string, Value>>>(query, variables, signal);
      if (answer.kind !== 'data') return answer;
      const [value] = Object.values(answer.data);
      return { kind: 'data', value: value as Value };
    }

    /** Read before the call, so that what changed during it counts as later. */
    async function readOne<Raw, Value>(
      domain: string,
      query: string,
      id: string,
      read: (raw: Raw, shop: ReturnType<typeof shopOf>) => Value | undefined,
      complete = leave<Raw>,
    ): Promise<StoreAnswer<Value>> {
      const shop = shopOf(domain);
      const answer = await ask<Raw | null>(domain, query, { id });
      if (answer.kind === 'unavailable') return answer;
      const raws = await complete(domain, answer.value === null ? [] : [answer.value]);
      if (raws.kind === 'unavailable') return raws;
      const [value] = raws.value.map((raw) => read(raw, shop));
      return value === undefined ? { kind: 'gone' } : { kind: 'found', value };
    }

    /**
     * A deletion moves all that follow forward. So a page begins with the last one that was read before, which is looked
     * for further in front where it has moved; if it was deleted itself, all are read again.
     */
    async function listAfter<Raw extends { readonly id: string }>(
      domain: string,
      query: string,
      options: object,
      after: string | undefined,
    ) {
      const [, place = '0', last] = /^(\d+)\/(.*)$/s.exec(after ?? '') ?? [];
      let skip = Number(place);
      for (;;) {
        const take = shorterPages.get(domain) ?? pageSize;
        const page = { ...options, take, skip };
        const answer = await ask<List<Raw>>(domain, query, { options: page });
        if (answer.kind === 'unavailable') {
          // No answer of the server says how many it lists: `apiOptions.adminListQueryLimit` of the merchant.
          if (answer.why !== 'list-too-long' || take <= 2) return answer;
          // A page of one would hold no more than the last one that was read before.
          shorterPages.set(domain, Math.max(2, Math.floor(take / 2)));
          continue;
        }
        const { items, totalItems } = answer.value;
        const read = items.findIndex(({ id }) => id === last);
        if (last !== undefined && read < 0 && skip > 0) {
          skip = Math.max(0, skip - take);
          continue;
        }
        const end = skip + items.length - 1;
        const next = end + 1 < totalItems ? `${end}/${items.at(-1)?.id}` : undefined;
        return { kind: 'data', value: { items: items.slice(read + 1), next } } as const;
      }
    }

    async function readPage<Raw extends { readonly id: string }, Value>(
      domain: string,
      query: string,
      options: object,
      after: string | undefined,
      read: (raw: Raw, shop: ReturnType<typeof shopOf>) => Value | undefined,
      complete = leave<Raw>,
    ): Promise<ScanAnswer<ScanPage<Value>>> {
      const shop = shopOf(domain);
      const answer = await listAfter<Raw>(domain, query, options, after);
      if (answer.kind === 'unavailable') return answer;
      const { items, next } = answer.value;
      const raws = await complete(domain, items);
      if (raws.kind === 'unavailable') return raws;
      const updatedAt = shop.reading.readAt.toISOString();
      const changed = raws.value.flatMap((raw) => {
        const value = read(raw, shop);
        return value === undefined ? [] : [{ id: raw.id, updatedAt, value }];
      });
      return { kind: 'found', value: { changed, ...(next !== undefined && { next }) } };
    }

    /**
     * All that match, however few the server lists at once. What was read is left out of the next question: so a
     * deletion hides no other one.
     */
    async function listAll<Item extends { readonly id: string }>(
      domain: string,
      query: string,
      filter: Readonly<Record<string, object>>,
    ): Promise<ScanAnswer<readonly Item[]>> {
      const read: Item[] = [];
      for (;;) {
        const known = read.length > 0 && { notIn: read.map(({ id }) => id) };
        const options = {
          filter: known ? { ...filter, id: { ...filter.id, ...known } } : filter,
          sort: { id: 'ASC' },
        };
        const answer = await ask<List<Item>>(domain, query, { options });
        if (answer.kind === 'unavailable') return answer;
        const { items, totalItems } = answer.value;
        read.push(...items);
        if (items.length === 0 || items.length >= totalItems) return { kind: 'found', value: read };
      }
    }

    async function absentOf(
      domain: string,
      query: string,
      ids: readonly string[],
    ): Promise<ScanAnswer<ReadonlySet<string>>> {
      if (ids.length === 0) return { kind: 'found', value: new Set() };
      const answer = await listAll(domain, query, { id: { in: ids } });
      if (answer.kind === 'unavailable') return answer;
      const there = new Set(answer.value.map(({ id }) => id));
      return { kind: 'found', value: new Set(ids.filter((id) => !there.has(id))) };
    }

    /** An order keeps a customer who was deleted, with their data: only the list of customers shows that they are. */
    const withoutDeleted: Complete<VendureOrder> = async (domain, orders) => {
      const ids = new Set(orders.flatMap(({ customer }) => customer?.id ?? []));
      const deleted = await absentOf(domain, documents.customerIds, [...ids]);
      if (deleted.kind === 'unavailable') return deleted;
      const value = orders.map((order) =>
        order.customer && deleted.value.has(order.customer.id)
          ? { ...order, customer: null }
          : order,
      );
      return { kind: 'found', value };
    };

    const withSellers: Complete<VendureOrder> = async (domain, orders) => {
      const ids = orders.flatMap(({ id, type }) => (type === 'Aggregate' ? id : []));
      if (ids.length === 0) return { kind: 'found', value: orders };
      const filter = { aggregateOrderId: { in: ids } };
      const sold = await listAll<VendureSellerOrder>(domain, documents.sellerOrders, filter);
      if (sold.kind === 'unavailable') return sold;
      const value = orders.map((order) => {
        const own = sold.value.filter(({ aggregateOrderId }) => aggregateOrderId === order.id);
        return own.length > 0 ? { ...order, sellerOrders: own } : order;
      });
      return { kind: 'found', value };
    };

    const completeOrders: Complete<VendureOrder> = async (domain, orders) => {
      const sold = await withSellers(domain, orders);
      return sold.kind === 'found' ? withoutDeleted(domain, sold.value) : sold;
    };

    const readOrder = (raw: VendureOrder, { shop, reading }: ReturnType<typeof shopOf>) => {
      const order = readVendureOrder(raw, reading);
      // Orders of other channels are listed in the default channel, too.
      const isOther = order && raw.currencyCode !== shop.currency;
      return isOther ? { ...order, ofOtherCurrency: true as const } : order;
    };

    const readMember = (
      raw: VendureCustomer,
      { reading }: ReturnType<typeof shopOf>,
    ): StoreMember => ({
      ...readCustomer(raw),
      updatedAt: reading.readAt.toISOString(),
      metafields: undefined,
    });

    /** What each code is now. A copy of a promotion has its code, and begins switched off: the one in force speaks. */
    async function couponsOf(
      domain: string,
      codes: readonly string[],
    ): Promise<ScanAnswer<ReadonlyMap<string, StoreCoupon>>> {
      if (codes.length === 0) return { kind: 'found', value: new Map() };
      const { reading } = shopOf(domain);
      const filter = { couponCode: { in: codes } };
      const answer = await listAll<VendurePromotion>(domain, documents.promotions, filter);
      if (answer.kind === 'unavailable') return answer;
      const coupons = answer.value
        .flatMap((promotion) => readVendureCoupon(promotion, reading) ?? [])
        .toSorted((one, other) => FORCE.indexOf(one.status) - FORCE.indexOf(other.status));
      return { kind: 'found', value: new Map(coupons.map((coupon) => [coupon.code, coupon])) };
    }

    const withCoupons: Complete<Promotion> = async (domain, promotions) => {
      const codes = new Set(promotions.flatMap(({ couponCode }) => couponCode || []));
      const coupons = await couponsOf(domain, [...codes]);
      if (coupons.kind === 'unavailable') return coupons;
      const value = promotions.map((promotion) => {
        const coupon = coupons.value.get(promotion.couponCode ?? '');
        return coupon ? { ...promotion, coupon } : promotion;
      });
      return { kind: 'found', value };
    };

    const readDiscountPage = ({ coupon }: Promotion): DiscountPage => ({
      automatic: !coupon,
      coupons: coupon ? [coupon] : [],
    });

    return {
      readOrder(domain, id, { book } = {}): Promise<StoreAnswer<StoreOrder>> {
        const document = book ? documents.orderWithHistory : documents.order;
        return readOne<VendureOrder, StoreOrder>(domain, document, id, readOrder, completeOrders);
      },

      readProduct: (domain, id): Promise<StoreAnswer<StoreProduct>> =>
        readOne<VendureProduct, StoreProduct>(domain, documents.product, id, (raw, { reading }) =>
          readVendureProduct(raw, reading),
        ),

      async readCoupon(domain, code): Promise<StoreAnswer<StoreCoupon>> {
        const coupons = await couponsOf(domain, [code]);
        if (coupons.kind === 'unavailable') return coupons;
        const value = coupons.value.get(code);
        return value ? { kind: 'found', value } : { kind: 'gone' };
      },

      readMember: (domain, id): Promise<StoreAnswer<StoreMember>> =>
        readOne<VendureCustomer, StoreMember>(domain, documents.customer, id, readMember),

      readDiscount: (domain, id) =>
        readOne<Promotion, DiscountPage>(
          domain,
          documents.promotion,
          id,
          readDiscountPage,
          withCoupons,
        ),

      changedOrders(domain, { from = 0, until, by }: Span, after) {
        const { shop } = shopOf(domain);
        // No date of an order moves with a payment, a shipment or a refund: all that may still change are read.
        const changing = Math.min(from, until - shop.changeDays * DAY_MS);
        const since = by === 'creation' ? from : changing;
        const placed = { start: new Date(since).toISOString(), end: new Date(until).toISOString() };
        const options = {
          filter: { active: { eq: false }, orderPlacedAt: { between: placed } },
          sort: { orderPlacedAt: 'ASC', id: 'ASC' },
        };
        return readPage<VendureOrder, StoreOrder>(
          domain,
          documents.orders,
          options,
          after,
          readOrder,
          completeOrders,
        );
      },

      // A change of price moves no date of the product, so all are read.
      changedProducts: (domain, _span, after) =>
        readPage<VendureProduct, StoreProduct>(
          domain,
          documents.products,
          { sort: { id: 'ASC' } },
          after,
          (raw, { reading }) => readVendureProduct(raw, reading),
        ),

      // With those that have no code any more: what they had is to be ended.
      changedDiscounts: (domain, _span, after) =>
        readPage<Promotion, DiscountPage>(
          domain,
          documents.promotions,
          { sort: { id: 'ASC' } },
          after,
          readDiscountPage,
          withCoupons,
        ),

      // Their date of change moves with each: also when a customer changes the e-mail address of the account.
      changedMembers(domain, { from = 0, until }: Span, after) {
        const changed = { start: new Date(from).toISOString(), end: new Date(until).toISOString() };
        const options = {
          filter: { updatedAt: { between: changed } },
          sort: { updatedAt: 'ASC', id: 'ASC' },
        };
        const query = documents.customers;
        return readPage<VendureCustomer, StoreMember>(domain, query, options, after, readMember);
      },

      async findAbsent(domain, kind: ScannedKind, ids) {
        shopOf(domain);
        const query = {
          order: documents.orderIds,
          product: documents.productIds,
          discount: documents.promotionIds,
        }[kind];
        return absentOf(domain, query, ids);
      },

      overriddenDiscounts: async () => ({ kind: 'found', value: new Map() }),

      seesAllOrders: async () => ({ kind: 'found', value: true }),

      until: (until) => openStore(until),
    };
  }
}
