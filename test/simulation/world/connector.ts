import { defineConnector } from '../../../shared/config/connector-config.ts';

export const SHOP = 'example-store.myshopify.com';
export const PATH = '/example-store';
export const SECRET = 'secret-of-the-simulation';

/**
 * The deployment that is simulated. An amount that rises after a partial cancel is sent and not parked, so that both
 * sides can be compared at the end; all other settings have their defaults.
 */
export const connector = defineConnector({
  shops: [{ domain: SHOP }],
  loyalty: {
    address: 'https://loyalty.example.com',
    assumptions: { raiseAfterPartialCancel: 'send-gross' },
  },
  storefront: {},
});

const [shop] = connector.shops;
if (!shop) throw new Error('the simulated deployment has no shop');
export const shopRules = shop.rules;
