import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';

const BEGAN = Date.now();

export function say(text: string): void {
  const seconds = Math.round((Date.now() - BEGAN) / 1000);
  console.log(`${String(seconds).padStart(4)} s  ${text}`);
}

/** What was found. */
export class Check {
  readonly faults: string[] = [];
  readonly #patienceMs: number;

  /** `patienceMs`: where a bug is planted, it need not be waited for what does not come. */
  constructor(patienceMs = 180_000) {
    this.#patienceMs = patienceMs;
  }

  fail(fault: string): void {
    say(`  found: ${fault}`);
    this.faults.push(fault);
  }

  expect(what: string, isTrue: boolean): void {
    if (!isTrue) this.fail(`not so: ${what}`);
  }

  /** A fault if it is not so in the end. */
  async until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
    for (const end = Date.now() + this.#patienceMs; !(await isSo()); await sleep(200)) {
      if (Date.now() > end) return this.fail(`still not: ${what}`);
    }
  }
}

export interface Scene {
  readonly account: Account;
  readonly check: Check;
}

/** The call that sends an order. */
export const SEND = 'POST /POS/orders';

/** A paid and fulfilled order of a new customer; returns its id. */
export function sell({ store }: Account, price = 60): string {
  const number = store.rows.customers.size + 1;
  const email = `robin.walker${number}@example.com`;
  const person = { firstName: 'Robin', lastName: `Walker${number}`, email };
  const { id: customerId } = store.actions.createCustomer(person);
  const lines = [{ title: 'Kettle', price, quantity: 2 }];
  const { id } = store.actions.placeOrder({ lines, customerId, payment: 'paid' });
  store.actions.fulfilOrder({ orderId: id });
  return id;
}

export function refundOne({ store: { actions, rows } }: Account, orderId: string): void {
  const [line] = rows.orders.get(orderId)?.lines ?? [];
  actions.refundOrder({ orderId, lines: [{ lineId: line?.id ?? '', quantity: 1 }] });
}

/** Everything is delivered, and worked on. */
export const settled = ({ account, check }: Scene, after: string): Promise<void> =>
  check.until(`${after}: everything is done`, () => account.isSettled());

/** Sells, and waits until workers have put the orders off. Returns whether any was sent meanwhile. */
export async function sellInVain({ account, check }: Scene, count: number): Promise<boolean> {
  const { recorder, line } = account;
  const [calls, sent] = [recorder.calls.length, line.calls.length];
  for (let orders = 0; orders < count; orders += 1) sell(account);
  const delayed = () =>
    recorder.calls.slice(calls).filter(({ action }) => action === 'sqs:ChangeMessageVisibility');
  await check.until('workers put the orders off', () => delayed().length > 0);
  return line.calls.slice(sent).some(({ name }) => name === SEND);
}
