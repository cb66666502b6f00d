import {
  badge,
  brief,
  type Html,
  html,
  moment,
  renderSection,
} from '../../sandbox-kit/pages/html.ts';
import type { WebhookDelivery } from '../delivery/post-webhook.ts';
import type { JournalEntry } from '../journal.ts';

/** The page is rendered every two seconds, so it must stay small. */
const maxRows = 50;
const maxCharacters = 30_000;

const tones = { waiting: 'waiting', delivered: 'good', failed: 'bad', dropped: 'plain' } as const;

export function renderDeliveries(deliveries: readonly WebhookDelivery[]): Html {
  const shown = deliveries.slice(-maxRows).reverse();
  return html`<section id="deliveries">
<h2>Deliveries <span class="count">${deliveries.length}</span></h2>
${
  shown.length === 0
    ? html`<p class="empty">None yet. Give an address with --webhooks-to, or subscribe through the Admin API.</p>`
    : shown.map(renderDelivery)
}
${
  deliveries.length > shown.length &&
  html`<p class="note">The latest ${shown.length}; all are at <a href="/sandbox/deliveries">/sandbox/deliveries</a>.</p>`
}
</section>
`;
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
<span class="what"><b>${event ? `${topic}/${event.action}` : topic}</b> <code>${address}</code> ${remarks.length > 0 && html`<span class="note">${remarks.join(', ')}</span>`}</span>
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

/** JSON.parse would round the ids. */
function indent(body: string): string {
  let depth = 0;
  const text = body.replace(/"(?:\\.|[^"\\])*"|[{}[\],:]/g, (part) => {
    switch (part) {
      case '{':
      case '[':
        depth += 1;
        return `${part}\n${'  '.repeat(depth)}`;
      case '}':
      case ']':
        depth -= 1;
        return `\n${'  '.repeat(depth)}${part}`;
      case ',':
        return `,\n${'  '.repeat(depth)}`;
      case ':':
        return ': ';
      default:
        return part;
    }
  });
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}

export function renderApiJournal(entries: readonly JournalEntry[]): Html {
  return renderSection({
    id: 'calls',
    title: 'Calls to the Admin API',
    rows: entries.slice(-maxRows),
    whenEmpty: 'None yet.',
    columns: [
      { name: '#', align: 'right', cell: ({ n }) => n },
      { name: 'When', cell: ({ at }) => moment(at) },
      { name: 'Operation', cell: ({ kind, operation }) => brief(operation || kind) },
      {
        name: 'Answer',
        cell: ({ status, fault, errors }) => {
          if (fault !== undefined)
            return badge('bad', status === undefined ? fault : `${status} ${fault}`);
          if (errors) return badge('waiting', errors[0] ?? 'error');
          return badge(status === 200 ? 'good' : 'bad', String(status ?? 'none'));
        },
      },
      {
        name: 'Cost',
        align: 'right',
        cell: ({ cost }) => (cost ? `${cost.actual ?? '–'} of ${cost.requested}` : null),
      },
      { name: 'ms', align: 'right', cell: ({ durationMs }) => durationMs },
    ],
  });
}
