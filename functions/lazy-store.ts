import type { Connector } from '../shared/config/connector-config.ts';
import type { ShopperStore } from '../shared/rewards/redeem/reward-store.ts';
import type { ShopSecrets } from '../shared/services/shop-secrets.ts';

const QUESTIONS = [
  'readOrder',
  'readProduct',
  'readCoupon',
  'readMember',
  'readDiscount',
  'makeCode',
  'findCode',
  'deleteCode',
  'readUses',
  'readOrderCodes',
  'readPrices',
  'readCreditShop',
  'credit',
  'readCredits',
] as const;

type LazyStore = Pick<ShopperStore, (typeof QUESTIONS)[number]> & {
  until(signal: AbortSignal): LazyStore;
  /**
   * The same store, giving up so much later than now. Its timer begins with the first question: one that no
   * question needs would stay in memory until its time is over.
   */
  within(ms: number): LazyStore;
};
type Question = (...given: readonly unknown[]) => Promise<unknown>;

/**
 * The store of a function that seldom asks it. Its code, a quarter of a worker's, is loaded with the first question.
 * See docs/decisions/0032-a-cold-start-loads-only-what-an-event-needs.md.
 */
export function createLazyStore(connector: Connector, secrets: ShopSecrets): LazyStore {
  // Read now, like everything else of the environment.
  const sandboxes = process.env.STORE_SANDBOX_ADDRESS;
  let opened: Promise<ShopperStore> | undefined;
  return questionsTo(() => {
    opened ??= import('../shared/services/configured-store.ts').then(({ createConfiguredStore }) =>
      createConfiguredStore(connector, secrets, { sandboxes }),
    );
    return opened;
  });
}

function questionsTo(open: () => Promise<ShopperStore>): LazyStore {
  const ask =
    (name: (typeof QUESTIONS)[number]): Question =>
    async (...given) =>
      ((await open())[name] as Question)(...given);
  return {
    ...Object.fromEntries(QUESTIONS.map((name) => [name, ask(name)])),
    until: (signal) => questionsTo(async () => (await open()).until(signal)),
    within(ms) {
      const end = Date.now() + ms;
      let signal: AbortSignal | undefined;
      return questionsTo(async () => {
        signal ??= AbortSignal.timeout(Math.max(end - Date.now(), 1));
        return (await open()).until(signal);
      });
    },
  } as LazyStore;
}
