import { afterEach, describe, expect, it } from 'vitest';
import { inOrder } from '../../../local/store-sandbox/delivery/disorder.ts';
import { defaultRules } from '../../../shared/config/mapping-settings.ts';
import { createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import { createSubscriptions } from '../../../shared/shopify/subscriptions/subscriptions.ts';
import { BY_WEBHOOKS } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
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

/** As `npx loyalty-connector webhooks sync` would make them. */
function subscriptionsOf({
  store,
  webhookAddress,
  accessToken,
}: Awaited<ReturnType<typeof openBoth>>) {
  const value = { kind: 'static', accessToken } as const;
  const ask = createAdminClient({
    shop: SHOP,
    secret: { get: async () => value, refresh: async () => value },
    sandboxAddress: store.address,
  }).until(undefined);
  return createSubscriptions({
    ask: () => ask,
    shopOf: () => ({ path: 'example-store', rules: defaultRules }),
    webhookAddress,
    madeBy: 'admin-api',
    products: BY_WEBHOOKS,
  });
}

/** One run of the function while workers go on beside it, as they would. */
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
  const sum = (figure: string) => runs.reduce((total, run) => total + Number(run[figure]), 0);
  const reconciled = lines.filter((line) => '_aws' in line && 'reconciled' in line).length;
  return { healed: sum('healed'), lookedAt: sum('lookedAt'), reconciled };
}

describe('reconciliation of a running connector with its store', () => {
  it('a run touches no subscription where the app’s configuration makes them', async () => {
    const both = await openBoth({
      isAddressed: false,
      healing: { subscriptions: 'app-configuration' },
    });
    const subscriptions = subscriptionsOf(both);
    const findings = async () => {
      const checked = await subscriptions.check(SHOP);
      if (checked.kind !== 'checked') throw new Error('the store did not answer');
      return checked.findings;
    };
    const before = await findings();
    expect(before.missing.length).toBeGreaterThan(10);
    const [one, ...rest] = before.missing;
    if (!one) throw new Error('nothing is missing');
    await subscriptions.repair(SHOP, { missing: [one], wrong: [], extra: [] });
    await reconcile(both.connector);
    const after = await findings();
    expect(after.fine.map(({ topic }) => topic)).toEqual([one.topic]);
    expect(after.missing).toHaveLength(rest.length);
    const lines = both.connector.output.lines();
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
    expect(await reconcile(connector)).toMatchObject({ healed: 0 });
    const { healed } = await reconcile(connector, { mode: 'deep' });
    expect(healed).toBe(4);
    const { orders, products, coupons } = connector.loyalty.state();
    const orderHeld = (id: string) => orders.find(({ OriginalId }) => OriginalId === id);
    expect(orderHeld(lost.id)?.IsCancelledOrReturned).toBe(true);
    expect(orderHeld(standing.id)?.IsCancelledOrReturned).toBe(false);
    expect(products.find(({ OriginalId }) => OriginalId === product?.id)?.IsActive).toBe(false);
    for (const { CouponCode, isActive } of coupons) {
      if (CouponCode.startsWith('GONE-')) expect(isActive).toBe(false);
    }
    expect((await reconcile(connector, { mode: 'deep' })).healed).toBe(0);
    expect(await connector.deadLetters()).toEqual([]);
  }, 180_000);
});
