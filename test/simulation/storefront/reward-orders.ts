import { noteUsedCodes } from '../../../shared/core/redemptions/reward-codes.ts';
import type { StoreEntity } from '../../../shared/core/store/store.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { connector, SHOP } from '../world/connector.ts';
import { eventQueueOf, ledgerOf } from '../world/process-world.ts';
import type { StorefrontWorld } from './shoppers.ts';

const AGAIN_MS = 60_000;

/** The store's orders that name the code of a reward, each heard by a worker until it is noted. */
export class RewardOrders {
  readonly #world: StorefrontWorld;
  #runs = 0;
  #open = 0;

  constructor(world: StorefrontWorld) {
    this.#world = world;
  }

  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** From a checkout that may have been open before the code was deleted. */
  place(customerId: string, code: string): void {
    const { kernel, shop } = this.#world;
    const { codes, orders } = shop.rewards;
    const made = codes.get(code.toLowerCase());
    if (made) made.used += 1;
    orders.push({ customerId, at: kernel.now(), codes: [code] });
    this.#open += 1;
    this.#hear(customerId, code);
  }

  #hear(customerId: string, code: string): void {
    const { kernel, ledger, queues } = this.#world;
    this.#runs += 1;
    const again = () => void kernel.time.after(AGAIN_MS, () => this.#hear(customerId, code));
    const process = new SimulatedProcess(kernel, `orders ${this.#runs}`, again);
    const order = { couponCodes: [code], customer: { id: customerId } };
    noteUsedCodes(SHOP, { kind: 'order', order } as unknown as StoreEntity, {
      ledger: ledgerOf(process, ledger),
      queue: eventQueueOf(process, queues),
      now: kernel.now,
      orderRetentionDays: connector.orderRetentionDays,
    }).then(
      () => {
        this.#open -= 1;
      },
      () => process.die(),
    );
  }
}
