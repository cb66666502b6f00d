import { control } from './live.js';

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
  else if (clear) control('DELETE', `/sandbox/${clear}`);
  else if (disorder) control('PUT', '/sandbox/disorder', disorder);
  else if (clock) control('POST', '/sandbox/clock', JSON.stringify({ seconds: Number(clock) }));
});
