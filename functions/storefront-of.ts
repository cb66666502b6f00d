import type { Connector } from '../shared/config/connector-config.ts';
import type { Storefront } from '../shared/config/storefront-settings.ts';

/** The functions of the way back are deployed only where it is wanted. */
export function storefrontOf({ storefront }: Connector): Storefront {
  if (storefront) return storefront;
  throw new Error('connector.config.ts has no storefront, but a function of it is running');
}
