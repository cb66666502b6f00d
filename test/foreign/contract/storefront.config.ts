import { defineConnector } from '../../../shared/config/connector-config.ts';

/** Limits that thousands of generated requests do not reach at once. */
export default defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
  rules: { goLive: '2020-01-01' },
  storefront: { readsPerMinute: 1000, tillRequestsPerMinute: 1000, redeemsPerHour: 100 },
});
