import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  LOOK_UP_MS,
  openWorker,
  REDEEM_MS,
  STORE_MS,
  withTelemetry,
} from '../../functions/wiring.ts';
import { RECEIVER_BUDGET, WORKER_BUDGET } from '../../shared/aws/aws-client.ts';
import { createEmfTelemetry } from '../../shared/aws/emf-telemetry.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import { RESERVE } from '../../shared/services/configured-store.ts';

/** No two settings have the same value, none that of its default, and the shops differ in each of theirs. */
const connector = defineConnector({
  shops: [
    { domain: 'kestrel.myshopify.com', path: 'k', rules: { customers: 'with-orders' } },
    {
      ...{ domain: 'plover.myshopify.com', path: 'p', mode: 'observe', observers: ['77'] },
      ...{ rules: { taxes: 'include' }, otherOrderIds: [] },
    },
  ],
  loyalty: {
    ...{ address: 'https://loyalty.example.com', callsPerSecond: 7 },
    assumptions: { redemptionsKeepMetadata: true, refunds: 'resend' },
  },
  ...{ rules: { currency: 'EUR' }, retryWindowDays: 3, orderRetentionDays: 99 },
  healing: { deepEveryDays: 5, productChanges: 'events' },
  storefront: {
    ...{ customerIdIn: 'Document', metafieldNamespace: 'program', posCustomerId: 'store-id' },
    ...{ rewardTypes: { 7: 'free-shipping' }, readsPerMinute: 30, redeemsPerHour: 11 },
    ...{
      taxInPrices: 19,
      takeBack: { by: 'staff', withinDays: 13 },
      flow: { expiryNoticeDays: 17 },
    },
  },
});
const { storefront = {} as never } = connector;
const DOMAINS = connector.shops.map(({ domain }) => domain);

/** What a function uses, as what it was given: `store of k within 3 s`. */
const secrets = {
  webhook: (path: string) => `webhook secret of ${path}`,
  points: (path: string) => `points secret of ${path}`,
  store: (path: string) => ({ get: async () => ({ clientId: `app of ${path}` }) }),
};
const storeUntil = (of: string) => ({
  until: (signal: AbortSignal) => ({ of, signal, balancesIn: (name: string) => `${of}, ${name}` }),
  within: (ms: number) => `${of} within ${ms}`,
});
const opened = {
  ...{ sqs: 'sqs', telemetry: {}, secrets, ledger: 'ledger', limits: 'limits', common: {} },
  ...{ pauses: { doubtOf: () => ({ since: 1, until: 2, comparedAt: 3 }) }, rateOf: 'rates' },
};
const environmentOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((one) => [one, one]));
const told = vi.fn();
const FAKES: Readonly<Record<string, object>> = {
  '../../functions/wiring.ts': {
    openFunction: (_: unknown, service: string, names: readonly string[], budget: object) => {
      told(service, budget);
      return { ...opened, environment: environmentOf(names) };
    },
    openWithLedger: (
      _: unknown,
      service: string,
      names: readonly string[],
      ...[budget, create]: readonly unknown[]
    ) => {
      told(service, budget, create);
      return { ...opened, environment: environmentOf(names) };
    },
    openWorker: (_: unknown, queue: string, names: readonly string[], most: number) => ({
      ...{ ...opened, environment: environmentOf([...names, 'SOURCE_QUEUE_URL']) },
      handle: (inTime: (deadlines: object) => object) => (deadlines: object) => {
        return { queue, most, ...inTime(deadlines) };
      },
    }),
    withTelemetry: (_: unknown, handle: unknown) => handle,
    readEnvironment: environmentOf,
  },
  '../../shared/core/calls/rate-limit.ts': {
    ...{ createCallRate: () => 'as a worker', createShopperRate: () => 'as a shopper' },
  },
  '../../functions/lazy-store.ts': { createLazyStore: () => storeUntil('lazy store') },
  '../../shared/aws/sqs-queues.ts': {
    createSqsEventQueue: (_: unknown, urls: object) => urls,
    createSqsQueueDepth: (_: unknown, urls: object) => urls,
  },
  '../../shared/services/configured-store.ts': {
    createConfiguredStore: () => storeUntil('store'),
    openStores: (_: unknown, __: unknown, ___: unknown, { reserve }: { reserve: number }) => ({
      until: (signal: AbortSignal) => ({
        reserve,
        checkSubscriptions: async (shop: string) => told(`subscriptions of ${shop}`, signal),
      }),
    }),
  },
  '../../shared/services/shop-loyalty.ts': {
    openShopLoyalty: (
      _: unknown,
      __: unknown,
      { domain }: { domain: string },
      limits: unknown,
    ) => ({
      ...{ loyalty: `service of ${domain}`, limits },
    }),
    tryCredentials: async (given: object) => given,
  },
  '../../shared/services/rewards.ts': {
    scanRewards: (_: unknown, depsOf: unknown) => depsOf,
    workerRewards: ({ storefront: one }: { storefront?: object }) => one !== undefined,
  },
  '../../shared/core/reconcile/reconcile.ts': {
    reconcile: async (...given: unknown[]) => told(...given),
  },
  '../../shared/rewards/redeem/own-member.ts': { createMembers: (given: object) => given },
  '../../shared/rewards/redeem/redeem-reward.ts': {
    createRedeeming: (_: string, open: () => object) => ({ redeeming: open() }),
  },
  '../../shared/rewards/storefront/storefront.ts': {
    createStorefront: (given: object) => ({ asking: given }),
    createRateLimit: (most: number) => most,
    createCustomersOfShop: (shop: string, lookUp: () => unknown) => ({ shop, store: lookUp() }),
  },
  '../../shared/shopify/storefront-requests/serve-storefront.ts': {
    serveStorefront: async (_: unknown, given: object) => ({
      status: 200,
      headers: {},
      body: given,
    }),
  },
};

/** The function's file, evaluated anew with these in the place of what it imports. */
async function load(file: string) {
  for (const [path, fake] of Object.entries(FAKES)) {
    vi.doMock(path, async (original) => ({ ...(await original<object>()), ...fake }));
  }
  const made = await import(`../../functions/${file}.ts?given`);
  for (const path of Object.keys(FAKES)) vi.doUnmock(path);
  return made;
}

beforeEach(() => {
  const names = ['SECRETS_PREFIX', 'METRICS_NAMESPACE', 'LEDGER_TABLE', 'AWS_REGION'];
  const ofWorkers = ['SOURCE_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL', 'WORKERS'];
  for (const name of [...names, ...ofWorkers]) vi.stubEnv(name, '5');
  told.mockClear();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const [work, store] = [AbortSignal.abort('work'), AbortSignal.abort('store')];
const OF_STORE = {
  orders: 'ORDERS_QUEUE_URL',
  products: 'PRODUCTS_QUEUE_URL',
  coupons: 'COUPONS_QUEUE_URL',
};
const BALANCES = { balances: 'BALANCES_QUEUE_URL' };

it.each([
  ['orders', { ...OF_STORE, ...BALANCES }],
  ['products', OF_STORE],
  ['coupons', OF_STORE],
])(
  'the worker of %s is given what the settings say, by shop, and each deadline',
  async (family, queue) => {
    const { createWorker, PARALLEL } = await load('sync-entities');
    const given = createWorker(connector, family)({ work, store });
    expect(given).toMatchObject({ queue, most: PARALLEL, orderRetentionDays: 99, rewards: true });
    expect([given.deadline.reason, given.store.signal.reason]).toEqual(['work', 'store']);
    const { assumptions } = connector.loyalty;
    expect(DOMAINS.map(given.shop)).toMatchObject(
      connector.shops.map(({ domain, rules }) => ({
        ...{ loyalty: `service of ${domain}`, limits: 'limits', rules, assumptions },
      })),
    );
  },
);

it('the worker of balances is given what the settings say, by shop, and each deadline', async () => {
  const { createBalanceWorker } = await load('sync-balances');
  const given = createBalanceWorker(connector)({ work, store });
  expect(given).toMatchObject({
    ...{ queue: { balances: 'SOURCE_QUEUE_URL' }, retentionDays: 99, customerIdIn: 'Document' },
    ...{ balances: 'store, program', announcing: { expiryNoticeDays: 17 } },
  });
  expect([given.deadline.reason, given.store.signal.reason, given.customers.signal.reason]).toEqual(
    [...['work', 'store', 'store']],
  );
  expect([...given.shops]).toMatchObject(
    DOMAINS.map((shop) => {
      const loyalty = `service of ${shop}`;
      return [shop, { loyalty, members: { shop, loyalty, posCustomerId: 'store-id' } }];
    }),
  );
});

it('reconcile is given what the settings say, by shop, and its deadline', async () => {
  const { createReconcile } = await load('reconcile');
  await createReconcile(connector)({ mode: 'deep' }, { getRemainingTimeInMillis: () => 900_000 });
  const [shops, asked, given] = told.mock.lastCall ?? [];
  expect([shops.map((one: { path: string }) => one.path), asked]).toEqual([
    ['k', 'p'],
    { mode: 'deep' },
  ]);
  expect(given).toMatchObject({
    ...{ deepEveryDays: 5, quietProducts: true, orderRetentionDays: 99 },
    ...{ queue: { ...OF_STORE, ...BALANCES }, depth: { ...OF_STORE, ...BALANCES } },
  });
  expect(given.leftMs()).toBeLessThan(900_000);
  const { assumptions } = connector.loyalty;
  for (const shop of DOMAINS) {
    expect(given.program(shop)).toMatchObject({ loyalty: `service of ${shop}`, assumptions });
    const inTime = given.inTime(work);
    expect(await inTime.checkShop(shop)).toMatchObject({
      loyalty: `service of ${shop}`,
      deadline: work,
    });
    expect(told).toHaveBeenLastCalledWith(`subscriptions of ${shop}`, work);
    expect(inTime.rewards(shop)).toMatchObject({ loyalty: `service of ${shop}`, deadline: work });
    expect(inTime.store.reserve).toBe(RESERVE);
  }
});

it('the storefront is given what the settings say, by shop, and its times', async () => {
  const { createStorefrontFunction } = await load('storefront');
  const event = { requestContext: { http: {} } };
  const { body } = await createStorefrontFunction(connector)(event, {});
  const limits = { customer: 30, anonymous: 300, staff: 60, tills: 600 };
  const { rewardTypes, takeBack, flow } = storefront;
  for (const { domain, path, mode, rules } of connector.shops) {
    const of = body.shops.get(path);
    const [loyalty, retentionDays] = [`service of ${domain}`, 99];
    const members = { shop: domain, loyalty, posCustomerId: 'store-id' };
    expect(of).toMatchObject({
      ...{ domain, secrets: `webhook secret of ${path}`, rateLimit: limits },
      hasCustomer: { shop: domain, store: `lazy store within ${LOOK_UP_MS}` },
      storefront: {
        asking: {
          ...{ shop: domain, loyalty, members, rewardTypes, takeBack, flow, retentionDays },
          ...{ customers: rules.customers, pointCallsPerMinute: 30, queue: BALANCES },
          taxInPrices: rules.taxes === 'exclude' ? 19 : 0,
        },
        redeeming: {
          ...{ loyalty, members, rewardTypes, takeBack, retentionDays, queue: BALANCES },
          ...{ redeemsPerHour: 11, keepsMetadata: true, store: `lazy store within ${STORE_MS}` },
        },
      },
    });
    expect(of.observers).toEqual(mode === 'observe' ? ['77'] : undefined);
    expect(await of.clientId()).toBe(`app of ${path}`);
    // All has been compared.
    expect(of.storefront.redeeming.inDoubt()).toBe(false);
  }
  expect(REDEEM_MS).toBeLessThan(STORE_MS);
});

it.each([
  ['receive-webhook', 'createReceiver', RECEIVER_BUDGET, undefined],
  ['receive-points', 'createPointsReceiver', RECEIVER_BUDGET, undefined],
  ['reconcile', 'createReconcile', WORKER_BUDGET, 'as a worker'],
  ['storefront', 'createStorefrontFunction', RECEIVER_BUDGET, 'as a shopper'],
])(
  '%s has its own time for AWS and its own way to wait for a call',
  async (file, name, budget, waits) => {
    (await load(file))[name](connector);
    const [service, given, create] = told.mock.calls[0] ?? [];
    expect([service, given, create?.()]).toEqual([file, budget, waits]);
  },
);

it('a worker waits for its calls as a worker', async () => {
  const { openWorker: open } = await load('wiring');
  expect(open(connector, 'orders', [], 5).limits.rateOf(connector.shops[0])).toBe('as a worker');
});

it('the time for a question to the store begins when it is given, and is the rest of that when it is asked', async () => {
  const { createLazyStore } = await load('lazy-store');
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const within = createLazyStore(connector, secrets).within(1_000);
  vi.setSystemTime(400);
  await within.readOrder('a shop', '1').catch(() => {});
  expect(timeout.mock.calls).toEqual([[600]]);
  vi.useRealTimers();
  timeout.mockRestore();
});

it('a worker leaves others their part only where there are other shops', () => {
  const [first] = connector.shops;
  const alone = { ...connector, shops: first ? [first] : [] };
  const knows = (one: typeof connector) => openWorker(one, 'orders', [], 5).common.hasNeighbours;
  expect([knows(alone), knows(connector)]).toEqual([false, true]);
});

it('what was counted is written at the end of an invocation, also of one that breaks off', async () => {
  const lines: string[] = [];
  const settings = { namespace: 'n', service: 'reconcile', monitoring: 'full' } as const;
  const telemetry = createEmfTelemetry(settings, (line) => lines.push(line));
  const run = withTelemetry(telemetry, async (breaks: boolean) => {
    telemetry.count('received');
    if (breaks) throw new Error('broken');
  });
  const context = { getRemainingTimeInMillis: () => 1 } as never;
  await run(false, context);
  await expect(run(true, context)).rejects.toThrow('broken');
  expect(lines.filter((line) => line.includes('"received":1'))).toHaveLength(2);
});
