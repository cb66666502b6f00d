import { expect, vi } from 'vitest';
import { amountHeld, knownFrom } from '../../local/harness/held-order.ts';
import type { LoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import type { Disorder } from '../../local/store-sandbox/delivery/disorder.ts';
import {
  type StoreSandbox,
  type StoreSandboxOptions,
  startStoreSandbox,
} from '../../local/store-sandbox/sandbox.ts';
import { completeHealing } from '../../shared/config/connector-settings.ts';
import type { MappingRules } from '../../shared/config/mapping-settings.ts';
import { mapOrder } from '../../shared/core/mapping/map-order.ts';
import type { StoreAnswer } from '../../shared/core/store/store.ts';
import {
  type AdminStore,
  type AdminStoreSettings,
  createAdminStore,
} from '../../shared/shopify/admin/admin-store.ts';
import {
  topicsOfEvents,
  wantedEvents,
} from '../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { topicRoutes } from '../../shared/shopify/webhooks/topics.ts';
import { rules } from '../fixtures/store-entities.ts';
import { serveWeb } from './emulated-deployment.ts';
import {
  type Connectors,
  type RunningConnector,
  type RunningSettings,
  SHOP,
  START,
} from './running-connector.ts';

const ACCESS_TOKEN = 'shpat_of_this_test_71c2';
/** Of an older app, whose static access token is stored with its id. */
export const CLIENT_ID = 'app-of-this-test';
/** Signs webhooks, proxied requests and session tokens. */
export const STORE_SECRET = 'store-secret-of-this-test';
const PREVIOUS_SECRET = 'older-store-secret-of-this-test';

export interface BothSettings
  extends Pick<
    RunningSettings,
    'rules' | 'shops' | 'healing' | 'assumptions' | 'callsPerSecond' | 'storefront'
  > {
  /** False: the store has no address until one is set through its Admin API. */
  readonly isAddressed?: boolean;
  readonly disorder?: Partial<Disorder>;
  readonly seed: number;
  readonly store?: StoreSandboxOptions['settings'];
  readonly shop?: Omit<NonNullable<StoreSandboxOptions['shop']>, 'domain'>;
}

/** A store that posts its webhooks to the connector, which reads it: nothing between is faked. */
export async function openStoreAndConnector(
  connectors: Connectors,
  { disorder = {}, seed, store: settings, shop, isAddressed = true, ...rest }: BothSettings,
) {
  // The store must not start later than the connector's first day.
  vi.setSystemTime(START);
  let connector: RunningConnector | undefined;
  const address = await serveWeb(async (request) =>
    connector ? connector.receive(request) : { status: 503 },
  );
  const products = completeHealing(rest.healing);
  const ofEvents = topicsOfEvents(products);
  const uri = `${address.endpoint}/example-store`;
  const store = await startStoreSandbox({
    shop: { ...shop, domain: SHOP },
    ...(isAddressed && {
      webhooksTo: uri,
      ...(ofEvents.size > 0 && {
        webhookTopics: [...topicRoutes.keys()].filter((topic) => !ofEvents.has(topic)),
        events: wantedEvents(uri, products),
      }),
    }),
    secret: STORE_SECRET,
    previousSecret: PREVIOUS_SECRET,
    accessToken: ACCESS_TOKEN,
    settings: { retryTimeScale: 0.001, ...settings },
    disorder: { longestDelayMs: 30, ...disorder },
    seed,
  });
  connector = await connectors.open({
    adminApi: { address: store.address, accessToken: ACCESS_TOKEN },
    webhookAddress: address.endpoint,
    ...rest,
  });
  await connector.keepSecret('example-store/webhook', {
    current: STORE_SECRET,
    previous: PREVIOUS_SECRET,
    previousUntil: '2100-01-01T00:00:00.000Z',
  });
  await connector.keepSecret('example-store/store', {
    accessToken: ACCESS_TOKEN,
    clientId: CLIENT_ID,
  });
  connectors.stopLater(async () => {
    await store.stop();
    await address.stop();
  });
  return { connector, store };
}

/** The stores as the connector sees them. */
export function adminStoreOf(
  stores: StoreSandbox | readonly StoreSandbox[],
  settings: Pick<AdminStoreSettings, 'sleep'> = {},
): AdminStore {
  const all = new Map([stores].flat().map((store) => [store.shop.domain, store]));
  return createAdminStore({
    ...settings,
    shop: (domain) => {
      const store = all.get(domain);
      if (!store) throw new Error(`unknown shop: ${domain}`);
      const secret = { kind: 'static', accessToken: store.credentials.accessToken } as const;
      return {
        secret: { get: async () => secret, refresh: async () => secret },
        sandboxAddress: store.address,
      };
    },
  });
}

type Loyalty = Pick<LoyaltySandbox, 'state'>;

/** The loyalty service holds exactly the orders of the store, with the right points. */
export async function expectSameOrders(
  loyalty: Loyalty,
  store: StoreSandbox,
  orderRules: MappingRules = rules,
): Promise<void> {
  const admin = adminStoreOf(store);
  const { orders } = loyalty.state();
  for (const { id } of store.rows.orders.values()) {
    const held = orders.find(({ OriginalId }) => OriginalId === id);
    const order = found(await admin.readOrder(store.shop.domain, id));
    const mapped = mapOrder(order, orderRules, knownFrom(held));
    if (mapped.kind === 'skip' && mapped.why === 'exchange') continue;
    if (mapped.kind !== 'wanted') expect(held, `order ${id}`).toBeUndefined();
    else if (mapped.wanted.kind === 'order') {
      const { OrderTotal, IsCompleted } = mapped.wanted.order;
      expect(held, `order ${id}`).toMatchObject({ IsCompleted, IsCancelledOrReturned: false });
      expect(held && amountHeld(held), `order ${id}`).toBe(OrderTotal);
    } else if (held) expect(held.IsCancelledOrReturned, `order ${id}`).toBe(true);
  }
  const earning = orders.filter((order) => order.IsCompleted && !order.IsCancelledOrReturned);
  const earned = orders.reduce((sum, { points }) => sum + Math.round((points ?? 0) * 100), 0);
  const due = earning.reduce((sum, order) => sum + Math.round(amountHeld(order) * 100), 0);
  expect(earned).toBe(due);
}

function found<Value>(answer: StoreAnswer<Value>): Value {
  if (answer.kind === 'found') return answer.value;
  throw new Error(`the store says ${answer.kind}`);
}
