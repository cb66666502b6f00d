// The shop works without this script, except that the order page then shows its steps once.

const variant = document.getElementById('variant');
variant?.addEventListener('change', () => {
  const { price, money } = variant.selectedOptions[0].dataset;
  document.getElementById('price').textContent = money;
  document.querySelector('loyalty-widget')?.setAttribute('price', price);
});

const steps = document.querySelector('[data-progress]');
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5000;

async function showProgress(pauseMs) {
  const answer = await fetch(steps.dataset.progress).catch(() => undefined);
  if (answer?.ok) {
    const progress = await answer.json();
    for (const { name, title, state, time, note } of progress.steps) {
      const step = steps.querySelector(`[data-step="${name}"]`);
      if (step.dataset.state === state && step.querySelector('.note').textContent === note)
        continue;
      step.dataset.state = state;
      step.querySelector('b').textContent = title;
      step.querySelector('time').textContent = time;
      step.querySelector('.note').textContent = note;
    }
    if (progress.steps.every(({ state }) => state !== 'waiting'))
      return showPoints(progress.points);
  }
  setTimeout(showProgress, pauseMs, Math.min(pauseMs * 1.2, LONGEST_PAUSE_MS));
}

function showPoints(points) {
  if (points === null) return;
  for (const element of document.querySelectorAll('[data-loyalty="points"]')) {
    element.textContent = points;
  }
}

if (steps) showProgress(FIRST_PAUSE_MS);

const policy = globalThis.trustedTypes?.createPolicy('shop', { createHTML: (text) => text });

/** The summary of the cart's own page is drawn anew, without leaving it. */
export async function redrawCart() {
  const summary = document.querySelector('.cart .summary');
  if (!summary) return;
  const page = await (await fetch(location.href)).text();
  const fresh = new DOMParser().parseFromString(policy?.createHTML(page) ?? page, 'text/html');
  const next = fresh.querySelector('.cart .summary');
  if (next) summary.replaceWith(document.adoptNode(next));
  const cart = fresh.querySelector('loyalty-widget')?.getAttribute('items');
  for (const widget of document.querySelectorAll('loyalty-widget')) {
    if (cart) widget.setAttribute('items', cart);
  }
}

// On a page without Shopify's actions the widget says that the cart has changed.
document.addEventListener('loyalty:used', () => globalThis.Shopify ?? redrawCart());
