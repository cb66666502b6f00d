import { isOver } from './order-state.ts';
import {
  deletion,
  discountNotice,
  orderNotice,
  orderReference,
  productNotice,
} from './payloads.ts';
import type { DiscountRow, Notice, OrderRow, ProductRow, StoreRows } from './rows.ts';

/** Few values, so that a change is often taken back: what is hardest to get right. */
const PRICES = [1_000, 2_000, 3_500];
const PERCENTS = [10, 20];
const CUSTOMERS = 6;
/** More deletions at once would be doubted, and rightly, by the comparison that finds them. */
const MOST_DELETED = 3;

/** Draws of one step, each at least 0 and below 1. */
export type Draw = () => number;

/** What happened, in words, and what the store tells of it. */
export interface Happening {
  readonly words: string;
  readonly notices: readonly Notice[];
  /** Whose state changed: it is read anew when the store is asked. */
  readonly touched: readonly { readonly kind: keyof StoreRows; readonly id: string }[];
}

/** A small, busy store. Every step fits the store it meets, whatever steps came before. */
export class StoreLife {
  readonly rows: StoreRows = { orders: new Map(), products: new Map(), discounts: new Map() };
  readonly #now: () => number;
  #count = 0;
  readonly #hot: { -readonly [Kind in keyof StoreRows]?: string } = {};
  readonly #deleted = { orders: 0, products: 0, discounts: 0 };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The store's clock shows whole seconds. */
  get #second(): number {
    return Math.floor(this.#now() / 1000) * 1000;
  }

  step(draw: Draw): Happening | undefined {
    const { orders, products, discounts } = this.rows;
    const kind = draw();
    if (products.size < 3 || kind < 0.02) return this.#createProduct(draw);
    if (orders.size < 2 || kind < 0.12) return this.#placeOrder(draw);
    if (kind < 0.13) return garbage(draw);
    if (kind < 0.62) return this.#changeOrder(this.#pick('orders', orders, draw), draw);
    if (kind < 0.88) return this.#changeProduct(this.#pick('products', products, draw), draw);
    if (discounts.size < 2) return this.#createDiscount(draw);
    return this.#changeDiscount(this.#pick('discounts', discounts, draw), draw);
  }

  #createProduct(draw: Draw): Happening {
    const id = String(8_012_300_000_000 + this.#next());
    const product: ProductRow = {
      id,
      title: `Thing ${id.slice(-2)}`,
      cents: one(PRICES, draw),
      status: 'active',
      inventory: 100,
      updatedAt: this.#second,
    };
    this.rows.products.set(id, product);
    return told(`product ${id} is created`, [productNotice('products/create', product)], [product]);
  }

  #placeOrder(draw: Draw): Happening {
    const number = this.#next();
    // The store's own samples have ids beyond 2^53.
    const id = String(
      number % 5 === 0 ? 820_982_911_946_000_000n + BigInt(number) : 5_512_300_000_000 + number,
    );
    const count = 1 + Math.floor(draw() * 2);
    const sold = Array.from({ length: count }, () => pick(this.rows.products, draw));
    const guest = draw() < 0.08;
    const customer = guest ? undefined : Math.floor(draw() * CUSTOMERS);
    const isPaid = draw() < 0.6;
    const order: OrderRow = {
      id,
      number,
      placedAt: this.#second,
      updatedAt: this.#second,
      lines: [...new Set(sold)].map(({ id: productId, cents }, index) => ({
        id: 100 + index,
        productId,
        cents,
        kept: 1 + Math.floor(draw() * 2),
      })),
      customer,
      buyer: customer,
      test: draw() < 0.03,
      paid: isPaid ? 'paid' : 'pending',
      fulfilled: null,
      fulfilledAt: undefined,
      cancelledAt: undefined,
      refunds: [],
      hasLongNote: draw() < 0.1,
    };
    this.rows.orders.set(id, order);
    const touched: (OrderRow | ProductRow)[] = [order];
    const notices = [orderNotice('orders/create', order)];
    if (isPaid) notices.push(orderNotice('orders/paid', order));
    for (const product of new Set(sold)) {
      product.inventory -= 1;
      product.updatedAt = this.#second;
      touched.push(product);
      notices.push(productNotice('products/update', product));
    }
    return told(`order ${id} is placed${guest ? ' by a guest' : ''}`, notices, touched);
  }

  #changeOrder(order: OrderRow, draw: Draw): Happening {
    const kind = draw();
    const { id } = order;
    const line = order.lines[Math.floor(draw() * order.lines.length)];
    const change = (words: string, ...topics: readonly string[]): Happening => {
      order.updatedAt = this.#second;
      const notices = topics.map((topic) => orderNotice(topic, order));
      return told(
        `order ${id} ${words}`,
        [...notices, orderNotice('orders/updated', order)],
        [order],
      );
    };
    if (isOver(order)) {
      if (kind < 0.15 && this.#mayDelete('orders', draw)) {
        this.rows.orders.delete(id);
        return told(`order ${id} is deleted`, [deletion('orders/delete', id)], [order]);
      }
      return change('gets a tag');
    }
    if (kind < 0.3 && line && order.refunds.length === 0) {
      line.kept = line.kept === 1 ? 2 : 1;
      order.updatedAt = this.#second;
      const notices = [
        orderReference('orders/edited', order),
        orderNotice('orders/updated', order),
      ];
      return told(`order ${id} is edited: ${line.kept} of a line`, notices, [order]);
    }
    if (kind < 0.4 && order.paid === 'pending') {
      order.paid = 'paid';
      return change('is paid', 'orders/paid');
    }
    if (kind < 0.55 && order.fulfilled !== 'fulfilled') {
      order.fulfilled = draw() < 0.8 ? 'fulfilled' : 'partial';
      order.fulfilledAt = this.#second;
      return order.fulfilled === 'fulfilled'
        ? change('is fulfilled', 'orders/fulfilled')
        : change('is fulfilled in part', 'orders/partially_fulfilled');
    }
    if (kind < 0.65 && order.paid !== 'pending' && line && line.kept > 0) {
      line.kept -= 1;
      const { id: lineId, cents } = line;
      order.refunds.push({ at: this.#second, line: lineId, quantity: 1, cents });
      order.paid = order.lines.every(({ kept }) => kept === 0) ? 'refunded' : 'partially_refunded';
      const whole = change('is refunded in part');
      return { ...whole, notices: [orderReference('refunds/create', order), ...whole.notices] };
    }
    if (kind < 0.72) {
      order.cancelledAt = this.#second;
      return change('is cancelled', 'orders/cancelled');
    }
    if (kind < 0.76 && order.customer !== undefined) {
      order.customer = undefined;
      return change('loses its customer, who is deleted');
    }
    return change('gets a tag');
  }

  #changeProduct(product: ProductRow, draw: Draw): Happening {
    const kind = draw();
    const { id } = product;
    if (kind < 0.04 && this.rows.products.size > 3 && this.#mayDelete('products', draw)) {
      this.rows.products.delete(id);
      return told(`product ${id} is deleted`, [deletion('products/delete', id)], [product]);
    }
    product.updatedAt = this.#second;
    let words = 'is counted';
    if (kind < 0.5) {
      product.cents = one(PRICES, draw);
      words = `costs ${product.cents / 100} now`;
    } else if (kind < 0.65) {
      product.status = product.status === 'active' ? 'draft' : 'active';
      words = `is ${product.status} now`;
    } else product.inventory += 1;
    return told(`product ${id} ${words}`, [productNotice('products/update', product)], [product]);
  }

  #createDiscount(draw: Draw): Happening {
    const number = this.#next();
    const discount: DiscountRow = {
      id: String(1_688_847_000_000 + number),
      percent: one(PERCENTS, draw),
      createdAt: this.#second,
      updatedAt: this.#second,
      endsAt: undefined,
      codes: [`CODE-${number}-A`, `CODE ${number} B`].slice(0, 1 + Math.floor(draw() * 2)),
    };
    this.rows.discounts.set(discount.id, discount);
    const notices = [discountNotice('discounts/create', discount)];
    return told(`discount ${discount.id} is created`, notices, [discount]);
  }

  #changeDiscount(discount: DiscountRow, draw: Draw): Happening {
    const kind = draw();
    const { id, codes } = discount;
    if (kind < 0.1) return this.#createDiscount(draw);
    discount.updatedAt = this.#second;
    const change = (words: string, topic: string, code?: string): Happening =>
      told(`discount ${id} ${words}`, [discountNotice(topic, discount, code)], [discount]);
    if (kind < 0.18 && this.#mayDelete('discounts', draw)) {
      this.rows.discounts.delete(id);
      return change('is deleted', 'discounts/delete');
    }
    if (kind < 0.3) {
      discount.endsAt = discount.endsAt === undefined ? this.#second : undefined;
      return change(discount.endsAt === undefined ? 'starts again' : 'ends', 'discounts/update');
    }
    if (kind < 0.5) {
      const code = `CODE-${this.#next()}`;
      codes.push(code);
      return change(`gets the code ${code}`, 'discounts/redeemcode_added', code);
    }
    if (kind < 0.65 && codes.length > 1) {
      const code = codes.splice(Math.floor(draw() * codes.length), 1)[0] ?? '';
      return change(`loses the code ${code}`, 'discounts/redeemcode_removed', code);
    }
    discount.percent = one(PERCENTS, draw);
    return change(`gives ${discount.percent} % now`, 'discounts/update');
  }

  /** Changes come in bursts: often it is the one that was changed last. */
  #pick<Row extends { readonly id: string }>(
    kind: keyof StoreRows,
    rows: ReadonlyMap<string, Row>,
    draw: Draw,
  ): Row {
    const hot = draw() < 0.5 ? rows.get(this.#hot[kind] ?? '') : undefined;
    const row = hot ?? pick(rows, draw);
    this.#hot[kind] = row.id;
    return row;
  }

  #mayDelete(kind: keyof StoreRows, draw: Draw): boolean {
    if (this.#deleted[kind] >= MOST_DELETED || draw() < 0.3) return false;
    this.#deleted[kind] += 1;
    return true;
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }
}

/** Signed by the store all the same: what nobody can read must reach a person. */
function garbage(draw: Draw): Happening {
  const nonsense = String(Math.floor(draw() * 1e9));
  const body = draw() < 0.5 ? `{"id":${nonsense},"line_items":` : `{"id":${nonsense},"no":"order"}`;
  return told('something unreadable is sent', [{ topic: 'orders/updated', body }], []);
}

function told(
  words: string,
  notices: readonly Notice[],
  rows: readonly (OrderRow | ProductRow | DiscountRow)[],
): Happening {
  const touched = rows.map((row) => ({
    kind: 'lines' in row ? 'orders' : 'codes' in row ? 'discounts' : 'products',
    id: row.id,
  })) as Happening['touched'];
  return { words, notices, touched };
}

function pick<Row>(rows: ReadonlyMap<string, Row>, draw: Draw): Row {
  const all = [...rows.values()];
  const row = all[Math.floor(draw() * all.length)];
  if (!row) throw new Error('there is nothing to pick from');
  return row;
}

const one = (values: readonly number[], draw: Draw): number =>
  values[Math.floor(draw() * values.length)] ?? 0;
