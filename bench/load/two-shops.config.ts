import { defineConnector } from '../../shared/config/connector-config.ts';

/** The shop whose account and store get limits during the run. */
export const THROTTLED = 'throttled-store.myshopify.com';

/** Two shops in one stack, each with its own account at the loyalty service, and all functions. */
export default defineConnector({
  shops: [{ domain: 'free-store.myshopify.com' }, { domain: THROTTLED }],
  loyalty: { address: 'https://loyalty.example.com' },
  rules: { sharedAccount: false },
  storefront: {},
});
