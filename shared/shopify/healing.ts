import type { HealedStore, PlatformHealing } from '../core/platform/platform.ts';
import type { AdminStore } from './admin/admin-store.ts';
import { openShopifyStore } from './admin/open-store.ts';
import { checkSubscriptions, createSubscriptions } from './subscriptions/subscriptions.ts';
import { topicOf } from './webhooks/topics.ts';

/** Versions are `updated_at`, which moves with every change. */
export const shopifyHealing: PlatformHealing = {
  versionsAreReadings: [],
  topicOf,
  openStore(settings, { webhookAddress, healing, telemetry }) {
    const shopOf = (domain: string) => settings.shop(domain).shop;
    const wanted = { shopOf, webhookAddress, products: healing };
    const open = (store: AdminStore): HealedStore => ({
      ...store,
      checkSubscriptions(shop) {
        const subscriptions = createSubscriptions({ ...wanted, ask: store.ask });
        return checkSubscriptions(shop, { subscriptions, telemetry });
      },
      until: (signal) => open(store.until(signal)),
    });
    return open(openShopifyStore(settings));
  },
};
