import { defineConnector } from '../shared/config/connector-config.ts';

/** As bench.config.ts, with a storefront whose customers the service knows by the id of the store. */
export default defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
  storefront: { posCustomerId: 'store-id' },
});
