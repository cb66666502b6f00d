import type { CustomerSearch } from '../../../shared/core/balances/find-customer.ts';
import type { BalanceStore } from '../../../shared/core/balances/point-balance.ts';
import type {
  CodeMade,
  RewardStore,
  WantedCode,
} from '../../../shared/core/redeem/reward-store.ts';
import type { StoreUnavailable } from '../../../shared/core/store/store.ts';
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
/** How long the store refuses a code that it accepts at other times. */
const REFUSING_MS = 20_000;

/** The rewards' product in the store. */
export const PRODUCT_ID = '8012300098313';

export interface ShopCustomer {
  readonly id: string;
  readonly email: string;
  readonly document: string;
  readonly name: string;
}

/** The store with its customers, their balances and the codes of rewards. */
export class RewardShop {
  readonly customers: readonly ShopCustomer[];
  readonly balances: MemoryBalanceStore;
  readonly rewards: MemoryRewardStore = createMemoryRewardStore();
  readonly #kernel: Kernel;
  /** Of its seed: how often the store refuses all codes of a reward, or some. */
  readonly #refusing: { readonly always: number; readonly atTimes: number };

  constructor(kernel: Kernel, customers: readonly ShopCustomer[]) {
    this.#kernel = kernel;
    this.customers = customers;
    this.balances = createMemoryBalanceStore(customers.map(({ id }) => id));
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
        this.#makesLate(process, wanted)
          ? this.#later(process, () => rewards.makeCode(shop, wanted))
          : ask(`makes the code ${wanted.code}`, () => rewards.makeCode(shop, wanted)),
      findCode: (shop, wanted) =>
        ask(`looks for the code ${wanted.code}`, () => rewards.findCode(shop, wanted)),
      deleteCode: (shop, id) => ask(`deletes ${id}`, () => rewards.deleteCode(shop, id)),
      readUses: (shop, ids) => ask('reads the uses of codes', () => rewards.readUses(shop, ids)),
      readOrderCodes: (shop, id, since) =>
        ask('reads the codes of orders', () => rewards.readOrderCodes(shop, id, since)),
      readPrices: (shop, id) => ask('reads prices', () => rewards.readPrices(shop, id)),
      readCreditShop: (shop) => ask('reads the shop', () => rewards.readCreditShop(shop)),
      credit: (shop, wanted) => ask(`credits ${wanted.amount}`, () => rewards.credit(shop, wanted)),
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

  #makesLate(process: SimulatedProcess, { code }: WantedCode): boolean {
    const { store } = this.#kernel.rates;
    return this.#kernel.happens(
      process.nextName(),
      store / 2,
      'store: makes a code late',
      () => `${process.name}: the store makes ${code} late`,
    );
  }

  #later(process: SimulatedProcess, effect: () => Promise<CodeMade>): Promise<CodeMade> {
    const { time, chance, journal } = this.#kernel;
    const name = process.nextName();
    time.after(chance(name, 2) * LATEST_CODE_MS, () => {
      journal.note(name, () => 'the store executes a late request for a code');
      void effect();
    });
    return new Promise((resolve) => {
      time.after(CALL_LIMIT_MS, () => process.hear(() => resolve(UNAVAILABLE)));
    });
  }
}
