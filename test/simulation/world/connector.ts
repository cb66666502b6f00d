import { defineConnector } from '../../../shared/config/connector-config.ts';

export const SHOP = 'example-store.myshopify.com';
export const PATH = '/example-store';
export const SECRET = 'secret-of-the-simulation';

/** The deployment that is simulated, with every setting at its default. */
export const connector = defineConnector({
  shops: [{ domain: SHOP }],
  loyalty: { address: 'https://loyalty.example.com' },
});

const [shop] = connector.shops;
if (!shop) throw new Error('the simulated deployment has no shop');
export const shopRules = shop.rules;
