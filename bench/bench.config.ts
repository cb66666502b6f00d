import { defineConnector } from '../shared/config/connector-config.ts';

/** The settings for measurements: one shop, all defaults, independent of connector.config.ts. */
export default defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
});
