import type { StoreUnavailable } from '../../../shared/core/store/store.ts';
import type { CustomerSearch } from '../../../shared/rewards/balances/find-customer.ts';
import type { BalanceStore } from '../../../shared/rewards/balances/point-balance.ts';
import type {
  CodeMade,
  CreditMade,
  RewardStore,
  WantedCode,
  WantedCredit,
} from '../../../shared/rewards/redeem/reward-store.ts';
import {
  createMemoryBalanceStore,
  createMemoryRewardStore,
  type MemoryBalanceStore,
  type MemoryRewardStore,
} from '../../support/memory-reward-store.ts';
import { joined, nameOf } from '../kernel/chance.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { SimulatedProcess } from '../kernel/simulated-process.ts';

const UNAVAILABLE: StoreUnavailable = { kind: 'unavailable', why: 'unreachable' };
const CALL_LIMIT_MS = 3_000;
/** Below the time after which a redemption without a code may be cancelled. */
const LATEST_CODE_MS = 50_000;
/** Below the time between the two looks that prove that a credit is absent. */
const LATEST_CREDIT_MS = 540_000;
/** How long the store refuses a code that it accepts at other times. */
const REFUSING_MS = 20_000;

/** The reward that is paid with cashback. */
export const CASHBACK = 8;

/** The rewards' product in the store. */
export const PRODUCT_ID = '8012300098313';

export interface ShopCustomer {
  readonly id: string;
  readonly email: string;
  readonly document: string;
  readonly name: string;
}

/** An order that names the code of a reward. Moments in epoch milliseconds. */
interface CodeOrder {
  readonly placedAt: number;
  /** Since when the customer's orders include it. */
  readonly listedAt: number;
}

/** The store with its customers, their balances, the codes of rewards and store credit. */
export class RewardShop {
  readonly customers: readonly ShopCustomer[];
  readonly balances: MemoryBalanceStore;
  readonly rewards: MemoryRewardStore;
  /** Cashback becomes store credit. */
  readonly givesCredit: boolean;
  /** Whether it keeps the end of a credit as exactly as it was sent. */
  readonly keepsSeconds: boolean;
  /** The credits as they were sent. */
  readonly credits: WantedCredit[] = [];
  /** By code, in lower case. */
  readonly orders = new Map<string, CodeOrder>();
  /** By code, in lower case: when it was deleted last. */
  readonly deletions = new Map<string, number>();
  /** When someone read which codes the orders of a customer name. */
  readonly looks: { readonly customerId: string; readonly at: number }[] = [];
  readonly #kernel: Kernel;
  /** Of its seed: how often the store refuses all codes of a reward, or some. */
  readonly #refusing: { readonly always: number; readonly atTimes: number };

  constructor(kernel: Kernel, customers: readonly ShopCustomer[]) {
    this.#kernel = kernel;
    this.customers = customers;
    this.balances = createMemoryBalanceStore(customers.map(({ id }) => id));
    this.rewards = createMemoryRewardStore(kernel.now);
    this.givesCredit = kernel.chance(45) < 0.5;
    this.keepsSeconds = kernel.chance(46) < 0.75;
    if (!this.keepsSeconds) this.rewards.keptEnd = (end) => `${end.slice(0, 16)}:00.000Z`;
    this.rewards.prices.set(PRODUCT_ID, { lowest: 18, highest: 18 });
    const drawn = kernel.chance(41);
    this.#refusing =
      drawn < 0.4 ? { always: 0, atTimes: 0 } : { always: drawn / 3, atTimes: drawn / 4 };
    this.rewards.before = (wanted) => this.#refusal(wanted);
  }

  /** The store as one process calls it: a fault is no answer, never an exception. */
  askedBy(
    process: SimulatedProcess,
    signal: AbortSignal,
  ): RewardStore & BalanceStore & CustomerSearch {
    const { rewards, balances } = this;
    const ask = <Value>(what: string, effect: () => Promise<Value>) =>
      signal.aborted
        ? Promise.resolve(UNAVAILABLE)
        : process.call('store', what, effect).catch(() => UNAVAILABLE);
    return {
      makeCode: (shop, wanted) =>
        this.#isLate(process, 'makes a code late', wanted.code)
          ? this.#later(process, LATEST_CODE_MS, () => rewards.makeCode(shop, wanted))
          : ask(`makes the code ${wanted.code}`, () => rewards.makeCode(shop, wanted)),
      findCode: (shop, wanted) =>
        ask(`looks for the code ${wanted.code}`, () => rewards.findCode(shop, wanted)),
      deleteCode: (shop, id) => ask(`deletes ${id}`, () => this.#delete(shop, id)),
      readUses: (shop, ids) => ask('reads the uses of codes', () => rewards.readUses(shop, ids)),
      readOrderCodes: (shop, id, since) =>
        ask('reads the codes of orders', () => {
          this.looks.push({ customerId: id, at: this.#kernel.time.now });
          return rewards.readOrderCodes(shop, id, since);
        }),
      readPrices: (shop, id) => ask('reads prices', () => rewards.readPrices(shop, id)),
      readCreditShop: (shop) => ask('reads the shop', () => rewards.readCreditShop(shop)),
      credit: (shop, wanted) =>
        this.#isLate(process, 'credits late', wanted.expiresAt)
          ? this.#later(process, LATEST_CREDIT_MS, () => this.#credit(shop, wanted))
          : ask(`credits ${wanted.amount}`, () => this.#credit(shop, wanted)),
      readCredits: (shop, account) =>
        ask('reads an account', () => rewards.readCredits(shop, account)),
      writeBalances: async (shop, changes) => {
        const points = changes.map((one) => `${one.points} of ${one.customerId}`).join(', ');
        const written = await ask(`writes balances: ${points}`, () =>
          balances.writeBalances(shop, changes),
        );
        return 'kind' in written ? changes.map(() => written) : written;
      },
      findCustomer: (_, email) =>
        ask('looks for a customer', async () => {
          const found = this.customers.find((one) => one.email === email);
          return found ? { kind: 'found', value: found.id } : { kind: 'gone' };
        }),
    };
  }

  #refusal({ code }: WantedCode): CodeMade | undefined {
    const { chance, time } = this.#kernel;
    const { always, atTimes } = this.#refusing;
    const [prefix = ''] = code.split('-');
    const reward = nameOf(prefix);
    if (chance(42, reward) < always) return { kind: 'refused', code: 'INVALID' };
    if (chance(43, nameOf(code)) < always / 4) return { kind: 'taken' };
    const name = joined(joined(44, nameOf(code)), Math.floor(time.now / REFUSING_MS));
    const refuses = this.#kernel.happens(
      name,
      atTimes,
      'store: refuses a code for a while',
      () => `the store refuses ${code} for a while`,
    );
    return refuses ? { kind: 'refused', code: 'MAX_CODES' } : undefined;
  }

  async #credit(shop: string, wanted: WantedCredit): Promise<CreditMade> {
    if (this.#refusesCredit(wanted)) return { kind: 'refused', code: 'CREDIT_LIMIT_EXCEEDED' };
    this.credits.push(wanted);
    return this.rewards.credit(shop, wanted);
  }

  #refusesCredit({ customerId, expiresAt }: WantedCredit): boolean {
    const { always, atTimes } = this.#refusing;
    if (this.#kernel.chance(47, nameOf(customerId)) < always) return true;
    return this.#kernel.happens(
      joined(joined(48, nameOf(expiresAt)), this.#kernel.time.now),
      atTimes,
      'store: refuses a credit',
      () => `the store refuses a credit until ${expiresAt}`,
    );
  }

  #delete(shop: string, id: string) {
    for (const [code, { discountId }] of this.rewards.codes) {
      if (discountId === id) this.deletions.set(code, this.#kernel.time.now);
    }
    return this.rewards.deleteCode(shop, id);
  }

  #isLate(process: SimulatedProcess, what: string, which: string): boolean {
    const { store } = this.#kernel.rates;
    return this.#kernel.happens(
      process.nextName(),
      store / 2,
      `store: ${what}`,
      () => `${process.name}: the store ${what}: ${which}`,
    );
  }

  #later<Made>(
    process: SimulatedProcess,
    longestMs: number,
    effect: () => Promise<Made>,
  ): Promise<Made | StoreUnavailable> {
    const { time, chance, journal } = this.#kernel;
    const name = process.nextName();
    time.after(chance(name, 2) * longestMs, () => {
      journal.note(name, () => 'the store executes a late request');
      void effect();
    });
    return new Promise((resolve) => {
      time.after(CALL_LIMIT_MS, () => process.hear(() => resolve(UNAVAILABLE)));
    });
  }
}
