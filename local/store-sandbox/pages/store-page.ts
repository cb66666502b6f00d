import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { StoreService } from '../service.ts';
import { describeState } from '../state.ts';
import { renderControls, renderSettings } from './controls-section.ts';
import { renderOrders } from './order-section.ts';
import { renderCustomers, renderDiscounts, renderProducts } from './store-sections.ts';
import { renderApiJournal, renderDeliveries } from './traffic-sections.ts';

export function renderStorePage(service: StoreService, address: string): Html {
  const { clientSecret, accessToken } = service.credentials;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Store sandbox</title>
<link rel="stylesheet" href="/assets/bar.css">
<link rel="stylesheet" href="/assets/state.css">
<link rel="stylesheet" href="/assets/store.css">
<script type="module" src="/assets/store.js"></script>
</head>
<body>
<header class="bar">
<strong>Store sandbox</strong>
<nav>${['Orders', 'Products', 'Discounts', 'Customers', 'Deliveries', 'Calls'].map(
    (name) => html`<a href="#${name.toLowerCase()}">${name}</a>`,
  )}</nav>
<dl>
<div><dt>Address</dt><dd><code>${address}</code></dd></div>
<div><dt>Token</dt><dd><code>${accessToken}</code></dd></div>
<div><dt>Secret</dt><dd><code>${clientSecret}</code></dd></div>
</dl>
</header>
<main>
${renderControls()}
<div id="live" data-fragment="/fragment">
${renderStoreFragment(service)}</div>
</main>
</body>
</html>
`;
}

/** The part that the page refreshes. */
export function renderStoreFragment(service: StoreService): Html {
  const state = describeState(service);
  return html`${renderSettings(state)}${renderOrders(state)}${renderProducts(state)}${renderDiscounts(
    state,
  )}${renderCustomers(state)}${renderDeliveries(service.sender.all())}${renderApiJournal(
    service.journal.entries(),
  )}`;
}
