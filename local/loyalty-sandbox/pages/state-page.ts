import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { Service } from '../service.ts';
import { describeState } from '../state.ts';
import { renderActiveFaults, renderFaultControls } from './faults-section.ts';
import { renderJournal } from './journal-section.ts';
import { layOutPage } from './layout.ts';
import {
  renderChallenges,
  renderCoupons,
  renderCustomers,
  renderEvents,
  renderOrders,
  renderProducts,
  renderQuizAnswers,
  renderRedemptions,
  renderSubscriptions,
} from './state-sections.ts';

export function renderStatePage(service: Service, address: string): Html {
  const { settings, contract, neighbours } = service.parts;
  return layOutPage('state', {
    address,
    credentials: settings.credentials,
    neighbours,
    head: html`<link rel="stylesheet" href="/assets/state.css">
<script type="module" src="/assets/state.js"></script>`,
    content: html`<main>
${renderFaultControls(contract.operations.map(({ operationId }) => operationId))}
<div id="live" data-fragment="/state/fragment">
${renderStateFragment(service)}</div>
</main>`,
  });
}

/** The part that the page fetches again and again. */
export function renderStateFragment(service: Service): Html {
  const state = describeState(service);
  const { store } = service.parts.neighbours ?? {};
  return html`${renderActiveFaults(state.faults)}${renderCustomers(state, store)}${renderOrders(state, store)}${renderCoupons(
    state,
  )}${renderProducts(state, store)}${renderRedemptions(state)}${renderChallenges(state)}${renderQuizAnswers(state)}${renderSubscriptions(state)}${renderEvents(
    state,
  )}${renderJournal(service.journal)}`;
}
