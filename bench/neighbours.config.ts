import { defineConnector } from '../shared/config/connector-config.ts';

/** Merchants in one stack, each with its own account at the loyalty service. */
export default defineConnector({
  shops: Array.from({ length: 60 }, (_, index) => ({ domain: `shop-${index}.myshopify.com` })),
  loyalty: { address: 'https://loyalty.example.com' },
  rules: { goLive: '2020-01-01', sharedAccount: false },
});
