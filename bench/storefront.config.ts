import { defineConnector } from '../shared/config/connector-config.ts';

/** As bench.config.ts, with a storefront that needs no question about the customer's id. */
export default defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
  storefront: { posCustomerId: 'store-id' },
});
