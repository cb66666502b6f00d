import connector from '#settings';
import { createStorefrontFunction } from '../create-storefront.ts';

export const handler = createStorefrontFunction(
  connector,
  async () => (await import('./widget-script.ts')).default,
);
