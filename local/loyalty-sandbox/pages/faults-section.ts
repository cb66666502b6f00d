import type { ActiveFault } from '../../sandbox-kit/faults.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { FaultRule } from '../fault-rule.ts';

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
export function renderFaultControls(operations: readonly string[]): Html {
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

export function renderActiveFaults(faults: readonly ActiveFault<FaultRule>[]): Html {
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
