import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import { Tables } from '../../local/sandbox-kit/tables.ts';
import type { ActionName } from '../../local/store-sandbox/model/actions.ts';
import { type Cart, cartWithoutCode, pickRow } from '../../local/store-sandbox/model/carts.ts';
import {
  type CodeRow,
  type DiscountRow,
  type OrderRow,
  openRows,
  type ProductRow,
} from '../../local/store-sandbox/model/rows.ts';
import {
  type Habits,
  type StoreChange,
  StoreLife,
} from '../../local/store-sandbox/model/store-life.ts';
import type { State } from '../../local/store-sandbox/state.ts';

/** Uses only a code that the run never changes: see `cartWithoutCode`. */
const cart: Cart = (rows, draw, now) => ({
  ...cartWithoutCode(rows, draw, now),
  ...(draw() < 0.2 && { discounts: [{ code: 'WELCOME10' }] }),
});

const habits: Habits = {
  weights: {
    placeOrder: 5_000,
    // Only completed orders reach the service.
    fulfilOrder: 5_000,
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
  minimum: { customers: 60, products: 1, discounts: 1 },
  maxDeleted: 0,
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
 * If a code is removed before the connector has seen it, the connector waits ten minutes, because the
 * store's API may be behind its webhooks. The run would have to wait for that, too.
 */
const CODE_LIFE_MS = 120_000;
/** How many orders may still change; older ones do not. */
const ORDERS_KEPT = 400;
/** The pause before the next change while the store is down. */
const AWAY_MS = 200;
/** The maximum of concurrent changes, so that they do not pile up while the store does not answer. */
const AT_ONCE = 8;
const PAUSE_MS = 10;

export interface LoadWish {
  /** Webhooks per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Changes a store over HTTP. The process of the store is killed during the run. */
export class StoreLoad {
  readonly #address: () => string | undefined;
  readonly #random: Random;
  readonly #maxOrders: number;
  /** What the store has answered so far, without entities that are being changed. */
  readonly #rows = openRows(new Tables());
  readonly #life = new StoreLife(this.#rows, habits, () => new Date());
  #newCodes: { readonly row: CodeRow; readonly addedAt: number }[] = [];
  #placed = 0;

  constructor(address: () => string | undefined, seed: number, maxOrders: number) {
    this.#address = address;
    this.#random = seededRandom(seed);
    this.#maxOrders = maxOrders;
  }

  /** Creates customers, and changes every initial entity so that the store sends a webhook for it. */
  async open(): Promise<void> {
    const state = (await (await fetch(`${this.#address()}/sandbox/state`)).json()) as State;
    for (const { id } of state.products) {
      await this.#act({ action: 'changeInventory', input: { productId: id, by: 100 } });
    }
    for (const { id, title } of state.discounts) {
      await this.#act({ action: 'updateDiscount', input: { discountId: id, title } });
    }
    for (const code of state.codes) this.#rows.codes.put(code.code.toLowerCase(), code);
    while (this.#rows.customers.size < habits.minimum.customers) {
      const change = this.#life.next(this.#random);
      if (change) await this.#act(change);
    }
  }

  /**
   * Changes the store at a constant rate, without waiting for earlier changes. Changes that could not
   * happen because the store was down are not made up for.
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
    if (this.#placed <= this.#maxOrders) return change;
    const product = pickRow(this.#rows.products, this.#random);
    return product && { action: 'changeInventory', input: { productId: product.id, by: 1 } };
  }

  /**
   * The store may refuse the change, or be killed before or after it. Then the state of the entity is
   * unknown, and it is not changed again.
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
