import type { Shop } from '../../config/connector-settings.ts';
import type { StoreSettings } from '../../core/platform/platform.ts';
import { type AdminStore, createAdminStore } from './admin-store.ts';
import { parseAdminSecret } from './client/admin-secret.ts';
import type { Enrichment } from './order-as-payload.ts';

export const openShopifyStore = ({ shop: open, reserve = 0 }: StoreSettings): AdminStore =>
  createAdminStore({
    reserve,
    shop: (domain) => {
      const { shop, secret, sandboxAddress } = open(domain);
      return {
        secret: secret(parseAdminSecret),
        readOnly: shop.mode === 'observe',
        enrichment: enrichmentOf(shop.rules),
        sandboxAddress,
      };
    },
  });

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
