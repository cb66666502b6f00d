import type { Answer } from '../sandbox-kit/http/server.ts';
import { type Html, html } from '../sandbox-kit/pages/html.ts';
import type { OrderRow } from '../store-sandbox/model/rows.ts';
import { money, say, speak } from '../storefront-demo/pages/words.ts';
import { customerOf, priceOf, type ShopStore } from '../storefront-demo/shop.ts';
import type { Visit } from '../storefront-demo/visit.ts';
import { type HostFiles, hostHead, moduleAddress, tokenOf } from './host-files.ts';

interface AccountPage {
  readonly title: string;
  readonly path: string;
  readonly content: Html;
}

const LANGUAGES: readonly (readonly [Visit['locale'], string])[] = [
  ['en', 'EN'],
  ['pt-BR', 'PT'],
  ['es', 'ES'],
];

/** The frame of the customer accounts around a page. */
function renderAccountPage(store: ShopStore, visit: Visit, page: AccountPage): Html {
  const { path, title, content } = page;
  const link = (to: string, text: string) =>
    html`<a href="${to}"${to === path && html` aria-current="page"`}>${text}</a>`;
  const order = latestOrder(store, visit);
  return html`<!doctype html>
<html lang="${visit.locale}">
<head>
<title>${title} · ${store.shop.name}</title>
${hostHead('customer-account')}
</head>
<body>
<header class="bar">
<a class="name" href="/">${store.shop.name}</a>
<nav aria-label="${say('Account')}">
${link('/', say('Shop'))}
${order && link(`/account/orders/${order.id}`, `${say('Order')} #${order.number}`)}
${link('/account/loyalty', say('Loyalty'))}
</nav>
<form method="post" action="/language">
${LANGUAGES.map(
  ([locale, name]) =>
    html`<button name="locale" value="${locale}" aria-pressed="${String(locale === visit.locale)}">${name}</button>`,
)}
</form>
</header>
<main>
${content}
</main>
<div data-toast role="status"></div>
</body>
</html>
`;
}

/** The place of an extension, with what Shopify would give it. */
function renderExtension(
  store: ShopStore,
  visit: Visit,
  target: keyof typeof MODULES,
  order?: OrderRow,
): Html {
  const page = {
    target,
    module: moduleAddress(MODULES[target]),
    language: visit.locale,
    currency: store.shop.currency,
    customerId: customerOf(store, visit)?.id,
    order: order && {
      id: order.id,
      name: `#${order.number}`,
      currency: paidIn(order).currency,
    },
  };
  return html`<div data-extension="${JSON.stringify(page)}"></div>`;
}

const MODULES = {
  'customer-account.page.render': 'loyalty-account/src/page.js',
  'customer-account.order-status.block.render': 'loyalty-order/src/block.js',
};

function renderOrderStatus(store: ShopStore, visit: Visit, order: OrderRow): Html {
  const { currency, rate } = paidIn(order);
  const paid = (minor: number) => money(Number(priceOf(store, minor)) * rate, currency);
  const total = order.lines.reduce((sum, line) => sum + line.unitMinor * line.quantity, 0);
  return html`<div class="order">
<h1>${say('Order')} #${order.number}</h1>
${renderExtension(store, visit, 'customer-account.order-status.block.render', order)}
<table>
<tbody>
${order.lines.map(
  (line) =>
    html`<tr><th scope="row">${line.title} × ${line.quantity}</th><td>${paid(line.unitMinor * line.quantity)}</td></tr>`,
)}
</tbody>
<tfoot><tr><th scope="row">${say('Products')}</th><td>${paid(total)}</td></tr></tfoot>
</table>
</div>`;
}

const paidIn = ({ presentment, currency }: OrderRow) => presentment ?? { currency, rate: 1 };

function latestOrder({ rows }: ShopStore, { customerId }: Visit): OrderRow | undefined {
  return [...rows.orders.values()].findLast((order) => order.customerId === customerId);
}

/** Answers for the pages of the customer accounts; undefined if not one of theirs. */
export type AccountHost = (path: string, visit: Visit) => Promise<Answer | undefined>;

/** The customer accounts of the shop, with our extensions in them. */
export function createAccountHost(store: ShopStore, files: HostFiles): AccountHost {
  return async (path, visit) => {
    speak(visit.locale);
    const customer = customerOf(store, visit);
    if (path === '/account/session-token') {
      return { status: 200, body: tokenOf(store, { kind: 'customer', id: customer?.id }) };
    }
    if (path === '/account/loyalty') {
      // As Shopify does with every page but that of an order.
      if (!customer)
        return { status: 303, headers: { location: `/account?next=${path}` }, body: '' };
      const content = renderExtension(store, visit, 'customer-account.page.render');
      return files.page(renderAccountPage(store, visit, { title: say('Loyalty'), path, content }));
    }
    const [, orderId] = /^\/account\/orders\/(\d+)$/.exec(path) ?? [];
    const order = orderId === undefined ? undefined : store.rows.orders.get(orderId);
    if (order) {
      const content = renderOrderStatus(store, visit, order);
      return files.page(renderAccountPage(store, visit, { title: say('Order'), path, content }));
    }
    return files.serve(path);
  };
}
