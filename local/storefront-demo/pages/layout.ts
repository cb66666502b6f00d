import { pageAnswer } from '../../sandbox-kit/http/pages.ts';
import type { Answer } from '../../sandbox-kit/http/server.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { PROXY_PATH } from '../app-proxy.ts';
import { customerOf, paidItems, pointsOf, type Shop, type ShopStore } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { say } from './words.ts';

const languages: readonly (readonly [Visit['locale'], string])[] = [
  ['en', 'English'],
  ['pt-BR', 'Português'],
  ['es', 'Español'],
];

export interface PageParts {
  readonly title: string;
  /** Marks the current page in the header. */
  readonly path: string;
  readonly content: Html;
}

/** The layout of a theme, around every page. */
export function renderLayout(shop: Shop, visit: Visit, parts: PageParts): Html {
  const { store, links, loyalty, neighbours } = shop;
  const { name } = store.shop;
  return html`<!doctype html>
<html lang="${visit.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${parts.title} · ${name}</title>
<link rel="stylesheet" href="/assets/shop.css">
<script type="module" src="/assets/shop.js"></script>${
    visit.hasActions && html`\n<script type="module" src="/assets/shopify-actions.js"></script>`
  }
</head>
<body>
<a class="skip" href="#content">${say('Skip to the content')}</a>
<header><div class="inner">
<a class="name" href="/">${name}</a>
<nav aria-label="${say('Shop')}">
${[{ path: '/', label: 'Shop' }, ...links].map(({ path, label }) =>
  renderLink(parts, path, html`${say(label)}`),
)}${renderAccountLink(store, visit, parts)}</nav>
<nav class="cart-link" aria-label="${say('Cart')}">${renderLink(
    parts,
    '/cart',
    html`${say('Cart')} <span class="count">${visit.cart.reduce((sum, { quantity }) => sum + quantity, 0)}</span>`,
  )}</nav>
</div></header>
<main id="content">
${visit.message !== undefined && html`<p class="message" role="status">${say(visit.message)}</p>`}
${parts.content}
</main>
<footer><div class="inner">
<form method="post" action="/language" aria-label="${say('Language')}">
${languages.map(
  ([locale, language]) =>
    html`<button name="locale" value="${locale}" lang="${locale}" aria-pressed="${String(locale === visit.locale)}">${language}</button>`,
)}
</form>
<p>${say('A demo shop on this machine. Look behind it:')} <a href="${store.address}">${say('the store')}</a>, <a href="${loyalty.address}/state">${say('the loyalty service')}</a>, <a href="/api">${say('the storefront’s API')}</a>${neighbours?.console !== undefined && html`, <a href="${neighbours.console}">${say('the console')}</a>`}.</p>
</div></footer>
</body>
</html>
`;
}

function renderLink({ path: current }: Pick<PageParts, 'path'>, path: string, text: Html): Html {
  return html`<a href="${path}"${path === current && html` aria-current="page"`}>${text}</a>\n`;
}

/** The widget updates every element that is marked so: the header has the points of the same moment. */
function renderAccountLink(store: ShopStore, visit: Visit, parts: PageParts): Html {
  const customer = customerOf(store, visit);
  if (!customer) return renderLink(parts, '/account', html`${say('Log in')}`);
  const points = pointsOf(store, visit) ?? '';
  return renderLink(
    parts,
    '/account',
    html`${customer.firstName ?? customer.id} <span class="points"><span data-loyalty="points">${points}</span> ${say('points')}</span>`,
  );
}

interface WidgetOptions {
  readonly product?: { readonly id: string; readonly price: string };
  readonly isCart?: true;
  readonly show?: string;
}

/** The same element and script as the theme extension's snippet loyalty-widget.liquid renders. */
export function renderWidget(store: ShopStore, visit: Visit, options: WidgetOptions): Html {
  const { product, show } = options;
  const cart = paidItems(store, visit);
  const items = options.isCart ? cart : undefined;
  return html`<loyalty-widget locale="${visit.locale}" currency="${store.shop.currency}" log-in="/account"${
    show !== undefined && html` show="${show}"`
  }${product && html` product-id="${product.id}" price="${product.price}"`}${
    items !== undefined && html` items="${items}"`
  }${cart !== '' && html` cart="${cart}"`}${customerOf(store, visit) ? '' : html` logged-out`}></loyalty-widget>
<script src="${PROXY_PATH}/widget.js?language=${visit.locale.slice(0, 2)}" defer></script>`;
}

/** The widget must work in a strict theme. */
export const shopAnswer = (status: number, page: Html): Answer =>
  pageAnswer(
    page,
    { 'img-src': "'self'", 'form-action': "'self'", 'require-trusted-types-for': "'script'" },
    { status, referrer: 'same-origin' },
  );
