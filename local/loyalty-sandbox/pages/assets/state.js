const live = document.getElementById('live');
const problem = document.getElementById('fault-problem');
const refreshMs = 2000;
let shown = live.innerHTML;

async function refresh() {
  const response = await fetch('/state/fragment');
  const next = await response.text();
  live.classList.remove('stale');
  // What is unchanged is left alone, so that a selection or a scrolled box stays as it is.
  if (!response.ok || next === shown || !document.getSelection().isCollapsed) return;
  const open = [...live.querySelectorAll('details[open]')].map(({ id }) => id);
  // Made by the server with everything escaped, and the page's policy runs no script inside it.
  live.innerHTML = next;
  shown = next;
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
}

/** The type of the body is what tells the sandbox that no other page sent this. */
async function control(method, path, body) {
  problem.textContent = '';
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method, headers, body });
  if (!response.ok) problem.textContent = (await response.json()).problems.join(' ');
  await refresh();
}

document.addEventListener('click', ({ target }) => {
  const { rule, clear } = target.dataset;
  if (rule !== undefined) {
    const operation = document.getElementById('fault-operation').value;
    const parsed = JSON.parse(rule);
    // An outage is of the whole service.
    control(
      'POST',
      '/sandbox/faults',
      JSON.stringify(parsed.kind === 'outage' ? parsed : { ...parsed, operation }),
    );
  } else if (clear !== undefined) {
    control('DELETE', clear === 'all' ? '/sandbox/faults' : `/sandbox/faults?id=${clear}`);
  } else if (target.id === 'fault-add') {
    control('POST', '/sandbox/faults', document.getElementById('fault-rule').value);
  }
});

setInterval(() => {
  // The sandbox may be stopped or restarted meanwhile: the next round tries again.
  if (!document.hidden) refresh().catch(() => live.classList.add('stale'));
}, refreshMs);
