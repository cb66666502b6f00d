import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { inOrder } from '../delivery/disorder.ts';
import type { State } from '../state.ts';
import { actionButton } from './store-sections.ts';

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
  { text: 'Next call: answer lost', rule: { kind: 'reset-after', count: 1 } },
  { text: 'Every call: 2 s slower', rule: { kind: 'latency', ms: 2_000 } },
];

/** Not refreshed with the rest, so that the buttons do not move. */
export function renderControls(): Html {
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
</p>
<p class="row"><span class="label">Admin API</span>
${faults.map(({ text, rule }) => html`<button type="button" data-rule="${JSON.stringify(rule)}">${text}</button>\n`)}
<button type="button" data-clear="all">Remove all faults</button>
</p>
<p id="problem" role="alert"></p>
</section>
`;
}

export function renderSettings({
  now,
  disorder,
  faults: active,
  subscriptions,
  shop,
}: State): Html {
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
