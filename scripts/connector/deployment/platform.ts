import type { Shop } from '../../../shared/config/connector-config.ts';
import type { SecretForms } from '../../../shared/services/shop-secrets.ts';
import { BadArguments } from '../terminal/exit.ts';

/** How the commands treat the shops of one platform. */
interface Platform {
  /** The form of the secret `store`. */
  readonly storeSecret: keyof SecretForms;
  /**
   * Events come from an app, whose configuration, subscriptions and pages the commands look after. False: a plugin on
   * the merchant's server sends them by itself.
   */
  readonly hasApp: boolean;
}

const SHOPIFY: Platform = { storeSecret: 'store', hasApp: true };
const VENDURE: Platform = { storeSecret: 'vendure', hasApp: false };

export type PlatformShop = Partial<Pick<Shop, 'vendure'>>;

const platformOf = ({ vendure }: PlatformShop): Platform => (vendure ? VENDURE : SHOPIFY);

/** How the secret of this shop is read. */
export const formOf = (shop: PlatformShop, purpose: keyof SecretForms): keyof SecretForms =>
  purpose === 'store' ? platformOf(shop).storeSecret : purpose;

export const hasApp = (shop: PlatformShop): boolean => platformOf(shop).hasApp;

/** For commands about an app, its subscriptions or its pages. */
export function requireApp(shop: Shop): Shop {
  if (hasApp(shop)) return shop;
  throw new BadArguments(`${shop.domain} runs on Vendure, and this command is for Shopify shops.`);
}

/** Those of the shops that have an app. */
export function requireApps(shops: readonly Shop[]): readonly Shop[] {
  const [first] = shops;
  const withApp = shops.filter(hasApp);
  return first && withApp.length === 0 ? [requireApp(first)] : withApp;
}
