import type { Shop } from '../../shared/config/connector-config.ts';
import { createAdminStore } from '../../shared/shopify/admin/admin-store.ts';
import { createSubscriptions } from '../../shared/shopify/subscriptions/subscriptions.ts';
import type { ProductSource } from '../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import type { StoreSandbox } from '../store-sandbox/sandbox.ts';

/** The store sandbox through its Admin API, as the functions use it. */
export function openStoreAdmin({ address, credentials }: StoreSandbox) {
  const secret = { kind: 'static', accessToken: credentials.accessToken } as const;
  return createAdminStore({
    shop: () => ({
      secret: { get: async () => secret, refresh: async () => secret },
      sandboxAddress: address,
    }),
  });
}

/** Creates the connector's webhook subscriptions, as `npx loyalty-connector webhooks sync` does. */
export async function subscribe(
  store: StoreSandbox,
  shop: Pick<Shop, 'domain' | 'path' | 'rules'>,
  webhookAddress: string,
  products: ProductSource,
): Promise<void> {
  const { ask } = openStoreAdmin(store);
  const subscriptions = createSubscriptions({
    ask,
    shopOf: () => shop,
    webhookAddress,
    madeBy: 'admin-api',
    products,
  });
  const checked = await subscriptions.check(shop.domain);
  if (checked.kind === 'unavailable') {
    throw new Error(`The store's subscriptions cannot be read: ${checked.why}.`);
  }
  const changes = await subscriptions.repair(shop.domain, checked.findings);
  const refused = changes.find(({ done }) => done === 'refused');
  if (refused) throw new Error(`The store refuses a subscription to ${refused.topic}.`);
}
