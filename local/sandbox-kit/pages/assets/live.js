// What the pages of both sandboxes do: fetch their changing part again and again, and send commands.
const live = document.getElementById('live');
const problem = document.getElementById('problem');
const refreshMs = 2000;
let shown = live.innerHTML;

async function refresh() {
  const response = await fetch(live.dataset.fragment);
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

/** The content type shows the sandbox that no page of another origin sent this. */
export async function control(method, path, body) {
  problem.textContent = '';
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method, headers, body });
  if (!response.ok) problem.textContent = (await response.json()).problems.join(' ');
  await refresh();
}

setInterval(() => {
  // The sandbox may be stopped or restarted meanwhile: the next round tries again.
  if (!document.hidden) refresh().catch(() => live.classList.add('stale'));
}, refreshMs);
