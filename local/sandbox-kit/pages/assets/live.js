// For the pages of both sandboxes: refreshes the live part of the page and sends commands.
const live = document.getElementById('live');
const problem = document.getElementById('problem');
const refreshMs = 2000;
let shown = live.innerHTML;

// A long page on a telephone: a person opens the list that they want.
for (const list of document.querySelectorAll('details.fold')) {
  list.open = !matchMedia('(max-width: 60rem)').matches;
}
openTarget();
addEventListener('hashchange', openTarget);

/** A link leads to a list, or to a row of one. */
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  const list = target?.closest('details.fold');
  if (!list || list.open) return;
  list.open = true;
  target.scrollIntoView();
}

async function refresh() {
  const response = await fetch(live.dataset.fragment);
  const next = await response.text();
  live.classList.remove('stale');
  // Unchanged content is not replaced, so that selections and scroll positions stay.
  if (!response.ok || next === shown || !document.getSelection().isCollapsed) return;
  const lists = [...live.querySelectorAll('details')];
  const isOpen = new Map(lists.map(({ id, open }) => [id, open]));
  // Safe: the server escapes everything, and the page's policy allows no inline script.
  live.innerHTML = next;
  shown = next;
  for (const list of live.querySelectorAll('details')) list.open = isOpen.get(list.id) ?? list.open;
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
