import type { StoreEntity } from '../../../shared/core/store/store.ts';
import { noteUsedCodes } from '../../../shared/rewards/redeem/worker-moments.ts';
import { joined, nameOf } from '../kernel/chance.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import { connector, SHOP } from '../world/connector.ts';
import { eventQueueOf, ledgerOf } from '../world/process-world.ts';
import type { ShopCustomer } from './reward-shop.ts';
import type { StorefrontWorld } from './shoppers.ts';

const MINUTE = 60_000;
/** Below the time after which the connector looks for orders with a code that was deleted. */
const LONGEST_LISTING_MS = 50_000;
/** The queue gives a message again. */
const AGAIN_MS = 5 * MINUTE;

interface HeardOrder {
  readonly customer: ShopCustomer;
  readonly code: string;
}

/**
 * Orders that name the code of a reward. The store lists each a little later, and the connector hears of it soon, late,
 * or hours later, also again: as the worker of orders does, until it has noted it.
 */
export class CodeOrders {
  readonly #world: StorefrontWorld;
  readonly #onNoted: (order: HeardOrder) => void;
  #runs = 0;
  #open = 0;
  #lastPlannedAt = 0;

  constructor(world: StorefrontWorld, onNoted: (order: HeardOrder) => void) {
    this.#world = world;
    this.#onNoted = onNoted;
  }

  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** Until the last one is placed, and heard of for the last time. */
  async drain(): Promise<void> {
    const { time } = this.#world.kernel;
    while (this.#lastPlannedAt > time.now) await time.passUntil(this.#lastPlannedAt);
  }

  /** From a checkout that has the code: the store takes it also when the code was deleted since. */
  placeAfter(ms: number, customer: ShopCustomer, code: string): void {
    this.#plan(ms, () => this.#place(customer, code));
  }

  #place(customer: ShopCustomer, code: string): void {
    const { kernel, shop } = this.#world;
    const key = code.toLowerCase();
    if (shop.orders.has(key)) return;
    kernel.journal.play('order with a code');
    const draw = (what: number) => kernel.chance(joined(71, nameOf(code)), what);
    const placedAt = kernel.time.now;
    const listsAfter = draw(1) < 0.5 ? 0 : draw(2) * LONGEST_LISTING_MS;
    shop.orders.set(key, { placedAt, listedAt: placedAt + listsAfter });
    this.#plan(listsAfter, () => {
      const at = new Date(placedAt);
      shop.rewards.orders.push({ customerId: customer.id, at, codes: [code] });
      const made = shop.rewards.codes.get(key);
      if (made) made.used += 1;
    });
    const [kind, part] = [draw(3), draw(4)];
    const longest = kind < 0.4 ? 5_000 : kind < 0.8 ? 5 * MINUTE : 180 * MINUTE;
    const order = { customer, code };
    this.#open += 1;
    this.#plan(part * longest, () => this.#hear(order, true));
    if (draw(5) < 0.3) this.#plan(draw(6) * 180 * MINUTE, () => this.#hear(order, false));
  }

  #plan(ms: number, what: () => void): void {
    const { time } = this.#world.kernel;
    this.#lastPlannedAt = Math.max(this.#lastPlannedAt, time.now + ms);
    time.after(ms, what);
  }

  /** One try of the worker of orders. */
  #hear(order: HeardOrder, isFirst: boolean): void {
    const { kernel, ledger, queues } = this.#world;
    this.#runs += 1;
    const again = () => this.#plan(AGAIN_MS, () => this.#hear(order, isFirst));
    const process = new SimulatedProcess(kernel, `order with a code ${this.#runs}`, again);
    const { code, customer } = order;
    const named = { couponCodes: [code], customer: { id: customer.id } };
    noteUsedCodes(SHOP, { kind: 'order', order: named } as unknown as StoreEntity, {
      ledger: ledgerOf(process, ledger),
      queue: eventQueueOf(process, queues),
      now: kernel.now,
      orderRetentionDays: connector.orderRetentionDays,
    }).then(
      () => {
        kernel.journal.note(process.key, () => `${process.name} has noted ${code}`);
        if (!isFirst) return;
        this.#open -= 1;
        this.#onNoted(order);
      },
      () => process.die(),
    );
  }
}
