// For the pages of both sandboxes: refreshes the live part of the page and sends commands.
const live = document.getElementById('live');
const problem = document.getElementById('problem');
const refreshMs = 2000;
let shown = live.innerHTML;

async function refresh() {
  const response = await fetch(live.dataset.fragment);
  const next = await response.text();
  live.classList.remove('stale');
  // Unchanged content is not replaced, so that selections and scroll positions stay.
  if (!response.ok || next === shown || !document.getSelection().isCollapsed) return;
  const open = [...live.querySelectorAll('details[open]')].map(({ id }) => id);
  // Safe: the server escapes everything, and the page's policy allows no inline script.
  live.innerHTML = next;
  shown = next;
  for (const id of open) document.getElementById(id)?.setAttribute('open', '');
}

/** The content type proves to the sandbox that no page of another origin sent the request. */
export async function control(method, path, body) {
  problem.textContent = '';
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method, headers, body });
  if (!response.ok) problem.textContent = (await response.json()).problems.join(' ');
  await refresh();
}

setInterval(() => {
  // The sandbox may have been stopped or restarted; the next refresh tries again.
  if (!document.hidden) refresh().catch(() => live.classList.add('stale'));
}, refreshMs);
