import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import { Tables } from '../../local/sandbox-kit/tables.ts';
import type { ActionName } from '../../local/store-sandbox/model/actions.ts';
import { type Cart, cartWithoutCode, pickRow } from '../../local/store-sandbox/model/carts.ts';
import type { OrderRow } from '../../local/store-sandbox/model/order-row.ts';
import {
  type CodeRow,
  type DiscountRow,
  openRows,
  type ProductRow,
} from '../../local/store-sandbox/model/rows.ts';
import {
  type Habits,
  type StoreChange,
  StoreLife,
} from '../../local/store-sandbox/model/store-life.ts';
import type { State } from '../../local/store-sandbox/state.ts';

/** Of the codes, only one that the run never changes is used: see `cartWithoutCode`. */
const cart: Cart = (rows, draw, now) => ({
  ...cartWithoutCode(rows, draw, now),
  ...(draw() < 0.2 && { discounts: [{ code: 'WELCOME10' }] }),
});

/** Orders placed, sent, refunded, edited and cancelled, prices and stock changed, codes added and removed. */
const habits: Habits = {
  weights: {
    placeOrder: 5_000,
    fulfilOrder: 2_000,
    payOrder: 500,
    refundLine: 700,
    cancelOrder: 500,
    editOrder: 400,
    changePrice: 400,
    changeInventory: 300,
    addCode: 120,
    removeCode: 80,
  },
  cart,
  prices: Array.from({ length: 100 }, (_, index) => 5 + index),
  pieces: [1, 2, 3],
  repeats: 0,
  changesEndedOrders: false,
  least: { customers: 60, products: 1, discounts: 1 },
  mostDeleted: 0,
};

/** About how many webhooks a change causes. */
const WEBHOOKS: Partial<Readonly<Record<ActionName, number>>> = {
  placeOrder: 5,
  fulfilOrder: 2,
  payOrder: 2,
  refundOrder: 3,
  cancelOrder: 3,
  editOrder: 3,
};

/**
 * The connector waits ten minutes for a code that is removed before it has heard of it, in case the store
 * is behind its own webhooks. A run would wait for that alone in the end.
 */
const CODE_LIFE_MS = 120_000;
/** Orders that may still change; older ones stay as they are. */
const ORDERS_KEPT = 400;
/** How long to wait before the next change when there is no store. */
const AWAY_MS = 200;
/** Changes under way at most, so that they do not pile up before a store that does not answer. */
const AT_ONCE = 8;
const PAUSE_MS = 10;

export interface LoadWish {
  /** Webhooks per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** A store's life over HTTP. The store runs in a process that is killed now and then. */
export class StoreLoad {
  readonly #address: () => string | undefined;
  readonly #random: Random;
  readonly #mostOrders: number;
  /** What the store has answered so far. While something happens to an entity, it is not here. */
  readonly #rows = openRows(new Tables());
  readonly #life = new StoreLife(this.#rows, habits, () => new Date());
  #newCodes: { readonly row: CodeRow; readonly addedAt: number }[] = [];
  #placed = 0;

  constructor(address: () => string | undefined, seed: number, mostOrders: number) {
    this.#address = address;
    this.#random = seededRandom(seed);
    this.#mostOrders = mostOrders;
  }

  /** Gives the store customers, and lets it announce what it had before the connector was there. */
  async open(): Promise<void> {
    const state = (await (await fetch(`${this.#address()}/sandbox/state`)).json()) as State;
    for (const { id } of state.products) {
      await this.#act({ action: 'changeInventory', input: { productId: id, by: 100 } });
    }
    for (const { id, title } of state.discounts) {
      await this.#act({ action: 'updateDiscount', input: { discountId: id, title } });
    }
    for (const code of state.codes) this.#rows.codes.put(code.code.toLowerCase(), code);
    while (this.#rows.customers.size < habits.least.customers) {
      const change = this.#life.next(this.#random);
      if (change) await this.#act(change);
    }
  }

  /**
   * Changes the store at a rate, whether or not the changes before are done. A change that could not
   * happen in time, because there was no store, is not made up for.
   */
  async keepRate({ rate, seconds, signal }: LoadWish): Promise<void> {
    const underway = new Set<Promise<unknown>>();
    const end = Date.now() + seconds * 1000;
    let allowed = 0;
    let last = Date.now();
    while (Date.now() < end && !signal.aborted) {
      const now = Date.now();
      allowed = Math.min(allowed + ((now - last) / 1000) * rate, rate);
      last = now;
      while (allowed > 0 && underway.size < AT_ONCE) {
        const change = this.#next();
        if (!change) break;
        allowed -= WEBHOOKS[change.action] ?? 1;
        const work: Promise<unknown> = this.#act(change).finally(() => underway.delete(work));
        underway.add(work);
      }
      await sleep(PAUSE_MS);
    }
    await Promise.all(underway);
  }

  #next(): StoreChange | undefined {
    const isOld = ({ addedAt }: { addedAt: number }) => Date.now() - addedAt > CODE_LIFE_MS;
    for (const { row } of this.#newCodes.filter(isOld))
      this.#rows.codes.put(row.code.toLowerCase(), row);
    this.#newCodes = this.#newCodes.filter((code) => !isOld(code));
    const change = this.#life.next(this.#random);
    if (change?.action !== 'placeOrder') return change;
    this.#placed += 1;
    if (this.#placed <= this.#mostOrders) return change;
    const product = pickRow(this.#rows.products, this.#random);
    return product && { action: 'changeInventory', input: { productId: product.id, by: 1 } };
  }

  /**
   * The store may refuse it, or be killed meanwhile and have done it or not: what became of the entity is
   * then unknown, and nothing more happens to it.
   */
  async #act({ action, input }: StoreChange): Promise<void> {
    if ('orderId' in input) this.#rows.orders.delete(input.orderId);
    try {
      const answer = await fetch(`${this.#address()}/sandbox/actions/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      const { result } = (await answer.json()) as { readonly result?: unknown };
      if (result) this.#keep(action, input, result);
    } catch {
      await sleep(AWAY_MS);
    }
  }

  #keep(action: ActionName, input: object, result: unknown): void {
    const { orders, products, discounts, customers } = this.#rows;
    const row = result as { readonly id: string };
    if (/Order$/.test(action)) {
      orders.put(row.id, row as OrderRow);
      const [oldest] = orders.values();
      if (orders.size > ORDERS_KEPT && oldest) orders.delete(oldest.id);
    } else if (/Customer$/.test(action)) customers.put(row.id, row as never);
    else if (/Product$|Inventory$/.test(action)) products.put(row.id, row as ProductRow);
    else discounts.put(row.id, row as DiscountRow);
    if (action !== 'addCodes') return;
    const { codes } = input as { readonly codes: readonly string[] };
    for (const code of codes) {
      const added = { id: code, code, discountId: row.id, used: 0 };
      this.#newCodes.push({ row: added, addedAt: Date.now() });
    }
  }
}
