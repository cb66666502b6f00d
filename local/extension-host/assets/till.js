import { make } from './component.js';
import { createSale } from './till-sale.js';

/** The till as its staff see it: products, the customer with our extension, the cart, and the payment. */
const data = JSON.parse(document.body.dataset.till);
const sale = createSale(data);
const { cart, connectivity, locale, staff, location: place, details } = sale;

const money = (value) =>
  new Intl.NumberFormat('en', { style: 'currency', currency: data.currency }).format(value);
const button = (text, run, more = {}) =>
  make('button', { type: 'button', textContent: text, onclick: run, ...more });
const select = (label, options, live) => {
  const list = make('select', { onchange: () => live.set(list.value) });
  list.append(...options.map(({ id, name }) => make('option', { value: id, textContent: name })));
  list.value = live.value;
  return make('label', {}, make('span', { textContent: label }), list);
};

const products = document.querySelector('.products');
for (const tile of products.querySelectorAll('[data-line]')) {
  tile.addEventListener('click', () => sale.add(JSON.parse(tile.dataset.line)));
}
const status = make('p', { className: 'status' });
status.setAttribute('role', 'status');
const customerPanel = make('section', { className: 'customer' });
const cartPanel = make('section', { className: 'cart' });
const search = make('input', { type: 'search', placeholder: 'Name, e-mail or phone' });
search.setAttribute('aria-label', 'Search a customer');
const found = make('ul', { className: 'found' });
const selected = make('div');
const block = make('div', { className: 'block' });
customerPanel.append(make('h2', { textContent: 'Customer' }), search, found, selected, block);

const dialog = make('dialog', { className: 'modal' });
dialog.addEventListener('close', () => dialog.replaceChildren());

const offline = make('input', {
  type: 'checkbox',
  onchange: () =>
    connectivity.set({ internetConnected: offline.checked ? 'Disconnected' : 'Connected' }),
});

document.body.append(
  make(
    'header',
    { className: 'bar' },
    make(
      'h1',
      {},
      make('a', { href: '/', className: 'name', textContent: '‹ Till', title: 'To the shop' }),
    ),
    select('Staff', data.staff, staff),
    select('Location', data.locations, place),
    select(
      'Language',
      [
        { id: 'en', name: 'English' },
        { id: 'pt-BR', name: 'Português' },
        { id: 'es', name: 'Español' },
      ],
      locale,
    ),
    make('label', { className: 'switch' }, offline, make('span', { textContent: 'Offline' })),
  ),
  make('main', { className: 'till', ariaLabel: 'Sale' }, products, customerPanel, cartPanel),
  dialog,
);

/** A frame with one target of the extension, for the customer whose details are open. */
function frame(target, title) {
  const query = new URLSearchParams({ target, customer: details.value.id });
  return make('iframe', { src: `/till/extension?${query}`, title });
}

sale.presentModal = () => {
  const bar = make(
    'div',
    { className: 'top' },
    button('Close', () => dialog.close()),
    make('strong', { textContent: details.value.name }),
    phone(details.value),
  );
  dialog.replaceChildren(bar, frame('pos.customer-details.action.render', 'Loyalty rewards'));
  dialog.showModal();
};
sale.closeModal = () => dialog.close();
globalThis.till = sale;

/** Stands for the customer, who reads out what the loyalty program sends. */
function phone(customer) {
  const text = make('output');
  const read = async () => {
    const answer = await fetch(`/till/phone?${new URLSearchParams({ customer: customer.id })}`);
    text.textContent = (await answer.json()).text;
  };
  return make('span', { className: 'phone' }, text, button("Customer's phone", read));
}

async function look() {
  const text = search.value;
  const customers = text.trim() === '' ? [] : await sale.findCustomers(text);
  if (search.value !== text) return;
  found.replaceChildren(
    ...customers.map((customer) =>
      make(
        'li',
        {},
        button(`${customer.name} · ${customer.contact}`, () => {
          search.value = '';
          found.replaceChildren();
          sale.open(customer);
        }),
      ),
    ),
  );
}
search.addEventListener('input', look);

details.subscribe((customer) => {
  block.replaceChildren();
  if (customer) block.append(frame('pos.customer-details.block.render', 'Loyalty'));
});

function drawCustomer() {
  const customer = details.value;
  if (!customer) {
    return selected.replaceChildren(
      make('p', { className: 'note', textContent: 'No customer is chosen.' }),
    );
  }
  const inCart = sale.customer();
  const isHere = inCart?.id === customer.id;
  selected.replaceChildren(
    make(
      'div',
      { className: 'person' },
      make('strong', { textContent: customer.name }),
      make('span', { className: 'note', textContent: customer.contact }),
      make('span', {
        className: 'note',
        textContent: isHere
          ? 'Chosen for this sale'
          : inCart
            ? `The cart is for ${inCart.name}`
            : 'Not in the cart',
      }),
      isHere
        ? button('Remove customer', () => sale.removeCustomer())
        : button('Add to cart', () => sale.setCustomer(customer)),
    ),
  );
}

function drawCart() {
  const focused = document.activeElement?.getAttribute('aria-label');
  const { lineItems, cartDiscounts, grandTotal } = cart.value;
  const lines = lineItems.map((line) =>
    make(
      'li',
      {},
      make('span', { className: 'title', textContent: line.title }),
      make(
        'span',
        { className: 'quantity' },
        button('−', () => sale.setQuantity(line, line.quantity - 1), {
          ariaLabel: `One less: ${line.title}`,
        }),
        make('output', { textContent: line.quantity }),
        button('+', () => sale.setQuantity(line, line.quantity + 1), {
          ariaLabel: `One more: ${line.title}`,
        }),
      ),
      make('span', { className: 'amount', textContent: money(line.price * line.quantity) }),
    ),
  );
  const discounts = cartDiscounts.map(({ discountDescription: code, amount }) =>
    make(
      'li',
      { className: 'discount' },
      make('span', { className: 'title', textContent: code }),
      button('Remove', () => sale.removeCode(code), { ariaLabel: `Remove: ${code}` }),
      make('span', { className: 'amount', textContent: `−${money(amount)}` }),
    ),
  );
  cartPanel.replaceChildren(
    make('h2', { textContent: 'Cart' }),
    lines.length > 0
      ? make('ul', {}, ...lines, ...discounts)
      : make('p', { className: 'note', textContent: 'Tap a product to add it.' }),
    make(
      'p',
      { className: 'total' },
      make('span', { textContent: 'Total' }),
      make('strong', { textContent: money(grandTotal) }),
    ),
    button('Take payment', () => sale.pay(), { className: 'pay', disabled: lines.length === 0 }),
    status,
  );
  if (focused) cartPanel.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
}

sale.message.subscribe((text) => {
  status.textContent = text;
});
for (const live of [cart, details]) {
  live.subscribe(() => {
    drawCustomer();
    drawCart();
  });
}
