import type { ActiveFault } from '../../sandbox-kit/faults.ts';
import { badge, type Html, html, moment } from '../../sandbox-kit/pages/html.ts';
import type { FaultRule } from '../fault-rule.ts';
import type { Journal, JournalEntry } from '../journal.ts';
import type { Service } from '../service.ts';
import { describeState } from '../state.ts';
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

/** Faults a person is likely to want, one click away. */
const common: readonly { readonly text: string; readonly rule: object }[] = [
  { text: 'Outage', rule: { kind: 'outage' } },
  { text: 'Next call: 500', rule: { kind: 'http-500', count: 1 } },
  { text: 'Next 5: throttled (103)', rule: { kind: 'code-103', count: 5 } },
  { text: 'Next 5: HTTP 429', rule: { kind: 'http-429', retryAfterSeconds: 2, count: 5 } },
  { text: 'Next call: lost answer', rule: { kind: 'reset-after', count: 1 } },
  { text: 'Next call: cut short', rule: { kind: 'truncated', count: 1 } },
  { text: 'Every call: 2 s slower', rule: { kind: 'latency', ms: 2000 } },
  { text: 'One in five: 503', rule: { kind: 'http-503', probability: 0.2 } },
];

/** Not refreshed with the rest, so that the buttons do not move while a person uses them. */
function renderFaultControls(operations: readonly string[]): Html {
  return html`<section id="fault-controls">
<h2>Make it fail</h2>
<p class="row">
<label>Operation <select id="fault-operation"><option value="*">any</option>${operations.map(
    (operation) => html`<option>${operation}</option>`,
  )}</select></label>
${common.map(({ text, rule }) => html`<button type="button" data-rule="${JSON.stringify(rule)}">${text}</button>\n`)}
</p>
<details><summary>Another rule</summary>
<p class="row">
<textarea id="fault-rule" rows="2" spellcheck="false" aria-label="Rule as JSON">{ "kind": "business-error", "code": 36, "operation": "sendOrder", "after": 2, "count": 3 }</textarea>
<button type="button" id="fault-add">Add</button>
</p>
</details>
<p id="problem" role="alert"></p>
</section>
`;
}

function renderActiveFaults(faults: readonly ActiveFault<FaultRule>[]): Html {
  return html`<section id="faults">
<h2>Active faults <span class="count">${faults.length}</span></h2>
${
  faults.length === 0
    ? html`<p class="empty">None. Every call gets its normal answer.</p>`
    : html`<ul class="faults">${faults.map(renderFault)}</ul>
<p><button type="button" data-clear="all">Clear all</button></p>`
}
</section>
`;
}

function renderFault({ id, kind, operation, seen, met, ...rest }: ActiveFault<FaultRule>): Html {
  const details = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return html`<li><b>${kind}</b> <span>${operation === undefined || operation === '*' ? 'any operation' : operation}</span>
${details.length > 0 && html`<span>${details.join(', ')}</span>`}
<span class="note">applied to ${met} of ${seen} calls</span> <button type="button" data-clear="${id}">Clear</button></li>\n`;
}

const mostCalls = 100;
/** Of one body or answer. More of it is in the journal over HTTP. */
const mostCharacters = 20_000;

function renderJournal(journal: Journal): Html {
  const shown = journal.entries({ limit: mostCalls }).reverse();
  return html`<section id="journal">
<h2>Journal <span class="count">${journal.size}</span></h2>
${journal.dropped > 0 && html`<p class="note">${journal.dropped} older calls were dropped.</p>`}
${
  shown.length === 0
    ? html`<p class="empty">No calls yet. Try one on the <a href="/">API page</a>.</p>`
    : shown.map(renderCall)
}
${
  journal.size > shown.length &&
  html`<p class="note">The latest ${shown.length}; all are at <a href="/sandbox/journal">/sandbox/journal</a>.</p>`
}
</section>
`;
}

function renderCall(entry: JournalEntry): Html {
  const { n, at, method, path, operation, durationMs } = entry;
  return html`<details class="call" id="call-${n}">
<summary><span class="n">${n}</span> ${moment(at)} ${renderResult(entry)}
<span class="what"><b>${operation ?? 'no operation'}</b> <code>${method} ${path}</code></span>
<span class="duration">${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms</span></summary>
<div class="sides">
${renderJson('Request', entry.body ?? entry.bodyCut ?? entry.unreadableBody)}
${renderJson(entry.fault === undefined ? 'Answer' : `Answer (${entry.fault})`, entry.answer ?? entry.answerCut)}
</div>
</details>
`;
}

function renderResult({ status, fault, answer }: JournalEntry): Html {
  if (fault !== undefined) return badge('bad', status === undefined ? fault : `${status} ${fault}`);
  if (status !== 200) return badge('bad', String(status));
  const refused =
    typeof answer === 'object' && answer !== null && 'HasError' in answer && answer.HasError;
  return refused ? badge('waiting', '200 error') : badge('good', '200');
}

function renderJson(title: string, value: unknown): Html {
  if (value === undefined)
    return html`<div class="side"><h3>${title}</h3><p class="empty">None.</p></div>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const cut = text.length > mostCharacters;
  return html`<div class="side"><h3>${title}</h3><pre>${cut ? `${text.slice(0, mostCharacters)}…` : text}</pre></div>`;
}

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
