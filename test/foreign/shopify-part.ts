import { judgeBySuites } from './part.ts';

/** The library is a package of the project, so `npm test` runs these, too. */
export const shopify = judgeBySuites({
  engine: '@shopify/shopify-api 15',
  start: async () => ({ endpoint: '', stop: async () => {} }),
  environment: () => ({}),
  instead: {},
  files: [
    'test/unit/shopify/signature.test.ts',
    'test/unit/shopify/storefront-requests/{prove-proxy-request,prove-token}.test.ts',
  ],
  differences: {},
  planted: {
    bug: 'every signature of a webhook is right',
    file: 'shared/shopify/webhooks/signature.ts',
    find: "  return 'invalid';",
    replace: "  return 'current';",
  },
});
