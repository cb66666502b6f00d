import { type ClientKeys, randomKey } from '../../../program/ask.ts';

/** Shopify's storage of an extension on one till. */
interface Storage {
  get(name: string): Promise<unknown>;
  set(name: string, value: unknown): Promise<void>;
  delete(name: string): Promise<boolean>;
}

interface Kept {
  readonly key: string;
  readonly at: number;
}

/** By then the list of the customer's codes shows what became of the request. */
const VALID_MS = 15 * 60 * 1000;

export interface StoredKeys extends ClientKeys {
  /** Finds the key of an earlier request; to be awaited before the reward is redeemed. */
  recall(rewardId: number): Promise<void>;
}

/**
 * The idempotency keys of one customer. They outlive the modal: a cashier who closes it after a lost
 * connection, and opens it again, repeats the same request.
 */
export function storedKeys(storage: Storage, customerId: number, now: () => number): StoredKeys {
  const kept = new Map<number, Kept>();
  const nameOf = (rewardId: number) => `redeem ${customerId} ${rewardId}`;
  return {
    async recall(rewardId) {
      const found = kept.get(rewardId) ?? (await quietly(() => storage.get(nameOf(rewardId))));
      if (isKept(found) && now() - found.at < VALID_MS) kept.set(rewardId, found);
      else kept.delete(rewardId);
    },
    of(rewardId) {
      const used = kept.get(rewardId) ?? { key: randomKey(), at: now() };
      kept.set(rewardId, used);
      void quietly(() => storage.set(nameOf(rewardId), used));
      return used.key;
    },
    forget(rewardId) {
      kept.delete(rewardId);
      void quietly(() => storage.delete(nameOf(rewardId)));
    },
  };
}

/** A full storage must not stop a sale: the key is then kept as long as the modal. */
async function quietly<T>(use: () => Promise<T>): Promise<T | undefined> {
  try {
    return await use();
  } catch {
    return undefined;
  }
}

function isKept(value: unknown): value is Kept {
  const { key, at } = (value ?? {}) as Partial<Kept>;
  return typeof key === 'string' && typeof at === 'number';
}
