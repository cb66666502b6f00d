import type { Answer } from '../../sandbox-kit/http/server.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { PROXY_PATH } from '../app-proxy.ts';
import { cartOf, customerOf, metafieldOf, priceOf, type ShopStore } from '../shop.ts';
import type { Visit } from '../visit.ts';

const languages: readonly (readonly [Visit['locale'], string])[] = [
  ['en', 'English'],
  ['pt-BR', 'Português'],
  ['es', 'Español'],
];

/** The layout of a theme, around every page. */
export function renderLayout(store: ShopStore, visit: Visit, title: string, content: Html): Html {
  const customer = customerOf(store, visit);
  // As the theme's Liquid writes it: {{ customer.metafields.loyalty.points }}
  const points = customer && metafieldOf(store, customer.id, 'loyalty.points');
  const count = visit.cart.reduce((sum, { quantity }) => sum + quantity, 0);
  return html`<!doctype html>
<html lang="${visit.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${store.shop.name}</title>
<link rel="stylesheet" href="/assets/shop.css">
<script src="${PROXY_PATH}/widget.js" defer></script>
</head>
<body>
<header>
<a class="name" href="/">${store.shop.name}</a>
<nav aria-label="Shop">
<a href="/account">${customer ? (customer.firstName ?? customer.id) : 'Log in'}${points !== undefined && ` · ${points} points`}</a>
<a href="/cart">Cart (${count})</a>
</nav>
<form method="post" action="/language">
${languages.map(
  ([locale, name]) =>
    html`<button name="locale" value="${locale}" lang="${locale}" aria-pressed="${String(locale === visit.locale)}">${name}</button>`,
)}
</form>
</header>
<main>
${visit.message !== undefined && html`<p class="message" role="status">${visit.message}</p>`}
${content}
</main>
<footer>A demo shop on this machine, to try the widget and the app proxy.</footer>
</body>
</html>
`;
}

interface WidgetOptions {
  readonly product?: { readonly id: string; readonly price: string };
  readonly isCart?: true;
  readonly show?: string;
}

/** The same element as widget/theme/snippets/loyalty-widget.liquid renders. */
export function renderWidget(store: ShopStore, visit: Visit, options: WidgetOptions): Html {
  const { product, show } = options;
  const cart = cartOf(store, visit)
    .map(
      ({ product: { id }, variant, quantity }) =>
        `${id}:${priceOf(store, variant.priceMinor)}:${quantity}`,
    )
    .join(',');
  const items = options.isCart ? cart : undefined;
  return html`<loyalty-widget locale="${visit.locale}" currency="${store.shop.currency}" log-in="/account"${
    show !== undefined && html` show="${show}"`
  }${product && html` product-id="${product.id}" price="${product.price}"`}${
    items !== undefined && html` items="${items}"`
  }${cart !== '' && html` cart="${cart}"`}${customerOf(store, visit) ? '' : html` logged-out`}></loyalty-widget>`;
}

/** No other origin and nothing inline: the widget must work in a strict theme. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

export function pageAnswer(status: number, page: Html): Answer {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    },
    body: page.text,
  };
}
