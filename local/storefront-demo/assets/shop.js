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
    for (const { name, state, time, note } of progress.steps) {
      const step = steps.querySelector(`[data-step="${name}"]`);
      if (step.dataset.state === state && step.querySelector('.note').textContent === note)
        continue;
      step.dataset.state = state;
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
