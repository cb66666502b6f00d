import { defineConnector } from '../../../../shared/config/connector-config.ts';

/**
 * Everything about the connector that is yours to decide. What is not written here has a sensible
 * default; hold the pointer over a setting to read what it does. Mistakes are reported all at once,
 * before anything is deployed.
 *
 * No secret belongs in this file: webhook secrets and the loyalty service's credentials are kept in
 * AWS Secrets Manager.
 */
export default defineConnector({
  shops: [
    {
      // Of a Shopify shop the permanent domain, as the admin's address bar shows it, not the shop's own.
      domain: 'example-store.myshopify.com',
      // A second shop is a second entry here, with its own `rules` where it differs. Both then need `rules.currency`.
    },
  ],

  loyalty: {
    address: 'https://loyalty.example.com',
    // What the service's documentation leaves open. Uncomment assumptions that prove wrong.
    assumptions: {
      // completedOrdersTakeTheCancelledMark: false,
    },
  },

  // Who gets alarms by e-mail. AWS asks each address to confirm.
  alarms: { emails: ['operator@example.com'] },

  rules: {
    // Orders placed before are history, which only a backfill sends. Default: when the stack was created.
    // goLive: '2026-11-01',

    // Points are given when an order is fulfilled; with `paid`, as soon as it is paid.
    completeWhen: 'fulfilled',

    // Before that the service need not know of it:
    // pendingOrders: 'send',

    // Where the customer's document number and birthday are kept, if they are:
    // document: { from: 'note-attribute', name: 'document' },
    // birthday: { from: 'metafield', owner: 'customer', namespace: 'facts', key: 'birth_date' },

    // What else the program should know of an order:
    // metadata: (order) => ({ lines: String(order.lines.length) }),

    // The address under which customers see a product:
    // productUrl: 'https://www.example.com/products/{handle}',
  },

  // Points, cashback and tier back into the store, as metafields of the customer (docs/storefront.md):
  // storefront: {},
});
