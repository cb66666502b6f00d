const live = document.getElementById('live');
const problem = document.getElementById('problem');
const refreshMs = 2000;
let shown = live.innerHTML;

async function refresh() {
  const response = await fetch('/fragment');
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

const act = (name, input) =>
  control(
    'POST',
    `/sandbox/actions/${name}`,
    typeof input === 'string' ? input : JSON.stringify(input),
  );

const suffix = () => Math.random().toString(36).slice(2, 7).toUpperCase();

const makers = {
  product: () =>
    act('createProduct', { title: `Product ${suffix()}`, vendor: 'Sandbox', price: 19 }),
  coupon: () => act('createDiscount', { codes: [`SAVE${suffix()}`], percentage: 10 }),
  customer: () => {
    const name = suffix();
    const email = `${name.toLowerCase()}@example.com`;
    return act('createCustomer', { firstName: 'Sample', lastName: name, email });
  },
};

document.addEventListener('click', ({ target }) => {
  const { action, input, rule, clear, disorder, clock, addCode } = target.dataset;
  if (action) act(action, input);
  else if (target.dataset.new) makers[target.dataset.new]();
  else if (addCode) act('addCodes', { discountId: addCode, codes: [`CODE${suffix()}`] });
  else if (rule) control('POST', '/sandbox/faults', rule);
  else if (clear) control('DELETE', '/sandbox/faults');
  else if (disorder) control('PUT', '/sandbox/disorder', disorder);
  else if (clock) control('POST', '/sandbox/clock', JSON.stringify({ seconds: Number(clock) }));
});

setInterval(() => {
  // The sandbox may be stopped or restarted meanwhile: the next round tries again.
  if (!document.hidden) refresh().catch(() => live.classList.add('stale'));
}, refreshMs);
