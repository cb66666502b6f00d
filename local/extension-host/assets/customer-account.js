import { host } from './component.js';
import { changing, runExtension } from './run-extension.js';

const root = document.querySelector('[data-extension]');
const page = JSON.parse(root.dataset.extension);
const { target, language, currency, customerId, order } = page;
const gid = (kind, id) => `gid://shopify/${kind}/${id}`;

const PROTOCOLS = [
  [/^extension:\/\/loyalty-account\/?/, '/account/loyalty'],
  [/^shopify:customer-account\//, '/account/'],
];
host.resolve = (href) => PROTOCOLS.reduce((text, [from, to]) => text.replace(from, to), href);

/** The global of both targets ("Customer account UI extensions", Target APIs): what our extensions use of it. */
const standard = {
  extension: {
    target,
    apiVersion: '2026-10',
    capabilities: ['network_access'],
    rendered: changing(true),
  },
  version: '2026-10',
  authenticatedAccount: {
    customer: changing(customerId && { id: gid('Customer', customerId) }),
    purchasingCompany: changing(undefined),
  },
  localization: {
    language: changing({ isoCode: language }),
    extensionLanguage: changing({ isoCode: language }),
    country: changing(undefined),
  },
  settings: changing({}),
  // The only question of ours to the Storefront API.
  query: async () => ({
    data: {
      shop: {
        primaryDomain: { url: location.origin },
        paymentSettings: { currencyCode: currency },
      },
    },
  }),
  sessionToken: {
    async get() {
      const answer = await fetch('/account/session-token');
      return answer.text();
    },
  },
  toast: {
    async show(content) {
      const toast = document.querySelector('[data-toast]');
      toast.textContent = content;
      return { hide: () => toast.replaceChildren() };
    },
  },
};

/** The order status page has its own localization, with the currency that the customer paid in, and knows its order. */
const orderStatus = order && {
  localization: { ...standard.localization, currency: changing({ isoCode: order.currency }) },
  order: changing({ id: gid('Order', order.id), name: order.name }),
  authenticationState: changing(customerId ? 'fully_authenticated' : 'pre_authenticated'),
  requireLogin: async () => location.assign('/account'),
};

await runExtension({ module: page.module, root, shopify: { ...standard, ...orderStatus } });
