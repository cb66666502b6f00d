import { control } from './live.js';

document.addEventListener('click', ({ target }) => {
  const { rule, clear, switchOn } = target.dataset;
  if (rule !== undefined) {
    const operation = document.getElementById('fault-operation').value;
    const parsed = JSON.parse(rule);
    // An outage is of the whole service.
    control(
      'POST',
      '/sandbox/faults',
      JSON.stringify(parsed.kind === 'outage' ? parsed : { operation, ...parsed }),
    );
  } else if (clear !== undefined) {
    control('DELETE', clear === 'all' ? '/sandbox/faults' : `/sandbox/faults?id=${clear}`);
  } else if (switchOn !== undefined) {
    control('POST', '/sandbox/subscriptions', JSON.stringify({ on: switchOn }));
  } else if (target.id === 'fault-add') {
    control('POST', '/sandbox/faults', document.getElementById('fault-rule').value);
  }
});
