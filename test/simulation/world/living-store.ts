import { type Change, Tables } from '../../../local/sandbox-kit/tables.ts';
import { pick, toPaths } from '../../../local/store-sandbox/delivery/sender.ts';
import { act } from '../../../local/store-sandbox/model/actions.ts';
import {
  type Cart,
  cartWithoutCode,
  variedCart,
} from '../../../local/store-sandbox/model/carts.ts';
import { codesOf, discountStatus } from '../../../local/store-sandbox/model/discounts.ts';
import { createIds } from '../../../local/store-sandbox/model/ids.ts';
import {
  type CodeRow,
  type CustomerRow,
  type DiscountRow,
  type OrderRow,
  openRows,
  type ProductRow,
} from '../../../local/store-sandbox/model/rows.ts';
import { type Habits, StoreLife } from '../../../local/store-sandbox/model/store-life.ts';
import type { Announcement, World } from '../../../local/store-sandbox/model/world.ts';
import {
  buildPayload,
  productPayload,
} from '../../../local/store-sandbox/payloads/build-payload.ts';
import { customerPayload } from '../../../local/store-sandbox/payloads/customer-payload.ts';
import { defaultShop } from '../../../local/store-sandbox/settings.ts';
import type { EntityKind } from '../../../shared/core/events/event.ts';
import type { StoreAnswer } from '../../../shared/core/store/store.ts';
import { wantedSubscriptions } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { readCustomerWebhook } from '../../../shared/shopify/webhooks/read-customer-webhook.ts';
import { readProductWebhook } from '../../../shared/shopify/webhooks/read-product-webhook.ts';
import { parseJson } from '../../../shared/shopify/webhooks/topics.ts';
import { readAmount } from '../../../shared/store/money.ts';
import type {
  StoreCoupon,
  StoreMember,
  StoreOrder,
  StoreProduct,
} from '../../../shared/store/store-entities.ts';
import { createMemoryStore, type MemoryStore } from '../../support/memory-store.ts';
import { readOrderRow } from '../../support/sandbox-admin.ts';
import { SHOP, shopRules } from './connector.ts';

/** A small, busy store whose changes are often undone by later ones. */
const habits: Habits = {
  weights: {
    placeOrder: 100,
    tagOrder: 150,
    payOrder: 60,
    payDeposit: 30,
    voidPayment: 8,
    expirePayment: 8,
    fulfilOrder: 70,
    fulfilPart: 15,
    editOrder: 130,
    exchangeLine: 40,
    refundLine: 45,
    refundShippingTo: 15,
    refundAmount: 30,
    refundLater: 25,
    settleRefund: 40,
    openDispute: 6,
    decideDispute: 10,
    returnLine: 10,
    refundReturn: 5,
    cancelOrder: 30,
    closeOrder: 5,
    deleteOrder: 25,
    changeContact: 30,
    mergeCustomers: 10,
    deleteCustomer: 12,
    redactCustomer: 10,
    createProduct: 20,
    changePrice: 120,
    changeStatus: 40,
    changeInventory: 85,
    deleteProduct: 10,
    createDiscount: 12,
    changePercentage: 40,
    endOrRestart: 15,
    addCode: 25,
    removeCode: 18,
    deleteDiscount: 10,
  },
  cart: simulatedCart,
  prices: [10, 20, 35],
  pieces: [1, 2],
  repeats: 0.5,
  changesEndedOrders: false,
  minimum: { customers: 6, products: 3, discounts: 2 },
  // Reconcile does not trust more deletions at once.
  maxDeleted: 3,
};

/** Products of the store for one of its customers or a guest, and money of every kind. */
function simulatedCart(...given: Parameters<Cart>): ReturnType<Cart> {
  const { lines: _, customerId: __, ...money } = variedCart(defaultShop.currency)(...given);
  return { ...cartWithoutCode(...given), ...money };
}

const partsOf: Readonly<Record<string, readonly string[]>> = {
  line_items: [
    'id',
    'product_id',
    'title',
    'vendor',
    'quantity',
    'current_quantity',
    'price',
    'gift_card',
    'tip_payment_gateway',
    'discount_allocations',
    'tax_lines',
  ],
  refunds: [
    'created_at',
    'order_adjustments',
    'transactions',
    'refund_shipping_lines',
    'refund_line_items.line_item_id',
    'refund_line_items.quantity',
    'refund_line_items.subtotal',
    'refund_line_items.subtotal_set',
    'refund_line_items.total_tax',
    'refund_line_items.total_tax_set',
    'total_duties_set',
  ],
};

/**
 * The fields of the simulated webhooks by topic; an empty list means all. They are those of the
 * connector's subscriptions; of lines and refunds only those that are read, to save time.
 */
const pathsOf = new Map(
  wantedSubscriptions('https://hooks.example.com/store').map(({ topic, includeFields }) => [
    topic,
    toPaths(
      includeFields.flatMap((field) => partsOf[field]?.map((part) => `${field}.${part}`) ?? field),
    ),
  ]),
);

type Kind = EntityKind;

/** The body is the state of the entity at that moment. */
export interface SentWebhook {
  readonly topic: string;
  readonly body: string;
}

interface StoreStep {
  readonly words: string;
  /** Undefined means nothing happened. */
  readonly action?: string;
  readonly webhooks: readonly SentWebhook[];
}

/**
 * The store sandbox's model on the virtual clock, with an Admin API: the model of the store contract,
 * updated only when it is read, because most events never read it.
 */
export class LivingStore {
  readonly world: World;
  /** By order: all its states, oldest first; undefined for its deletion. */
  readonly orderStates = new Map<string, (OrderRow | undefined)[]>();
  /** By order: its customer, whom the store forgets when the customer is deleted. */
  readonly buyers = new Map<string, string>();
  /** Customers whom the store asked to erase, with the orders that it named. */
  readonly redacted = new Map<
    string,
    { readonly at: number; readonly orders: readonly string[] }
  >();
  /** Customers who are gone, and into whom they were merged. */
  readonly merged = new Map<string, string>();
  readonly #tables = new Tables();
  readonly #life: StoreLife;
  readonly #model: MemoryStore = createMemoryStore();
  readonly #stale = new Map<string, () => Promise<void>>();
  /** Every code that the store ever had, by its key. */
  readonly #codes = new Map<string, CodeRow>();
  /** Undefined when this store never lags, so its past is not needed. */
  readonly #past:
    | Map<string, { readonly at: number; readonly value: () => Promise<unknown> }[]>
    | undefined;
  #draw: () => number = () => 0;

  constructor(now: () => Date, lags: boolean) {
    const rows = openRows(this.#tables);
    const usual = createIds(rows.counters, 'usual');
    const long = createIds(rows.counters, 'beyond-2^53');
    this.world = {
      rows,
      shop: {
        ...defaultShop,
        domain: SHOP,
        utcOffset: '+00:00',
        taxesIncluded: true,
        taxes: [{ title: 'VAT', ratePpm: 190_000 }],
      },
      ids: {
        next: (kind) => (kind === 'Order' && this.#draw() < 0.2 ? long : usual).next(kind),
      },
      random: () => this.#draw(),
      now,
    };
    this.#life = new StoreLife(rows, habits, now);
    this.#model.now = () => now().getTime();
    this.#past = lags ? new Map() : undefined;
    while (rows.customers.size < habits.minimum.customers) this.step(() => 0);
  }

  /** One step of the store's life. Every step is possible in any state of the store. */
  step(draw: () => number): StoreStep {
    this.#draw = draw;
    const change = this.#life.next(draw);
    if (!change) return { words: 'nothing happens', webhooks: [] };
    const { action, input } = change;
    const words = `${action} ${JSON.stringify(input)}`;
    const outcome = act(this.world, action, input);
    this.#follow(this.#tables.takeChanges());
    if (outcome.kind === 'refused') return { words: `${words}: ${outcome.why}`, webhooks: [] };
    if (action === 'redactCustomer') {
      const { customerId } = input;
      const orders = [...this.world.rows.orders.values()].map(({ id }) => id);
      const theirs = orders.filter((id) => this.buyers.get(id) === customerId);
      this.redacted.set(customerId, { at: this.world.now().getTime(), orders: theirs });
    }
    if (action === 'mergeCustomers') this.merged.set(input.deletedId, input.keptId);
    // Most webhooks carry the fields that the connector asks for; those of a manual subscription carry all.
    const isWhole = draw() < 0.05;
    const isElsewhere = draw() < 0.3;
    return {
      words,
      action,
      webhooks: outcome.announcements.map((one) => this.#write(one, isWhole, isElsewhere)),
    };
  }

  /** The customer whom the store has now. */
  customerNow(id: string): string {
    const kept = this.merged.get(id);
    return kept === undefined ? id : this.customerNow(kept);
  }

  #write(announcement: Announcement, isWhole: boolean, isElsewhere: boolean): SentWebhook {
    const { topic } = announcement;
    const { shop } = this.world;
    const world = isElsewhere
      ? { ...this.world, shop: { ...shop, utcOffset: '+02:00' } }
      : this.world;
    const payload = buildPayload(world, announcement);
    return { topic, body: isWhole ? JSON.stringify(payload) : textOf(topic, payload) };
  }

  /** The entity in a store that lags by this time. */
  async asOf(kind: Kind, id: string, lagMs: number): Promise<StoreAnswer<unknown>> {
    const states = this.#past?.get(`${kind}/${id}`) ?? [];
    const value = await states.findLast(({ at }) => at <= this.#model.now() - lagMs)?.value();
    return value === undefined ? { kind: 'gone' } : { kind: 'found', value };
  }

  /** As the store is now. */
  async now(): Promise<MemoryStore> {
    const refreshes = [...this.#stale.values()];
    this.#stale.clear();
    for (const refresh of refreshes) await refresh();
    return this.#model;
  }

  /** The same for one entity: most changes are never read. A coupon is listed in the order of all changes. */
  async nowOf(kind: Kind, id: string): Promise<MemoryStore> {
    if (kind === 'coupon') return this.now();
    const refresh = this.#stale.get(`${kind}/${id}`);
    this.#stale.delete(`${kind}/${id}`);
    await refresh?.();
    return this.#model;
  }

  #follow(changes: readonly Change[]): void {
    const model = this.#model;
    for (const { table, key, row } of changes) {
      if (table === 'orders') {
        const order = row as OrderRow | undefined;
        const states = this.orderStates.get(key) ?? [];
        this.orderStates.set(key, states);
        states.push(order);
        if (order?.customerId) this.buyers.set(key, order.customerId);
        this.#keep('order', key, order && (() => toStoreOrder(this.world, order)), model.putOrder);
      } else if (table === 'products') {
        const product = row as ProductRow | undefined;
        const value = product && (() => toStoreProduct(this.world, product));
        this.#keep('product', key, value, model.putProduct);
      } else if (table === 'customers') {
        const customer = row as CustomerRow | undefined;
        const value = customer && (() => toStoreMember(this.world, customer));
        this.#keep('member', key, value, model.putMember);
        // The store shows an order with its customer of today.
        for (const order of this.world.rows.orders.values()) {
          if (order.customerId !== key) continue;
          this.#keep('order', order.id, () => toStoreOrder(this.world, order), model.putOrder);
        }
      } else if (table === 'codes') {
        if (row) this.#codes.set(key, row as CodeRow);
        const code = this.#codes.get(key);
        if (code) this.#keepCodes(code.discountId);
      } else if (table === 'discounts') {
        this.#keepCodes(key);
        if (!row) {
          this.#stale.set(`discount/${key}`, async () => model.remove(SHOP, 'discount', key));
        }
      }
    }
  }

  #keepCodes(discountId: string): void {
    const { rows, now } = this.world;
    const discount = rows.discounts.get(discountId);
    const existing = new Set(codesOf(this.world, discountId));
    for (const [key, { code, discountId: owner }] of this.#codes) {
      if (owner !== discountId) continue;
      const row = rows.codes.get(key);
      const value =
        discount && row && existing.has(row)
          ? () => toStoreCoupon(discount, row, now())
          : undefined;
      this.#keep('coupon', code, value, this.#model.putCoupon);
    }
  }

  #keep<Value>(
    kind: Kind,
    id: string,
    value: (() => Value | Promise<Value>) | undefined,
    put: (shop: string, value: Value) => void,
  ): void {
    this.#stale.set(`${kind}/${id}`, async () => {
      if (value) put(SHOP, await value());
      else this.#model.remove(SHOP, kind, id);
    });
    if (!this.#past) return;
    const states = this.#past.get(`${kind}/${id}`) ?? [];
    this.#past.set(`${kind}/${id}`, states);
    states.push({ at: this.#model.now(), value: async () => value?.() });
  }
}

function textOf(topic: string, payload: object): string {
  const paths = pathsOf.get(topic) ?? [];
  return JSON.stringify(paths.length > 0 ? pick(payload, paths) : payload);
}

/** As the Admin API answers, with the order's book: a webhook does not say everything. */
export const toStoreOrder = (world: World, order: OrderRow): Promise<StoreOrder> =>
  readOrderRow(world, order, shopRules, { book: 'if-changed' });

export function toStoreProduct(world: World, product: ProductRow): StoreProduct {
  const parsed = parseJson(textOf('products/update', productPayload(world, product)));
  const read = readProductWebhook(parsed.kind === 'parsed' ? parsed.value : undefined);
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.faults));
  return read.product;
}

function toStoreMember(world: World, customer: CustomerRow): StoreMember {
  const parsed = parseJson(textOf('customers/update', customerPayload(world, customer)));
  const read = readCustomerWebhook(parsed.kind === 'parsed' ? parsed.value : undefined);
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.faults));
  return { ...read.member, metafields: [] };
}

export function toStoreCoupon(discount: DiscountRow, code: CodeRow, now: Date): StoreCoupon {
  const { value } = discount;
  if (value?.kind !== 'percentage') throw new Error('the simulated store has percentages only');
  return {
    code: code.code,
    codeId: code.id,
    discountId: discount.id,
    kind: 'percentage',
    value: readAmount(String(value.ppm / 10_000)),
    status: discountStatus(discount, now) === 'ACTIVE' ? 'active' : 'expired',
    createdAt: iso(discount.createdAt),
    startsAt: iso(discount.startsAt),
    endsAt: discount.endsAt === null ? undefined : iso(discount.endsAt),
    updatedAt: iso(discount.updatedAt),
    audience: { kind: 'everyone' },
    timesUsed: code.used,
    useLimit: undefined,
    oncePerCustomer: false,
    madeByConnector: false,
  };
}

const iso = (moment: string): string => new Date(moment).toISOString();
