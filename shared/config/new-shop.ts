import { PLATFORMS, type PlatformName, type ShopSettings } from './connector-settings.ts';

/** In the settings of a new project until its own shop is named. */
export const EXAMPLE_SHOP = 'example-store.myshopify.com';

export const SHOP_NAMES =
  '….myshopify.com, or the Admin API of a Vendure server: https://…/admin-api';

type NewShop = Pick<ShopSettings, 'domain' | 'platform' | 'vendure'>;

/** What the settings of a new project say of its shop: only one that is not on the default platform has more than a domain. */
export function newShop(name: string): NewShop {
  const read = PLATFORMS.map((platform) => NAMED[platform](name));
  return read.find((one) => one !== undefined) ?? { domain: name };
}

/** A shop by what only this platform calls one. */
const NAMED: Readonly<Record<PlatformName, (name: string) => NewShop | undefined>> = {
  shopify: () => undefined,
  vendure(name) {
    const isServer = /^https?:\/\/.+\/admin-api$/.test(name) && URL.canParse(name);
    if (!isServer) return undefined;
    const vendure = { adminApi: name, currency: 'EUR' };
    return { domain: new URL(name).hostname, platform: 'vendure', vendure };
  },
};
