import { setTimeout as sleep } from 'node:timers/promises';
import type { LoyaltySandbox } from '../../loyalty-sandbox/sandbox.ts';
import { inOrder } from '../../store-sandbox/delivery/disorder.ts';
import type { StoreSandbox } from '../../store-sandbox/sandbox.ts';

export interface DayParts {
  readonly store: StoreSandbox;
  readonly loyalty: Pick<LoyaltySandbox, 'faults'>;
  /** Prints what happens in the store. */
  readonly say: (what: string) => void;
  /** Resolves when a worker has failed to reach the loyalty service. */
  readonly attemptFailed: Promise<void>;
  /** Resolves when all that was sent so far is done. */
  readonly settled: () => Promise<unknown>;
  /** What an operator does after an outage, instead of waiting for the next attempts. */
  readonly retryNow: () => Promise<void>;
  readonly pace: keyof typeof PACES;
  readonly signal: AbortSignal;
}

const PACES = {
  'to-read-along': { pauseMs: 1_100 },
  // Changes of one entity then fall into the same second, and the connector asks the store which is the last.
  fast: { pauseMs: 100 },
};

/** The pause between two steps. */
export function pacedBy(pace: DayParts['pace'], signal: AbortSignal): () => Promise<void> {
  return () => sleep(PACES[pace].pauseMs, undefined, { signal });
}

/** A worker starts at most so much later. */
const LONGEST_OUTAGE_MS = 10_000;

/** Makes a small change to every product and discount, so that the store sends a webhook for each. */
export function openStore({ store, say }: Pick<DayParts, 'store' | 'say'>): void {
  say('The shop opens: every product and discount is updated.');
  for (const { id } of store.rows.products.values()) {
    store.actions.changeInventory({ productId: id, by: 1 });
  }
  for (const { id, title } of store.rows.discounts.values()) {
    store.actions.updateDiscount({ discountId: id, title });
  }
}

/** A short day with examples of everything that makes syncing hard. */
export async function playDay(parts: DayParts): Promise<void> {
  const { store, loyalty, say, attemptFailed, settled, retryNow, signal } = parts;
  const { actions, rows } = store;
  const pause = pacedBy(parts.pace, signal);
  const product = (title: string) => {
    const found = [...rows.products.values()].find((one) => one.title === title);
    const variantId = found?.variants[0]?.id;
    if (!found || variantId === undefined) throw new Error(`the store has no ${title}`);
    return { id: found.id, variantId };
  };
  const customer = (firstName: string) => {
    const found = [...rows.customers.values()].find((one) => one.firstName === firstName);
    if (!found) throw new Error(`the store has no customer ${firstName}`);
    return found.id;
  };

  await pause();
  say('Robin buys two shirts and a mug.');
  const robins = actions.placeOrder({
    customerId: customer('Robin'),
    lines: [
      { variantId: product('Linen Shirt').variantId, quantity: 2 },
      { variantId: product('Enamel Mug').variantId },
    ],
    shipping: [{ price: 4.9 }],
    payment: 'paid',
  });
  await pause();
  say('Sasha buys socks with the code WELCOME10.');
  const sashas = actions.placeOrder({
    customerId: customer('Sasha'),
    lines: [{ variantId: product('Wool Socks').variantId, quantity: 3 }],
    discounts: [{ code: 'WELCOME10' }],
    payment: 'paid',
  });
  await pause();
  say('From now on webhooks arrive in the wrong order, and many of them twice.');
  store.disorder = { ...inOrder, shuffle: 4, duplicate: 0.5 };
  say('Both orders are shipped: now they earn points.');
  for (const { id } of [robins, sashas]) actions.fulfilOrder({ orderId: id });
  await pause();
  say('The mug costs 19 instead of 17.');
  actions.updateProduct({ productId: product('Enamel Mug').id, price: 19 });
  say('A new discount with three codes: AUTUMN-A, AUTUMN-B, AUTUMN-C.');
  const autumn = actions.createDiscount({
    title: 'Autumn',
    percentage: 15,
    codes: ['AUTUMN-A', 'AUTUMN-B', 'AUTUMN-C'],
  });
  await pause();
  // Otherwise a fast day would have so many failures that the circuit breaker keeps the workers waiting.
  await settled();

  say('The loyalty service goes down for a moment.');
  const { id: outage } = loyalty.faults.add({ kind: 'outage' });
  try {
    say('Toni buys notebooks meanwhile and takes them along,');
    const tonis = actions.placeOrder({
      customerId: customer('Toni'),
      lines: [{ variantId: product('Notebook').variantId, quantity: 4 }],
      payment: 'paid',
    });
    actions.fulfilOrder({ orderId: tonis.id });
    say('and Robin sends one of the shirts back.');
    const [shirts] = robins.lines;
    if (shirts) {
      actions.refundOrder({ orderId: robins.id, lines: [{ lineId: shirts.id, quantity: 1 }] });
    }
    // Not a timer that would keep the process alive at the end.
    await Promise.race([
      attemptFailed,
      sleep(LONGEST_OUTAGE_MS, undefined, { signal, ref: false }),
    ]);
    await pause();
  } finally {
    loyalty.faults.clear(outage);
  }
  say('The loyalty service is back. The operator does not wait: loyalty-connector retry-now');
  await retryNow();
  say('Sasha sends all socks back.');
  const lines = sashas.lines.map(({ id }) => ({ lineId: id, quantity: 3 }));
  actions.refundOrder({ orderId: sashas.id, lines });
  await pause();
  say('The code AUTUMN-C is removed.');
  actions.removeCodes({ discountId: autumn.id, codes: ['AUTUMN-C'] });
  store.disorder = inOrder;
}
