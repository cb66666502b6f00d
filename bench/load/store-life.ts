import type { Random } from '../../local/sandbox-kit/seeded-random.ts';
import type { ActionInput, ActionName } from '../../local/store-sandbox/model/actions.ts';
import type { OrderRow } from '../../local/store-sandbox/model/order-row.ts';
import type { StoreControl } from './store-control.ts';

/** Something that happens in the store. */
interface Happening {
  /** Of ten thousand. */
  readonly weight: number;
  /** How many webhooks it causes, more or less: the rate is kept by it. */
  readonly webhooks: number;
  /** Undefined: there is nothing it could happen to. */
  happen(): Promise<unknown> | undefined;
}

export interface Happened {
  readonly webhooks: number;
  readonly done: Promise<unknown>;
}

const CUSTOMERS = 60;
/**
 * A code that is taken back before anybody has heard of it is waited for: ten minutes, in case the store
 * is behind its own webhooks. That would be all that a run is waiting for in the end.
 */
const CODE_LIFE_MS = 120_000;
/** Orders that may still change; the oldest are left in peace. */
const ORDERS_KEPT = 400;

/**
 * What happens in a shop: orders placed, sent, refunded, edited and cancelled, prices and stock changed,
 * codes given and taken back. Drawn from a seed; only what the store answers depends on time.
 */
export class StoreLife {
  readonly #store: StoreControl;
  readonly #random: Random;
  readonly #mostOrders: number;
  #orders: OrderRow[] = [];
  readonly #refunded = new Set<string>();
  #products: readonly { readonly id: string; readonly variants: readonly { id: string }[] }[] = [];
  #customerIds: string[] = [];
  #discountId = '';
  #codes: { readonly code: string; readonly givenAt: number }[] = [];
  #placed = 0;
  #given = 0;

  constructor(store: StoreControl, random: Random, mostOrders: number) {
    this.#store = store;
    this.#random = random;
    this.#mostOrders = mostOrders;
  }

  /** Customers to buy, and a discount to give codes of. */
  async open(): Promise<void> {
    const { products, discounts } = await this.#store.state();
    // What the store had before anybody listened is told once, as when stock is taken.
    for (const { id } of products) {
      await this.#store.act('changeInventory', { productId: id, by: 100 });
    }
    for (const { id, title } of discounts) {
      await this.#store.act('updateDiscount', { discountId: id, title });
    }
    this.#products = products.filter(({ status }) => status === 'active');
    for (let n = 1; n <= CUSTOMERS; n += 1) {
      const customer = await this.#store.act('createCustomer', {
        firstName: 'Alex',
        lastName: `Sample ${n}`,
        email: `alex.sample.${n}@example.com`,
      });
      if (customer) this.#customerIds.push(customer.id);
    }
    const discount = await this.#store.act('createDiscount', {
      title: 'Flash sale',
      percentage: 10,
      codes: ['FLASH'],
    });
    this.#discountId = discount?.id ?? '';
  }

  next(): Happened {
    let draw = this.#random() * 10_000;
    const happenings = this.#happenings();
    for (const { weight, webhooks, happen } of happenings) {
      draw -= weight;
      if (draw >= 0) continue;
      const done = happen();
      if (done) return { webhooks, done };
    }
    return { webhooks: 5, done: this.#placeOrder() };
  }

  async #placeOrder(): Promise<void> {
    this.#placed += 1;
    const order = await this.#store.act('placeOrder', this.#draft());
    if (!order) return;
    this.#orders.push(order);
    if (this.#orders.length > ORDERS_KEPT) this.#orders.shift();
  }

  #happenings(): readonly Happening[] {
    return [
      {
        weight: 5_000,
        webhooks: 5,
        happen: () => (this.#placed < this.#mostOrders ? this.#placeOrder() : this.#changeStock()),
      },
      { weight: 2_500, webhooks: 2, happen: () => this.#change('fulfilOrder', () => ({})) },
      { weight: 700, webhooks: 3, happen: () => this.#refund() },
      { weight: 500, webhooks: 5, happen: () => this.#end('cancelOrder') },
      { weight: 400, webhooks: 3, happen: () => this.#change('editOrder', oneMore) },
      { weight: 400, webhooks: 1, happen: () => this.#changePrice() },
      { weight: 300, webhooks: 1, happen: () => this.#changeStock() },
      { weight: 120, webhooks: 1, happen: () => this.#giveCode() },
      { weight: 80, webhooks: 1, happen: () => this.#takeCodeBack() },
    ];
  }

  #draft(): ActionInput<'placeOrder'> {
    const lines = Array.from({ length: 1 + Math.floor(this.#random() * 3) }, () => {
      const variantId = this.#pick(this.#pick(this.#products)?.variants ?? [])?.id ?? '';
      return { variantId, quantity: 1 + Math.floor(this.#random() * 3) };
    });
    return {
      lines,
      customerId: this.#pick(this.#customerIds) ?? null,
      ...(this.#random() < 0.2 && { discounts: [{ code: 'FLASH' }] }),
      shipping: [{ price: 4.9 }],
      payment: 'paid',
    };
  }

  #change<Name extends ActionName>(
    name: Name,
    input: (order: OrderRow) => Omit<ActionInput<Name>, 'orderId'>,
  ): Promise<unknown> | undefined {
    const order = this.#pick(this.#orders);
    if (!order) return undefined;
    return this.#store.act(name, { orderId: order.id, ...input(order) } as ActionInput<Name>);
  }

  /**
   * One piece, once, of an order that has more: nothing left of it would be a cancellation, which is
   * final in the loyalty service, and what still happens to such an order is for a person.
   */
  #refund(): Promise<unknown> | undefined {
    const order = this.#pick(this.#orders);
    const [line] = order?.lines ?? [];
    if (!order || !line || line.quantity < 2 || this.#refunded.has(order.id)) return undefined;
    this.#refunded.add(order.id);
    const lines = [{ lineId: line.id, quantity: 1 }];
    return this.#store.act('refundOrder', { orderId: order.id, lines });
  }

  #end(name: 'cancelOrder'): Promise<unknown> | undefined {
    const order = this.#pick(this.#orders);
    if (!order) return undefined;
    this.#orders = this.#orders.filter(({ id }) => id !== order.id);
    return this.#store.act(name, { orderId: order.id });
  }

  #changePrice(): Promise<unknown> | undefined {
    const product = this.#pick(this.#products);
    const price = 5 + Math.floor(this.#random() * 100);
    return product && this.#store.act('updateProduct', { productId: product.id, price });
  }

  #changeStock(): Promise<unknown> | undefined {
    const product = this.#pick(this.#products);
    return product && this.#store.act('changeInventory', { productId: product.id, by: 1 });
  }

  #giveCode(): Promise<unknown> {
    this.#given += 1;
    const code = `FLASH-${this.#given}`;
    this.#codes.push({ code, givenAt: Date.now() });
    return this.#store.act('addCodes', { discountId: this.#discountId, codes: [code] });
  }

  #takeCodeBack(): Promise<unknown> | undefined {
    const [oldest] = this.#codes;
    if (!oldest || Date.now() - oldest.givenAt < CODE_LIFE_MS) return undefined;
    this.#codes.shift();
    return this.#store.act('removeCodes', { discountId: this.#discountId, codes: [oldest.code] });
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }
}

function oneMore({ lines }: OrderRow): Omit<ActionInput<'editOrder'>, 'orderId'> {
  return {
    set: lines.slice(0, 1).map(({ id, quantity }) => ({ lineId: id, quantity: quantity + 1 })),
  };
}
