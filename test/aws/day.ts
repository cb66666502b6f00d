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

/** A paid and fulfilled order of a new customer; returns its id. */
function sell({ store }: Account, price = 60): string {
  const number = store.rows.customers.size + 1;
  const email = `robin.walker${number}@example.com`;
  const person = { firstName: 'Robin', lastName: `Walker${number}`, email };
  const { id: customerId } = store.actions.createCustomer(person);
  const lines = [{ title: 'Kettle', price, quantity: 2 }];
  const { id } = store.actions.placeOrder({ lines, customerId, payment: 'paid' });
  store.actions.fulfilOrder({ orderId: id });
  return id;
}

/** Everything is delivered, and worked on. */
const settled = ({ account, check }: Scene, after: string): Promise<void> =>
  check.until(`${after}: everything is done`, () => account.isSettled());

/** Orders, a refund, a cancellation, products and codes. */
export async function openShop(scene: Scene): Promise<void> {
  const { store } = scene.account;
  const { actions, rows } = store;
  for (const { id } of rows.products.values()) actions.changeInventory({ productId: id, by: 1 });
  for (const { id, title } of rows.discounts.values()) {
    actions.updateDiscount({ discountId: id, title });
  }
  sell(scene.account);
  const orderId = sell(scene.account);
  const cancelled = sell(scene.account);
  await settled(scene, 'orders');
  const [line] = rows.orders.get(orderId)?.lines ?? [];
  actions.refundOrder({ orderId, lines: [{ lineId: line?.id ?? '', quantity: 1 }] });
  actions.cancelOrder({ orderId: cancelled });
  actions.createDiscount({ title: 'Autumn', percentage: 15, codes: ['AUTUMN-A', 'AUTUMN-B'] });
  await settled(scene, 'a refund, a cancellation and codes');
}

/** The service is down: what waits is sent by one command afterwards. */
export async function outage(scene: Scene): Promise<void> {
  const { account, check } = scene;
  const { loyaltyProxy, recorder } = account;
  await loyaltyProxy.cut();
  const before = recorder.calls.length;
  for (let orders = 0; orders < 3; orders += 1) sell(account);
  const isDelayed = () =>
    recorder.calls.slice(before).some(({ action }) => action === 'sqs:ChangeMessageVisibility');
  await check.until('a worker delays the messages of the outage', isDelayed);
  await loyaltyProxy.restore();
  await account.run('retry-now');
  await settled(scene, 'an outage');
}
