import type { Connector, Shop } from '../config/connector-config.ts';
import { type AdminStore, createAdminStore } from '../shopify/admin/admin-store.ts';
import type { Enrichment } from '../shopify/admin/order-as-payload.ts';
import { createVendureStore, type VendureStore } from '../vendure/vendure-store.ts';
import { sandboxAddressOf } from './shop-loyalty.ts';
import type { ShopSecrets } from './shop-secrets.ts';

/** Put in by infra/bundle-functions.ts where no shop is Vendure's: its code is then left out. */
declare const NO_VENDURE: true | undefined;

/** The part of a store's query cost points that a scan leaves to the workers and to shoppers. */
export const RESERVE_OF_POINTS = 0.5;

/** The store of every configured shop, asked for what its rules need. */
export function createConfiguredStore(
  connector: Connector,
  secrets: ShopSecrets,
  // Only for stores on this machine; the client refuses any other plain address.
  { sandboxes }: { readonly sandboxes: string | undefined } = {
    sandboxes: process.env.STORE_SANDBOX_ADDRESS,
  },
  reserve = 0,
): AdminStore {
  const shopOf = (domain: string) => {
    const shop = connector.shops.find((one) => one.domain === domain);
    if (!shop) throw new Error(`unknown shop: ${domain}`);
    return shop;
  };
  const shopify = createAdminStore({
    reserve,
    shop: (domain) => {
      const shop = shopOf(domain);
      return {
        secret: secrets.store(shop.path),
        readOnly: shop.mode === 'observe',
        enrichment: enrichmentOf(shop.rules),
        sandboxAddress: sandboxAddressOf(connector, shop, sandboxes),
      };
    },
  });
  return typeof NO_VENDURE === 'undefined' && connector.shops.some(({ vendure }) => vendure)
    ? withVendure(
        shopify,
        openVendure(shopOf, secrets),
        (domain) => shopOf(domain).vendure !== undefined,
      )
    : shopify;
}

const openVendure = (shopOf: (domain: string) => Shop, secrets: ShopSecrets): VendureStore =>
  createVendureStore({
    shop: (domain) => {
      const { path, vendure: settings } = shopOf(domain);
      if (!settings) throw new Error(`not a Vendure shop: ${domain}`);
      return { ...settings, address: settings.adminApi, secret: secrets.vendure(path) };
    },
  });

/** What is asked of every platform. */
const QUESTIONS = [
  'readOrder',
  'readProduct',
  'readCoupon',
  'readMember',
  'readDiscount',
  'changedOrders',
  'changedProducts',
  'changedDiscounts',
  'changedMembers',
  'overriddenDiscounts',
  'findAbsent',
  'seesAllOrders',
] as const satisfies readonly Exclude<keyof VendureStore, 'until'>[];

type Question = (shop: string, ...given: readonly unknown[]) => Promise<unknown>;

/** Each shop's platform answers for it. */
function withVendure(
  shopify: AdminStore,
  vendure: VendureStore,
  isVendure: (domain: string) => boolean,
): AdminStore {
  const ask =
    (name: (typeof QUESTIONS)[number]): Question =>
    (shop, ...given) =>
      ((isVendure(shop) ? vendure : shopify)[name] as Question)(shop, ...given);
  return {
    ...shopify,
    ...Object.fromEntries(QUESTIONS.map((name) => [name, ask(name)])),
    until: (signal) => withVendure(shopify.until(signal), vendure.until(signal), isVendure),
  };
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
