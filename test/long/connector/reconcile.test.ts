import { afterEach, describe, expect, it } from 'vitest';
import { inOrder } from '../../../local/store-sandbox/delivery/disorder.ts';
import { askAdmin } from '../../support/ask-admin.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const HOUR = 3_600;

/** Open since an hour, with nothing to say yet. */
async function openBoth(settings: Partial<Parameters<typeof openStoreAndConnector>[1]> = {}) {
  const both = await openStoreAndConnector(connectors, {
    seed: 5,
    shops: [{ domain: SHOP }],
    // The clock jumps: points that flow back by it would come in floods or not at all.
    store: { bucketSize: 10_000_000, deliveriesKept: 100_000 },
    healing: { subscriptions: 'app-configuration' },
    ...settings,
  });
  stops.push(both.stop);
  await both.connector.reconcile();
  both.connector.pass(HOUR);
  return both;
}

/** One run of the function while workers go on beside it, as they would; returns how much it healed. */
async function reconcile(connector: RunningConnector, mode: { mode?: 'deep' } = {}) {
  const before = connector.output.lines().length;
  let isOver = false;
  const run = connector.reconcile(mode).finally(() => {
    isOver = true;
  });
  while (!isOver) await connector.work();
  await run;
  await connector.settle();
  const lines = connector.output.lines().slice(before);
  const runs = lines.filter(({ message }) => message === 'reconciled');
  return runs.reduce((total, { healed }) => total + Number(healed), 0);
}

describe('reconciliation of a running connector with its store', () => {
  it('a run touches no subscription where the app’s configuration makes them', async () => {
    const { connector, store, webhookAddress } = await openBoth({ isAddressed: false });
    await askAdmin(
      store,
      'mutation($s: WebhookSubscriptionInput!) { webhookSubscriptionCreate(topic: ORDERS_CREATE, webhookSubscription: $s) { userErrors { message } } }',
      { s: { uri: `${webhookAddress}/example-store` } },
    );
    await reconcile(connector);
    expect(store.state().subscriptions.map(({ topic }) => topic)).toEqual(['orders/create']);
    const lines = connector.output.lines();
    expect(lines.some((line) => 'subscriptions-wrong' in line)).toBe(true);
  }, 120_000);

  it('a deep run finds what was deleted without a word', async () => {
    const { connector, store } = await openBoth({ disorder: inOrder });
    const [product, kept] = store.rows.products.values();
    const place = () =>
      store.actions.placeOrder({
        lines: [{ variantId: kept?.variants[0]?.id, quantity: 1 }],
        customerId: [...store.rows.customers.values()][0]?.id,
        payment: 'paid',
      });
    const [lost, standing] = [place(), place()];
    const discount = store.actions.createDiscount({ percentage: 5, codes: ['GONE-1', 'GONE-2'] });
    await store.deliveries.settled();
    await connector.settle();
    connector.pass(HOUR);
    await reconcile(connector);

    store.disorder = { ...inOrder, drop: 1 };
    store.actions.cancelOrder({ orderId: lost.id });
    store.actions.deleteOrder({ orderId: lost.id });
    store.actions.deleteProduct({ productId: product?.id ?? '' });
    store.actions.deleteDiscount({ discountId: discount.id });
    await store.deliveries.settled();
    connector.pass(HOUR);
    expect(await reconcile(connector)).toBe(0);
    expect(await reconcile(connector, { mode: 'deep' })).toBe(4);
    const { orders, products, coupons } = connector.loyalty.state();
    const orderHeld = (id: string) => orders.find(({ OriginalId }) => OriginalId === id);
    expect(orderHeld(lost.id)?.IsCancelledOrReturned).toBe(true);
    expect(orderHeld(standing.id)?.IsCancelledOrReturned).toBe(false);
    expect(products.find(({ OriginalId }) => OriginalId === product?.id)?.IsActive).toBe(false);
    for (const { CouponCode, isActive } of coupons) {
      if (CouponCode.startsWith('GONE-')) expect(isActive).toBe(false);
    }
    expect(await reconcile(connector, { mode: 'deep' })).toBe(0);
    expect(await connector.deadLetters()).toEqual([]);
  }, 180_000);
});
