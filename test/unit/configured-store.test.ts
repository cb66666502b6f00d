import { expect, it, onTestFinished, vi } from 'vitest';
import { eventsOf } from '../../scripts/connector/repair/privacy.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import type { ShopStore, StoreSettings } from '../../shared/core/platform/platform.ts';
import { encodeErasure } from '../../shared/core/store/store.ts';
import { openStores } from '../../shared/services/configured-store.ts';
import { createPlatformReader } from '../../shared/services/platforms.ts';
import { openShopLoyalty, sandboxAddressOf } from '../../shared/services/shop-loyalty.ts';
import { openShopifyStore } from '../../shared/shopify/admin/open-store.ts';
import { answering, startScriptedServer } from '../support/scripted-server.ts';

const VENDURE = 'shop.example.com';
const SHOPIFY = 'example-store.myshopify.com';
const connector = defineConnector({
  shops: [
    { domain: SHOPIFY },
    {
      ...{ platform: 'vendure', domain: VENDURE, path: 'shop' },
      vendure: { adminApi: 'https://shop.example.com/admin-api', currency: 'EUR' },
    },
  ],
  loyalty: { address: 'https://loyalty.example.com' },
  rules: { currency: 'EUR' },
});

/** A store that names itself, what it was asked, and whether its time is over. */
function storeOf(platform: string, isOver = false): ShopStore {
  const say = async (...given: readonly unknown[]) => [platform, isOver, ...given];
  const store = {
    ...{ readOrder: say, changedOrders: say },
    until: ({ aborted }: AbortSignal) => storeOf(platform, aborted),
    ...(platform === 'shopify' && { readBalance: say }),
  };
  return store as never;
}

it('shops of two platforms are each asked at their own, in time and out of time', async () => {
  const settings: StoreSettings[] = [];
  const store = openStores(
    connector,
    { store: (path: string) => path } as never,
    (platform, given) => {
      settings.push(given);
      return storeOf(platform);
    },
    { sandboxes: undefined, reserve: 0.5 },
  );
  const span = { from: 0, until: 1 };
  expect(await store.readOrder(SHOPIFY, '1')).toEqual(['shopify', false, SHOPIFY, '1']);
  expect(await store.readOrder(VENDURE, '1')).toEqual(['vendure', false, VENDURE, '1']);
  const over = store.until(AbortSignal.abort());
  expect(await over.changedOrders(VENDURE, span, 'page')).toEqual([
    ...['vendure', true, VENDURE, span, 'page'],
  ]);
  expect(await over.changedOrders(SHOPIFY, span)).toEqual(['shopify', true, SHOPIFY, span]);
  // What only one of them has is there, and nothing for shops of the other.
  const { readBalance } = store as unknown as Record<string, (shop: string) => unknown>;
  expect(await readBalance?.(SHOPIFY)).toEqual(['shopify', false, SHOPIFY]);
  expect(await readBalance?.(VENDURE)).toBeUndefined();
  expect(settings.map(({ reserve }) => reserve)).toEqual([0.5, 0.5]);
  const { shop } = settings[0] ?? {};
  expect(shop?.(VENDURE).secret(() => ({}) as never)).toBe('shop');
  expect(() => shop?.('other.example.com')).toThrow();
});

it.each([
  [0.5, 'throttled'],
  [0, 'order-not-visible'],
])('a store of Shopify leaves a reserve of %s to others', async (reserve, why) => {
  const server = await startScriptedServer();
  const throttleStatus = { maximumAvailable: 1_000, currentlyAvailable: 500, restoreRate: 0.001 };
  const cost = { requestedQueryCost: 10, throttleStatus };
  const data = { order: null, currentAppInstallation: { accessScopes: [] } };
  server.script = answering(200, JSON.stringify({ data, extensions: { cost } }));
  const credentials = { kind: 'static', accessToken: 'of-this-test' };
  const read = async () => credentials as never;
  const store = openShopifyStore({
    reserve,
    shop: (domain) => ({
      shop: connector.shops.find((one) => one.domain === domain) as never,
      sandboxAddress: server.url,
      secret: () => ({ get: read, refresh: read }),
    }),
  });
  await store.readOrder(SHOPIFY, '1');
  expect(await store.readOrder(SHOPIFY, '1')).toMatchObject({ why: expect.stringMatching(why) });
  await server.stop();
});

it('a shop that is observed has an account that is only read, and ids of its own; one sandbox serves who has none', async () => {
  const shops = connector.shops.map(
    (one, index) => ({ ...one, mode: index ? 'observe' : 'live' }) as const,
  );
  const asked: string[] = [];
  const credentials = async () => ({ token: 'a', key: 'b' });
  vi.stubEnv('LOYALTY_SANDBOX_ADDRESS', 'http://127.0.0.1:1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const secrets = { loyalty: () => ({ get: credentials, refresh: credentials }) } as never;
  const opened = shops.map((shop) => {
    const pauses = {
      guard: (domain: string, breaker: object) => ({ ...breaker, domain }),
    } as never;
    const onEnd = (domain: string) => asked.push(domain);
    const limits = { pauses, rateOf: () => undefined, onEnd };
    return openShopLoyalty(connector, secrets, shop, limits);
  });
  expect(opened.map(({ observes }) => observes)).toEqual([false, true]);
  expect(opened.map(({ otherOrderIds }) => otherOrderIds)).toEqual([['name', 'number'], ['name']]);
  const [live, observed] = opened;
  await expect(observed?.loyalty.upsertCustomer({} as never)).rejects.toThrow();
  await expect(live?.loyalty.upsertCustomer({} as never)).resolves.toMatchObject({
    kind: 'transport-failure',
  });
  expect(new Set(asked)).toEqual(new Set([SHOPIFY]));
  const at = (domain: string, all?: string) => sandboxAddressOf(connector, { domain }, all);
  expect([
    at(VENDURE, 'a b'),
    at(SHOPIFY, 'a b'),
    at(VENDURE, 'a'),
    at('other', 'a b'),
    at(VENDURE),
  ]).toEqual([...['b', 'a', 'a', 'a', undefined]]);
});

it('an event is read as the platform of its shop writes it', () => {
  const read = createPlatformReader(connector.shops);
  const event = {
    kind: 'product',
    claim: 'changed',
    origin: 'webhook',
    ...{ id: '12', topic: 'products/update', deliveryId: 'd', body: Buffer.from('{}') },
    receivedAt: '2026-11-17T12:00:00.000Z',
  } as const;
  expect(read({ ...event, shop: VENDURE })).toEqual({ kind: 'ask-store', isCurrent: true });
  expect(read({ ...event, shop: SHOPIFY })).toMatchObject({ kind: 'unreadable' });
  expect(read({ ...event, shop: 'left.example.com' })).toMatchObject({
    why: expect.stringContaining('not in connector.config.ts'),
  });
});

it('an erasure of one customer is one of all whom the store merged into them, each with their orders', () => {
  const item = (id: string, owner: string) => ({ kind: 'order', id, owner, isPersonal: true });
  const items = [item('71', '2'), item('72', '1'), { ...item('73', '2'), isPersonal: false }];
  const [shop] = connector.shops;
  const of = (id: string | undefined) =>
    eventsOf({ shop, id, ids: new Set(['1', '2']), items } as never, new Date(0)).map((event) => [
      ...[event.id, new TextDecoder().decode(event.body)],
    ]);
  expect(of('1')).toEqual([
    ['1', '72'],
    ['2', '71'],
  ]);
  expect(of(undefined)).toHaveLength(2);
});

it('an erasure that an operator asks for is the same on every platform, and no sender can write one', () => {
  const read = createPlatformReader(connector.shops);
  const event = {
    kind: 'customer',
    claim: 'customer-redaction',
    origin: 'backfill',
    ...{ id: '12', topic: 'privacy/erase', deliveryId: 'd', body: encodeErasure(['7', '8']) },
    receivedAt: '2026-11-17T12:00:00.000Z',
  } as const;
  for (const shop of [SHOPIFY, VENDURE]) {
    const task = { kind: 'redact', customerId: '12' };
    expect(read({ ...event, shop })).toEqual({
      ...{ kind: 'task', task: { ...task, orderIds: ['7', '8'] } },
    });
    expect(read({ ...event, shop, body: encodeErasure([]) })).toEqual({
      ...{ kind: 'task', task: { ...task, orderIds: [] } },
    });
    const received = { ...event, shop, origin: 'webhook' } as const;
    expect(JSON.stringify(read(received))).not.toContain('"7"');
  }
});
