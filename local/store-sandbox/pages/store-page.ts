import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { layOut } from '../../sandbox-kit/pages/layout.ts';
import type { StoreService } from '../service.ts';
import { describeState } from '../state.ts';
import { renderControls, renderSettings } from './controls-section.ts';
import { renderOrders } from './order-section.ts';
import { renderCustomers, renderDiscounts, renderProducts } from './store-sections.ts';
import { renderApiJournal, renderDeliveries } from './traffic-sections.ts';

export function renderStorePage(service: StoreService, address: string): Html {
  const { clientSecret, accessToken } = service.credentials;
  return layOut({
    name: 'Store sandbox',
    links: ['Orders', 'Products', 'Discounts', 'Customers', 'Deliveries', 'Calls'].map((text) => ({
      href: `#${text.toLowerCase()}`,
      text,
    })),
    facts: { Address: address, Token: accessToken, Secret: clientSecret },
    neighbours: service.parts.neighbours,
    self: 'store',
    head: html`<link rel="stylesheet" href="/assets/state.css">
<link rel="stylesheet" href="/assets/store.css">
<script type="module" src="/assets/store.js"></script>`,
    content: html`<main>
${renderControls()}
<div id="live" data-fragment="/fragment">
${renderStoreFragment(service)}</div>
</main>`,
  });
}

/** The part that the page refreshes. */
export function renderStoreFragment(service: StoreService): Html {
  const state = describeState(service);
  const { loyalty } = service.parts.neighbours ?? {};
  return html`${renderSettings(state)}${renderOrders(state, loyalty)}${renderProducts(
    state,
    loyalty,
  )}${renderDiscounts(state)}${renderCustomers(state, loyalty)}${renderDeliveries(service.sender.all())}${renderApiJournal(
    service.journal.entries(),
  )}`;
}
