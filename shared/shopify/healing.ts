import type { HealedStore, PlatformHealing, WantedDeliveries } from '../core/platform/platform.ts';
import type { AdminStore } from './admin/admin-store.ts';
import { openShopifyStore } from './admin/open-store.ts';
import { checkSubscriptions, createSubscriptions } from './subscriptions/subscriptions.ts';
import { topicOf } from './webhooks/topics.ts';

/** Versions are `updated_at`, which moves with every change. */
export const shopifyHealing: PlatformHealing = {
  versionsAreReadings: [],
  scansMembers: false,
  topicOf,
  openStore(settings, wanted) {
    const shopOf = (domain: string) => settings.shop(domain).shop;
    return withSubscriptions(openShopifyStore(settings), shopOf, wanted);
  },
};

function withSubscriptions(
  store: AdminStore,
  shopOf: Parameters<typeof createSubscriptions>[0]['shopOf'],
  wanted: WantedDeliveries,
): HealedStore {
  const { webhookAddress, healing, telemetry } = wanted;
  const madeBy = healing.subscriptions;
  const { ask } = store;
  const settings = { ask, shopOf, webhookAddress, madeBy, products: healing };
  const subscriptions = createSubscriptions(settings);
  // Subscriptions of the app's configuration are not visible here, so they must not be repaired here.
  const repair = madeBy === 'admin-api';
  return {
    ...store,
    checkSubscriptions: (shop) => checkSubscriptions(shop, { subscriptions, telemetry, repair }),
    until: (signal) => withSubscriptions(store.until(signal), shopOf, wanted),
  };
}
