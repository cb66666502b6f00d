import { badge, type Html, html, moment } from '../../sandbox-kit/pages/html.ts';
import type { Journal, JournalEntry } from '../journal.ts';

const mostCalls = 100;
/** Of one body or answer. More of it is in the journal over HTTP. */
const mostCharacters = 20_000;

export function renderJournal(journal: Journal): Html {
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
