import fc from 'fast-check';
import type { ActionName } from '../../local/store-sandbox/model/actions.ts';
import { anyCart } from '../../local/store-sandbox/model/carts.ts';
import type { StoreRows } from '../../local/store-sandbox/model/rows.ts';
import { type Habits, StoreLife } from '../../local/store-sandbox/model/store-life.ts';

/** The store in which the steps happen: a model, or one behind a server. */
export interface Stage {
  readonly rows: StoreRows;
  attempt(name: ActionName, input: unknown): unknown;
}

/** Everything that can change an order's amounts, sensible or not. */
const habits: Habits = {
  weights: {
    placeOrder: 2,
    payOrder: 2,
    payPart: 1,
    payDeposit: 1,
    voidPayment: 1,
    expirePayment: 1,
    fulfilOrder: 1,
    fulfilPart: 1,
    editOrder: 2,
    addLine: 1,
    refundLine: 2,
    refundShipping: 1,
    refundAmount: 1,
    refundLater: 1,
    settleRefund: 1,
    returnLine: 1,
    refundReturn: 1,
    cancelOrder: 1,
    closeOrder: 1,
    changePrice: 1,
  },
  cart: anyCart,
  prices: [0, 0.01, 9.99, 33.33, 100],
  pieces: [0, 1, 2, 3, 4, 5, 6, 7],
  repeats: 0,
  changesEndedOrders: true,
  minimum: { customers: 0, products: 0, discounts: 0 },
  maxDeleted: 0,
};

/** The random numbers of each step, below ten thousand. */
type Life = readonly (readonly number[])[];

export const anyLife: fc.Arbitrary<Life> = fc.array(
  fc.array(fc.nat(9_999), { minLength: 40, maxLength: 40 }),
  { minLength: 1, maxLength: 14 },
);

/** Executes the steps that the store allows. */
export function live(store: Stage, steps: Life, changes: Partial<Habits> = {}): void {
  const life = new StoreLife(store.rows, { ...habits, ...changes }, () => new Date());
  for (const draws of steps) {
    let drawn = 0;
    const change = life.next(() => (draws[drawn++ % draws.length] ?? 0) / 10_000);
    if (change) store.attempt(change.action, change.input);
  }
}
