import { createServer } from 'node:http';
import { vi } from 'vitest';
import { listen } from '../../local/stack/emulators.ts';
import type { Disorder } from '../../local/store-sandbox/delivery/disorder.ts';
import {
  type StoreSandbox,
  type StoreSandboxOptions,
  startStoreSandbox,
} from '../../local/store-sandbox/sandbox.ts';
import {
  type AdminStore,
  type AdminStoreSettings,
  createAdminStore,
} from '../../shared/shopify/admin/admin-store.ts';
import { START } from './emulated-world.ts';
import {
  type RunningConnector,
  type RunningSettings,
  type runConnectors,
  SHOP,
} from './running-connector.ts';

const ACCESS_TOKEN = 'shpat_of_this_test_71c2';
/** Signs webhooks and proxied requests. */
export const STORE_SECRET = 'store-secret-of-this-test';
const PREVIOUS_SECRET = 'older-store-secret-of-this-test';

interface BothSettings extends Pick<RunningSettings, 'rules' | 'shops' | 'healing'> {
  /** False: the store knows no address until it is told one through its Admin API. */
  readonly isAddressed?: boolean;
  readonly disorder?: Partial<Disorder>;
  readonly seed: number;
  readonly store?: StoreSandboxOptions['settings'];
}

/** A store that posts its webhooks to the connector, which asks it back: nothing between is faked. */
export async function openStoreAndConnector(
  connectors: ReturnType<typeof runConnectors>,
  { disorder = {}, seed, store: settings, isAddressed = true, ...rest }: BothSettings,
) {
  // The store must not begin later than the connector's first day.
  vi.setSystemTime(START);
  let connector: RunningConnector | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const status = await connector?.receive(request.headers, Buffer.concat(chunks));
      response.writeHead(status ?? 503).end();
    });
  });
  const address = await listen(server);
  const store = await startStoreSandbox({
    shop: { domain: SHOP },
    ...(isAddressed && { webhooksTo: `${address.endpoint}/example-store` }),
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
  });
  return {
    connector,
    store,
    webhookAddress: address.endpoint,
    accessToken: ACCESS_TOKEN,
    async stop(): Promise<void> {
      await store.stop();
      await address.stop();
    },
  };
}

/** The store as the connector sees it. */
export function adminStoreOf(
  store: StoreSandbox,
  settings: Pick<AdminStoreSettings, 'sleep'> = {},
): AdminStore {
  const { accessToken } = store.credentials;
  const secret = { kind: 'static', accessToken } as const;
  return createAdminStore({
    ...settings,
    shop: () => ({
      secret: { get: async () => secret, refresh: async () => secret },
      sandboxAddress: store.address,
    }),
  });
}
