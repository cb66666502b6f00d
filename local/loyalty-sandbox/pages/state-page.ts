import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { Service } from '../service.ts';
import { describeState } from '../state.ts';
import { renderActiveFaults, renderFaultControls } from './faults-section.ts';
import { renderJournal } from './journal-section.ts';
import { layOut } from './layout.ts';
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
  const { settings, contract } = service.parts;
  return layOut({
    title: 'State',
    current: 'state',
    address,
    credentials: settings.credentials,
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
  return html`${renderActiveFaults(state.faults)}${renderCustomers(state)}${renderOrders(state)}${renderCoupons(
    state,
  )}${renderProducts(state)}${renderRedemptions(state)}${renderChallenges(state)}${renderQuizAnswers(state)}${renderSubscriptions(state)}${renderEvents(
    state,
  )}${renderJournal(service.journal)}`;
}
