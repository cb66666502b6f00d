import { defineConnector } from '../shared/config/connector-config.ts';

/** The settings that are measured: one shop and every default, whatever the merchant's own say. */
export default defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
});
