import type { Answer } from '../sandbox-kit/http/server.ts';
import { customerOf, type ShopStore } from '../storefront-demo/shop.ts';
import type { Visit } from '../storefront-demo/visit.ts';
import { renderAccountPage, renderExtension, renderOrderStatus } from './account-pages.ts';
import { type HostFiles, tokenOf } from './host-files.ts';

/** Answers for the pages of the customer accounts; undefined: not one of theirs. */
export type AccountHost = (path: string, visit: Visit) => Promise<Answer | undefined>;

/** The customer accounts of the shop, with our extensions in them. */
export function createAccountHost(store: ShopStore, files: HostFiles): AccountHost {
  return async (path, visit) => {
    const customer = customerOf(store, visit);
    if (path === '/account/session-token') {
      return { status: 200, body: tokenOf(store, { kind: 'customer', id: customer?.id }) };
    }
    if (path === '/account/loyalty') {
      // As Shopify does with every page but that of an order.
      if (!customer)
        return { status: 303, headers: { location: `/account?next=${path}` }, body: '' };
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
