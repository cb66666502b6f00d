import type { Connector, Shop } from '../config/connector-config.ts';
import { type AdminStore, createAdminStore } from '../shopify/admin/admin-store.ts';
import type { Enrichment } from '../shopify/admin/order-as-payload.ts';
import { sandboxAddressOf } from './shop-loyalty.ts';
import type { ShopSecrets } from './shop-secrets.ts';

/** The part of a store's query cost points that a scan leaves to the workers and to shoppers. */
export const RESERVE_OF_POINTS = 0.5;

/** The Admin API of every configured shop, asked for what its rules need. */
export function createConfiguredStore(
  connector: Connector,
  secrets: ShopSecrets,
  // Only for stores on this machine; the client refuses any other plain address.
  { sandboxes }: { readonly sandboxes: string | undefined } = {
    sandboxes: process.env.STORE_SANDBOX_ADDRESS,
  },
  reserve = 0,
): AdminStore {
  return createAdminStore({
    reserve,
    shop: (domain) => {
      const shop = connector.shops.find((one) => one.domain === domain);
      if (!shop) throw new Error(`unknown shop: ${domain}`);
      return {
        secret: secrets.store(shop.path),
        readOnly: shop.mode === 'observe',
        enrichment: enrichmentOf(shop.rules),
        sandboxAddress: sandboxAddressOf(connector, shop, sandboxes),
      };
    },
  });
}

export function enrichmentOf({
  completeWhen,
  lostDisputes,
  storeCredit,
  enrich,
  document,
  birthday,
}: Shop['rules']): Enrichment {
  const sources = [document, birthday].filter((source) => typeof source === 'object');
  return {
    card: enrich.cardDetails,
    paymentDates: completeWhen === 'paid',
    disputes: lostDisputes === 'take-back',
    storeCredit: storeCredit === 'by-origin',
    locationNames: enrich.locationNames,
    staffNames: enrich.staffNames,
    localizedFields: sources.some(({ from }) => from === 'localized-field'),
    metafields: sources.filter((source) => source.from === 'metafield'),
  };
}
