import type { Answer } from '../sandbox-kit/http/server.ts';
import { issueSessionToken } from '../store-sandbox/session-tokens.ts';
import { customerOf, type ShopStore } from '../storefront-demo/shop.ts';
import type { Visit } from '../storefront-demo/visit.ts';
import { renderAccountPage, renderExtension, renderOrderStatus } from './account-pages.ts';
import { HostFiles } from './host-files.ts';

/** Answers for the pages of the customer accounts; undefined: not one of theirs. */
export type AccountHost = (path: string, visit: Visit) => Promise<Answer | undefined>;

/** The customer accounts of the shop, with our extensions in them. `storefront`: with the path of the shop. */
export function createAccountHost(store: ShopStore, storefront: string): AccountHost {
  const files = new HostFiles(storefront);
  return async (path, visit) => {
    const customer = customerOf(store, visit);
    if (path === '/account/session-token') {
      const { clientId, clientSecret: secret } = store.credentials;
      const issue = { shop: store.shop.domain, clientId, secret, now: new Date() };
      return {
        status: 200,
        body: issueSessionToken({ kind: 'customer', id: customer?.id }, issue),
      };
    }
    if (path === '/account/loyalty') {
      // As Shopify does with every page but that of an order.
      if (!customer) return { status: 303, headers: { location: '/account' }, body: '' };
      const content = renderExtension(store, visit, 'customer-account.page.render');
      return files.page(renderAccountPage(store, visit, { title: 'Loyalty', path, content }));
    }
    const [, orderId] = /^\/account\/orders\/(\d+)$/.exec(path) ?? [];
    const order = orderId === undefined ? undefined : store.rows.orders.get(orderId);
    if (order) {
      const content = renderOrderStatus(store, visit, order);
      return files.page(renderAccountPage(store, visit, { title: 'Order', path, content }));
    }
    return files.serve(path);
  };
}
