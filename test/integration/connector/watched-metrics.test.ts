import { describe, expect, it } from 'vitest';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { storeCoupon } from '../../fixtures/store-entities.ts';
import { productAt } from '../../support/product-payload.ts';
import {
  LOYALTY_CREDENTIALS,
  type RunningConnector,
  runConnectors,
  SECOND_SHOP,
  SHOP,
} from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';
import {
  alarmsOf,
  keyOf,
  type NamedMetric,
  readMetricLine,
} from '../../support/watched-metrics.ts';

/**
 * A metric whose name or dimensions nobody writes gives no error anywhere: its alarm just never rings.
 * So each trouble is caused here, and what the functions wrote is compared with what the template names.
 */
const connectors = runConnectors();

const NAMESPACE = 'LoyaltyConnector/test';
const shops = [{ domain: SHOP }, { domain: SECOND_SHOP }];
const template = synthesizeStack({ shops, rules: { currency: 'EUR' } }, 'test');
const own = (metrics: readonly NamedMetric[]) =>
  metrics.filter(({ namespace }) => namespace === NAMESPACE);
const alarms = alarmsOf(template);

/** Everything that was written in this file, to be compared at its end. */
const everWritten = new Set<string>();

/** Sums by name and dimensions, as CloudWatch would make them, of what the work wrote. */
async function writtenBy(
  connector: RunningConnector,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const from = connector.output.lines().length;
  await work();
  const sums = new Map<string, number>();
  for (const line of connector.output.lines().slice(from)) {
    if (!('_aws' in line)) continue;
    for (const { metric, values, keptBy } of readMetricLine(line)) {
      for (const dimensions of keptBy) {
        const key = keyOf({ namespace: NAMESPACE, name: metric, dimensions });
        const sum = values.reduce((total, value) => total + value, 0);
        sums.set(key, (sums.get(key) ?? 0) + sum);
        everWritten.add(key);
      }
    }
  }
  return sums;
}

/** What was measured for an alarm, over all of the metrics that it adds up. */
function measured(id: string, sums: ReadonlyMap<string, number>): number {
  const alarm = alarms.find(({ name }) => name === `loyalty-connector-test-${id}`);
  if (!alarm) throw new Error(`no alarm ${id}`);
  const metrics = own(alarm.metrics);
  expect(metrics.length).toBeGreaterThan(0);
  return metrics.reduce((total, metric) => total + (sums.get(keyOf(metric)) ?? 0), 0);
}

const order = (id: number, second = 1) => orderAt(second, { fulfilledAfterDays: 1 }, withId(id));
const updated_at = '2026-10-09T11:00:00Z';
const discount = {
  admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/1688847450345',
  updated_at,
};

/** One of each kind, on the queues. */
async function postAll(connector: RunningConnector, id = 1, second = 1): Promise<void> {
  connector.store.putCoupon(SHOP, storeCoupon({ code: `CODE-${id}`, codeId: `${id}` }));
  await connector.post('orders/create', order(id, second));
  await connector.post('products/create', productAt(second));
  await connector.post('discounts/create', discount);
}

/** Lets an hour of tries pass; what waits is left waiting. */
async function tryForAnHour(connector: RunningConnector): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    await connector.work();
    connector.pass(300);
  }
}

describe('an ordinary day', () => {
  it('writes the figures that are paid for, and no other', async () => {
    const connector = await connectors.open();
    const sums = await writtenBy(connector, async () => {
      await postAll(connector);
      await connector.post('orders/create', order(7), { shop: SECOND_SHOP });
      await connector.post('products/create', productAt(1), { shop: SECOND_SHOP });
      await connector.post('discounts/create', discount, { shop: SECOND_SHOP });
      await connector.settle();
      // Nothing new, an older one, and what a rule leaves out.
      await connector.deliver(
        ['orders/updated', order(1, 2)],
        ['products/update', productAt(2)],
        ['orders/updated', order(1, 1)],
        ['orders/create', orderAt(1, {}, { ...withId(2), test: true })],
      );
    });
    // docs/cost.md counts with these, and with the reconciliation's.
    expect([...sums.keys()].toSorted()).toEqual(
      ['applied', 'latency-ms', 'no-change', 'received', 'retried'].map((name) =>
        keyOf({ namespace: NAMESPACE, name, dimensions: {} }),
      ),
    );
  });

  it('rings no alarm', async () => {
    const connector = await connectors.open();
    const sums = await writtenBy(connector, async () => {
      await postAll(connector);
      await connector.settle();
    });
    for (const { name, metrics } of alarms) {
      if (own(metrics).length === 0) continue;
      expect(measured(name.replace('loyalty-connector-test-', ''), sums), name).toBe(0);
    }
  });
});

describe('each trouble is written where its alarm looks', () => {
  it('forged signatures, and not the tries at an address of no shop', async () => {
    const connector = await connectors.open();
    const forge = (shop: string) =>
      connector.post('orders/create', order(1), { shop, secret: 'x' });
    const elsewhere = await writtenBy(connector, () => forge('unknown-store'));
    expect(measured('signatures-refused', elsewhere)).toBe(0);
    const sums = await writtenBy(connector, () => forge(SHOP));
    expect(measured('signatures-refused', sums)).toBe(1);
  });

  it('an older secret, another API version', async () => {
    const connector = await connectors.open();
    const older = connector.webhookSecret('example-store');
    const previousUntil = new Date(Date.now() + 86_400_000).toISOString();
    const secrets = { current: 'webhook-secret-of-tomorrow', previous: older, previousUntil };
    await connector.keepSecret('example-store/webhook', secrets);
    const headers = { 'x-shopify-api-version': '2025-01' };
    const sums = await writtenBy(connector, () =>
      connector.post('orders/create', order(1), { secret: older, headers }),
    );
    expect(measured('older-webhook-secret', sums)).toBe(1);
    expect(measured('unexpected-api-version', sums)).toBe(1);
  });

  it('retries that go on, and not those of the first half hour', async () => {
    const connector = await connectors.open();
    connector.loyalty.faults.add({ kind: 'http-500' });
    await postAll(connector);
    const early = await writtenBy(connector, () => connector.work());
    expect(measured('messages-stuck', early)).toBe(0);
    const sums = await writtenBy(connector, () => tryForAnHour(connector));
    expect(measured('messages-stuck', sums)).toBeGreaterThanOrEqual(3);
    connector.loyalty.faults.clear();
  });

  it('a pause that lasts, which is neither a retry nor stuck', async () => {
    const connector = await connectors.open();
    await connector.pauseShop();
    await connector.post('orders/create', order(1));
    const early = await writtenBy(connector, () => tryForAnHour(connector));
    expect([...early.keys()]).toEqual([]);
    connector.pass(7 * 86_400);
    const sums = await writtenBy(connector, () => connector.work());
    expect(measured('waits-long', sums)).toBe(1);
    expect(measured('messages-stuck', sums)).toBe(0);
  });

  it('credentials that the loyalty service refuses, by each worker', async () => {
    const connector = await connectors.open();
    await connector.keepSecret('example-store/loyalty', { ...LOYALTY_CREDENTIALS, key: 'old' });
    await postAll(connector);
    const sums = await writtenBy(connector, () => tryForAnHour(connector));
    expect(measured('misconfigured', sums)).toBeGreaterThanOrEqual(3);
  });

  it('credentials that have expired, by the reconciliation, before an order needs them', async () => {
    const shops = [{ domain: SHOP }];
    const { connector } = await openStoreAndConnector(connectors, { seed: 6, shops });
    const fine = await writtenBy(connector, () => connector.reconcile());
    expect(measured('misconfigured', fine)).toBe(0);
    await connector.keepSecret('example-store/loyalty', { ...LOYALTY_CREDENTIALS, key: 'old' });
    connector.pass(3_600);
    const sums = await writtenBy(connector, () => connector.reconcile());
    expect(measured('misconfigured', sums)).toBe(1);
    expect(connector.newCalls().filter(({ status }) => status === 401)).not.toEqual([]);
    expect(connector.output.lines()).toContainEqual(
      expect.objectContaining({ level: 'error', shop: SHOP, why: 'loyalty-misconfigured' }),
    );
    // As for a store that refuses, the shop waits, and its runs count.
    connector.pass(3_600);
    const again = await writtenBy(connector, () => connector.reconcile());
    expect(measured('misconfigured', again)).toBe(0);
    expect(measured('reconciliation-missing', again)).toBe(1);
  });

  it('throttling of the loyalty service, by each worker', async () => {
    const connector = await connectors.open();
    connector.loyalty.faults.add({ kind: 'http-429', retryAfterSeconds: 60 });
    await postAll(connector);
    const sums = await writtenBy(connector, () => tryForAnHour(connector));
    expect(measured('loyalty-throttles', sums)).toBeGreaterThanOrEqual(3);
    connector.loyalty.faults.clear();
  });

  it('a worker that breaks off', async () => {
    const connector = await connectors.open();
    const breakOff = async () => {
      throw new Error('not foreseen');
    };
    Object.assign(connector.store, {
      readOrder: breakOff,
      readProduct: breakOff,
      readDiscount: breakOff,
    });
    await connector.post('orders/edited', { order_edit: { id: 1, order_id: 5 } });
    await connector.post('products/delete', { id: 6 });
    await connector.post('discounts/create', discount);
    const sums = await writtenBy(connector, () => connector.work());
    expect(measured('work-broke-off', sums)).toBe(3);
  });

  it('what is parked, by each worker', async () => {
    const connector = await connectors.open();
    connector.loyalty.faults.add({ kind: 'business-error', code: 50 });
    await writtenBy(connector, async () => {
      await postAll(connector);
      await connector.settle();
    });
    expect(await connector.deadLetters()).toHaveLength(3);
  });

  it.each([
    [
      'data-request',
      'customers/data_request',
      { customer: { id: 1 }, orders_requested: [], data_request: { id: 9 } },
    ],
    ['shop-redaction', 'shop/redact', {}],
    ['app-uninstalled', 'app/uninstalled', { myshopify_domain: SHOP }],
  ])('a notice: %s', async (id, topic, body) => {
    const connector = await connectors.open();
    const shop =
      topic === 'app/uninstalled' ? { id: 954889 } : { shop_id: 954889, shop_domain: SHOP };
    const sums = await writtenBy(connector, () => connector.deliver([topic, { ...shop, ...body }]));
    expect(measured(id, sums)).toBe(1);
  });
});

describe('reconciliation', () => {
  it('writes that webhooks were lost, and that it came to its end', async () => {
    const { connector, store } = await openStoreAndConnector(connectors, {
      seed: 5,
      disorder: { drop: 1 },
      shops: [{ domain: SHOP }],
    });
    const begun = await writtenBy(connector, () => connector.reconcile());
    expect(measured('reconciliation-missing', begun)).toBe(1);
    for (let count = 0; count < 12; count += 1) store.actions.placeRandomOrder();
    store.actions.createProduct({ title: 'Scarf', price: '19.90' });
    store.actions.createDiscount({ title: 'Ten', percentage: 10, codes: ['TEN-A', 'TEN-B'] });
    await store.deliveries.settled();
    connector.pass(3_600);
    const sums = await writtenBy(connector, () => connector.reconcile());
    expect(measured('webhooks-get-lost', begun)).toBe(0);
    expect(measured('webhooks-get-lost', sums)).toBe(1);
    expect(measured('reconciliation-missing', sums)).toBe(1);
  });

  it('writes that the loyalty service holds another order', async () => {
    const { connector, store } = await openStoreAndConnector(connectors, {
      seed: 8,
      shops: [{ domain: SHOP }],
    });
    await connector.reconcile();
    const { actions } = store;
    const customer = actions.createCustomer({ firstName: 'Kim', email: 'kim@example.org' });
    const lines = [{ title: 'Scarf', price: 60 }];
    const { id } = actions.placeOrder({ lines, customerId: customer.id, payment: 'paid' });
    actions.fulfilOrder({ orderId: id });
    await store.deliveries.settled();
    await connector.settle();
    const loyalty = createLoyaltyClient({
      baseUrl: connector.loyalty.address,
      credentials: LOYALTY_CREDENTIALS,
    });
    const held = connector.loyalty.state().orders.find(({ OriginalId }) => OriginalId === id);
    if (!held) throw new Error('the order was not sent');
    const { OrderPlacementDate, OrderCompletedDate } = held;
    await loyalty.sendOrder({
      ...{ OriginalId: id, OrderPlacementDate, OrderCompletedDate, OrderTotal: 75 },
      ...{ IsCompleted: true, IsCancelledOrReturned: false },
      Customer: { OriginalId: customer.id, Name: 'Kim', Email: 'kim@example.org' },
    });
    connector.pass(3_600);
    const sums = await writtenBy(connector, () => connector.reconcile({ mode: 'deep' }));
    expect(measured('orders-differ', sums)).toBe(1);
  });

  it('writes that subscriptions are missing', async () => {
    const { connector } = await openStoreAndConnector(connectors, {
      seed: 7,
      isAddressed: false,
      shops: [{ domain: SHOP }],
    });
    const sums = await writtenBy(connector, () => connector.reconcile());
    expect(measured('subscriptions-wrong', sums)).toBeGreaterThanOrEqual(1);
    const again = await writtenBy(connector, () => connector.reconcile());
    expect(measured('subscriptions-wrong', again)).toBe(0);
  });

  it('counts refused credentials of the store once, in the same metric as the workers, and its shop as waiting', async () => {
    const { connector } = await openStoreAndConnector(connectors, {
      seed: 6,
      shops: [{ domain: SHOP }],
    });
    await connector.keepSecret('example-store/store', { accessToken: 'shpat_revoked' });
    connector.pass(400);
    const sums = await writtenBy(connector, () => connector.reconcile());
    expect(measured('misconfigured', sums)).toBe(1);
    expect(measured('reconciliation-missing', sums)).toBe(1);
    const again = await writtenBy(connector, () => connector.reconcile());
    expect(measured('misconfigured', again)).toBe(0);
    expect(measured('reconciliation-missing', again)).toBe(1);
  });
});

describe('basic monitoring', () => {
  const basic = alarmsOf(synthesizeStack({ deployment: { monitoring: 'basic' } }, 'test'));

  it('writes nothing on an ordinary day, and one figure that its alarm looks at in trouble', async () => {
    const connector = await connectors.open({ deployment: { monitoring: 'basic' } });
    const quiet = await writtenBy(connector, async () => {
      await postAll(connector);
      await connector.settle();
    });
    expect([...quiet.keys()]).toEqual([]);
    connector.loyalty.faults.add({ kind: 'business-error', code: 50 });
    const sums = await writtenBy(connector, async () => {
      await postAll(connector, 2, 5);
      await connector.settle();
    });
    expect([...sums.keys()]).toEqual(basic.flatMap(({ metrics }) => own(metrics).map(keyOf)));
    expect([...sums.values()].at(0)).toBeGreaterThanOrEqual(1);
  });
});

describe('at the end', () => {
  it('every metric of ours that an alarm names has been written', () => {
    const named = own(alarms.flatMap(({ metrics }) => metrics));
    const missing = named.map(keyOf).filter((key) => !everWritten.has(key));
    expect([...new Set(missing)]).toEqual([]);
  });
});
