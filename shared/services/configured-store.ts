import type { Connector } from '../config/connector-config.ts';
import type { PlatformName } from '../config/connector-settings.ts';
import type { OpenShop, ShopStore, StoreSettings } from '../core/platform/platform.ts';
import type { ShopperStore } from '../rewards/redeem/reward-store.ts';
import { openShopifyStore } from '../shopify/admin/open-store.ts';
import { openVendureStore } from '../vendure/vendure-store.ts';
import type { OfPlatforms } from './platforms.ts';
import { byDomain, sandboxAddressOf } from './shop-loyalty.ts';
import type { ShopSecrets } from './shop-secrets.ts';

const STORES: OfPlatforms<'openStore'> = {
  shopify: openShopifyStore,
  vendure: openVendureStore,
};

/** The part of a store's rate limit that a scan leaves to the workers and to shoppers. */
export const RESERVE = 0.5;

interface Opened {
  /** Only of stores on this machine; the clients refuse any other plain address. */
  readonly sandboxes: string | undefined;
  readonly reserve?: number;
}

/**
 * The store of every configured shop, asked for what its rules need. What shoppers need is there where the settings
 * allow a storefront: they refuse one if the platform of a shop has none.
 */
export const createConfiguredStore = (
  connector: Connector,
  secrets: ShopSecrets,
  opened?: Opened,
): ShopperStore => {
  const store = openStores(connector, secrets, (name, settings) => STORES[name](settings), opened);
  return store as ShopperStore;
};

/** Each shop's platform answers for it. */
export function openStores<S extends ShopStore>(
  connector: Connector,
  secrets: ShopSecrets,
  open: (platform: PlatformName, settings: StoreSettings) => S,
  { sandboxes, reserve = 0 }: Opened = { sandboxes: process.env.STORE_SANDBOX_ADDRESS },
): S {
  const shop = byDomain(
    connector,
    (one): OpenShop => ({
      shop: one,
      sandboxAddress: sandboxAddressOf(connector, one, sandboxes),
      secret: (parse) => secrets.store(one.path, parse),
    }),
  );
  const names = new Set(connector.shops.map(({ platform }) => platform));
  const stores = [...names].map((name) => [name, open(name, { shop, reserve })] as const);
  return joinStores(new Map(stores), (domain) => shop(domain).shop.platform);
}

type Question = (shop: string, ...given: readonly unknown[]) => unknown;

function joinStores<S extends ShopStore>(
  stores: ReadonlyMap<PlatformName, S>,
  platformOf: (domain: string) => PlatformName,
): S {
  const [first, ...others] = stores.values();
  if (first && others.length === 0) return first;
  const ask =
    (name: string): Question =>
    (shop, ...given) => {
      const store = stores.get(platformOf(shop)) as Partial<Record<string, Question>> | undefined;
      return store?.[name]?.(shop, ...given);
    };
  const names = [first, ...others].flatMap((one) => Object.keys(one ?? {}));
  const until = (signal: AbortSignal) => {
    const ending = [...stores].map(([name, one]) => [name, one.until(signal) as S] as const);
    return joinStores(new Map(ending), platformOf);
  };
  const all: object = { ...Object.fromEntries(names.map((name) => [name, ask(name)])), until };
  return all as S;
}
