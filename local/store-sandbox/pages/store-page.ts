import {
  badge,
  brief,
  type Html,
  html,
  moment,
  renderList,
  renderSection,
} from '../../sandbox-kit/pages/html.ts';
import { layOut } from '../../sandbox-kit/pages/layout.ts';
import { inOrder } from '../delivery/disorder.ts';
import type { WebhookDelivery } from '../delivery/sender.ts';
import type { JournalEntry } from '../journal.ts';
import { parseExactly } from '../payloads/json-values.ts';
import type { StoreService } from '../service.ts';
import { describeState, type State } from '../state.ts';
import {
  actionButton,
  renderCustomers,
  renderDiscounts,
  renderOrders,
  renderProducts,
  renderTriggers,
} from './store-sections.ts';

const chaos = {
  shuffle: 5,
  duplicate: 0.3,
  delay: 0.3,
  longestDelayMs: 3_000,
  drop: 0.1,
  oldSecret: 0.2,
};

const disorders: readonly { readonly text: string; readonly disorder: object }[] = [
  { text: 'In order', disorder: inOrder },
  { text: 'Shuffled', disorder: { ...inOrder, shuffle: 8 } },
  { text: 'Duplicated', disorder: { ...inOrder, duplicate: 0.5 } },
  { text: 'Delayed', disorder: { ...inOrder, delay: 0.5, longestDelayMs: 5_000 } },
  { text: 'Some dropped', disorder: { ...inOrder, drop: 0.3 } },
  { text: 'Old secret', disorder: { ...inOrder, oldSecret: 1 } },
  { text: 'All of these', disorder: chaos },
];

const faults: readonly { readonly text: string; readonly rule: object }[] = [
  { text: 'Outage', rule: { kind: 'outage' } },
  { text: 'Next 3: throttled', rule: { kind: 'throttled', count: 3 } },
  { text: 'Next call: 500', rule: { kind: 'http-500', count: 1 } },
  { text: 'Next call: token refused', rule: { kind: 'unauthorized', count: 1 } },
  { text: 'Credentials refused', rule: { kind: 'unauthorized' } },
  { text: 'Next call: answer lost', rule: { kind: 'reset-after', count: 1 } },
  { text: 'Every call: 2 s slower', rule: { kind: 'latency', ms: 2_000 } },
];

/** Not refreshed with the rest, so that the buttons do not move. */
function renderControls(): Html {
  return html`<section id="controls">
<h2>Actions</h2>
<p class="row">
${actionButton('Place a random order', 'placeRandomOrder', {})}
<button type="button" data-new="product">New product</button>
<button type="button" data-new="coupon">New coupon</button>
<button type="button" data-new="customer">New customer</button>
<button type="button" data-clock="86400">Advance the clock by a day</button>
</p>
<p class="row"><span class="label">Webhooks</span>
${disorders.map(
  ({ text, disorder }) =>
    html`<button type="button" data-disorder="${JSON.stringify(disorder)}">${text}</button>\n`,
)}
<button type="button" data-clear="subscriptions">Delete all subscriptions</button>
</p>
<p class="row"><span class="label">Admin API</span>
${faults.map(({ text, rule }) => html`<button type="button" data-rule="${JSON.stringify(rule)}">${text}</button>\n`)}
<button type="button" data-clear="faults">Remove all faults</button>
</p>
<p id="problem" role="alert"></p>
</section>
`;
}

function renderSettings({ now, disorder, faults: active, subscriptions, shop }: State): Html {
  const changed = Object.entries(disorder).filter(
    ([name, value]) => name !== 'longestDelayMs' && value !== 0,
  );
  return html`<section id="settings">
<dl class="facts">
<div><dt>Shop</dt><dd>${shop.domain}, ${shop.currency}</dd></div>
<div><dt>Clock</dt><dd>${now.slice(0, 16).replace('T', ' ')} UTC</dd></div>
<div><dt>Webhooks go to</dt><dd>${
    subscriptions.length === 0
      ? 'no address yet'
      : [...new Set(subscriptions.map(({ uri }) => uri))].join(', ')
  }</dd></div>
<div><dt>Disorder</dt><dd>${
    changed.length === 0 ? 'none' : changed.map(([name, value]) => `${name} ${value}`).join(', ')
  }</dd></div>
<div><dt>Faults</dt><dd>${
    active.length === 0
      ? 'none'
      : active
          .map(({ kind, seen, met }) => `${kind} (applied to ${met} of ${seen} calls)`)
          .join(', ')
  }</dd></div>
</dl>
</section>
`;
}

/** The page is rendered every two seconds, so it must stay small. */
const maxRows = 50;
const maxCharacters = 30_000;

const tones = { waiting: 'waiting', delivered: 'good', failed: 'bad', dropped: 'plain' } as const;

function renderDeliveries(deliveries: readonly WebhookDelivery[]): Html {
  const shown = deliveries.slice(-maxRows).reverse();
  return renderList(
    'deliveries',
    'Deliveries',
    shown,
    deliveries.length,
    'None yet. Give an address with --webhooks-to, or subscribe through the Admin API.',
    '/sandbox/deliveries',
    (some) => some.map(renderDelivery),
  );
}

function renderDelivery(delivery: WebhookDelivery): Html {
  const { n, topic, event, triggeredAt, state, attempts, plan, address } = delivery;
  const last = attempts.at(-1);
  const remarks = [
    plan.isCopy && 'copy',
    plan.delayMs > 0 && `${plan.delayMs} ms late`,
    plan.overtakenBy > 0 && `overtaken by ${plan.overtakenBy}`,
    plan.secret === 'previous' && 'old secret',
  ].filter((word) => word !== false);
  return html`<details class="call" id="delivery-${n}">
<summary><span class="n">${n}</span> ${moment(triggeredAt)} ${badge(tones[state], last?.status === undefined ? state : `${last.status} ${state}`)}
<span class="what"><b>${event ? `${topic}/${event.action}` : topic}</b> ${aboutOf(delivery.body)} <code>${address}</code> ${remarks.length > 0 && html`<span class="note">${remarks.join(', ')}</span>`}</span>
<span class="duration">${attempts.length === 1 ? '1 try' : `${attempts.length} tries`}${last && `, ${last.durationMs} ms`}</span></summary>
<div class="sides">
<div class="side"><h3>Body</h3><pre>${indent(delivery.body)}</pre></div>
<div class="side"><h3>Answers</h3>${
    attempts.length === 0
      ? html`<p class="empty">None.</p>`
      : html`<pre>${JSON.stringify(attempts, null, 2)}</pre>`
  }</div>
</div>
</details>
`;
}

/** What people call the thing that it is about: `#1007`, a title; empty where the body says neither. */
function aboutOf(body: string): string {
  const { name, title } = JSON.parse(body);
  return String(name ?? title ?? '');
}

function indent(body: string): string {
  const text = JSON.stringify(parseExactly(body), null, 2);
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

function renderApiJournal(entries: readonly JournalEntry[]): Html {
  return renderSection({
    id: 'calls',
    title: 'Latest calls to the Admin API',
    rows: entries.slice(-maxRows),
    whenEmpty: 'None yet.',
    numbers: ['#', 'Cost', 'ms'],
    columns: {
      Operation: ({ kind, operation }) => brief(operation || kind),
      '#': ({ n }) => n,
      When: ({ at }) => moment(at),
      Answer: ({ status, fault, errors }) => {
        if (fault !== undefined)
          return badge('bad', status === undefined ? fault : `${status} ${fault}`);
        if (errors) return badge('waiting', errors[0] ?? 'error');
        return badge(status === 200 ? 'good' : 'bad', String(status ?? 'none'));
      },
      Cost: ({ cost }) => (cost ? `${cost.actual ?? '–'} of ${cost.requested}` : null),
      ms: ({ durationMs }) => durationMs,
    },
  });
}

export function renderStorePage(service: StoreService, address: string): Html {
  const { clientSecret, accessToken } = service.credentials;
  return layOut({
    name: 'Store sandbox',
    links: ['Orders', 'Products', 'Discounts', 'Customers', 'Deliveries', 'Calls'].map((text) => ({
      href: `#${text.toLowerCase()}`,
      text,
    })),
    facts: { Address: address, Token: accessToken, Secret: clientSecret },
    neighbours: service.options.neighbours,
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
  const { loyalty } = service.options.neighbours ?? {};
  return html`${renderSettings(state)}${renderOrders(state, loyalty)}${renderProducts(
    state,
    loyalty,
  )}${renderDiscounts(state)}${renderCustomers(state, loyalty)}${state.triggers.length > 0 && renderTriggers(state)}${renderDeliveries(service.sender.all())}${renderApiJournal(
    service.journal.entries(),
  )}`;
}
