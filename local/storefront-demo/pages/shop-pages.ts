import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { discountOf } from '../../store-sandbox/model/line-amounts.ts';
import { type OrderTotals, orderTotals } from '../../store-sandbox/model/order-totals.ts';
import type { Quote } from '../../store-sandbox/model/place-order.ts';
import type { CustomerRow, OrderRow, ProductRow } from '../../store-sandbox/model/rows.ts';
import {
  type CartLine,
  cartOf,
  creditOf,
  customerOf,
  moneyOf,
  ordersOf,
  priceOf,
  quoteOf,
  type Shop,
  type ShopStore,
  shownProducts,
} from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderWidget } from './layout.ts';
import { renderPicture } from './pictures.ts';
import { date, say } from './words.ts';

export function renderProducts(store: ShopStore): Html {
  const products = shownProducts(store);
  if (products.length === 0) {
    return html`<h1>${say('Our products')}</h1>
<p class="empty">${say('Nothing is for sale.')} <a href="${store.address}">${say('Create a product in the store.')}</a></p>`;
  }
  return html`<h1>${say('Our products')}</h1>
<p class="lead">${say('Every order earns points. They become discounts on the next one.')}</p>
<ul class="products">
${products.map(
  (product) =>
    html`<li><a href="/products/${product.handle}">${renderPicture(product)}<span class="title">${product.title}</span></a>
<span class="vendor">${product.vendor}</span> <span class="price">${priceRange(store, product)}</span></li>\n`,
)}
</ul>`;
}

function priceRange(store: ShopStore, { variants }: ProductRow): string {
  const prices = variants.map(({ priceMinor }) => priceMinor);
  const lowest = moneyOf(store, Math.min(...prices));
  return new Set(prices).size > 1 ? `${say('from')} ${lowest}` : lowest;
}

export function renderProduct(store: ShopStore, visit: Visit, product: ProductRow): Html {
  const [first] = product.variants;
  const price = first?.priceMinor ?? 0;
  return html`<div class="product">
${renderPicture(product)}
<div>
<p class="vendor">${product.vendor}</p>
<h1>${product.title}</h1>
<p class="price" id="price">${moneyOf(store, price)}</p>
<p class="note">${product.category?.fullName.split(' > ').at(-1) ?? product.productType}</p>
<form method="post" action="/cart/add">
${
  product.variants.length === 1
    ? html`<input type="hidden" name="variantId" value="${first?.id ?? ''}">`
    : html`<label>${say('Variant')} <select name="variantId" id="variant">${product.variants.map(
        ({ id, title, priceMinor }) =>
          html`<option value="${id}" data-price="${priceOf(store, priceMinor)}" data-money="${moneyOf(store, priceMinor)}">${title}</option>`,
      )}</select></label>`
}
<label>${say('Quantity')} <input name="quantity" type="number" min="1" max="99" value="1" inputmode="numeric" required></label>
<button class="primary">${say('Add to cart')}</button>
</form>
${renderWidget(store, visit, { product: { id: product.id, price: priceOf(store, price) }, show: 'earned' })}
<p><a href="/account">${say(customerOf(store, visit) ? 'See your points and rewards' : 'Log in to earn points')}</a></p>
</div>
</div>`;
}

export function renderCart(store: ShopStore, visit: Visit): Html {
  const lines = cartOf(store, visit);
  const quote = quoteOf(store, visit);
  if (!quote) {
    return html`<h1>${say('Cart')}</h1>
<p class="empty">${say('Your cart is empty.')}</p>
<p><a class="button" href="/">${say('See the products')}</a></p>`;
  }
  return html`<h1>${say('Cart')}</h1>
<div class="cart">
<ul class="lines">
${lines.map((line) => renderLine(store, line))}
</ul>
<form class="summary" method="post" action="/cart/order" aria-label="${say('Order')}">
<h2>${say('Summary')}</h2>
${renderCodes(quote)}
${renderTotals(store, quote.order, quote.totals)}
${renderCredit(store, visit, quote)}
<input type="hidden" name="total" value="${quote.totals.totalMinor}">
${customerOf(store, visit) && renderWidget(store, visit, { isCart: true, show: 'earned' })}
<button class="primary">${say('Place order')}</button>
<p class="note">${
    customerOf(store, visit)
      ? say('The order is paid and shipped at once, so that you see its points arrive.')
      : html`${say('You are not logged in, so this order earns no points.')} <a href="/account">${say('Log in')}</a>`
  }</p>
</form>
</div>
${renderWidget(store, visit, { isCart: true, show: 'rewards' })}`;
}

function renderLine(store: ShopStore, { product, variant, quantity }: CartLine): Html {
  const isOnly = product.variants.length === 1;
  const name = isOnly ? product.title : `${product.title}, ${variant.title}`;
  const set = (to: number, label: string, sign: string) =>
    html`<button name="quantity" value="${to}" aria-label="${say(label)}: ${name}">${sign}</button>`;
  return html`<li>
<a class="thumb" href="/products/${product.handle}" tabindex="-1" aria-hidden="true">${renderPicture(product)}</a>
<div class="what"><a href="/products/${product.handle}">${product.title}</a>
<span class="note">${!isOnly && `${variant.title} · `}${moneyOf(store, variant.priceMinor)} ${say('each')}</span></div>
<form method="post" action="/cart/set" class="quantity">
<input type="hidden" name="variantId" value="${variant.id}">
${set(quantity - 1, 'One less', '−')}
<span>${quantity}</span>
${set(quantity + 1, 'One more', '+')}
<button name="quantity" value="0" class="quiet" aria-label="${say('Remove')}: ${name}">${say('Remove')}</button>
</form>
<span class="amount">${moneyOf(store, variant.priceMinor * quantity)}</span>
</li>\n`;
}

/** Apply is the first button of the form, so that Enter in the field applies the code. */
function renderCodes({ order, refusedCodes: [refused] }: Quote): Html {
  return html`<div class="code">
<label for="code">${say('Discount code')}</label>
<div><input id="code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false"${
    refused && html` aria-invalid="true" aria-describedby="code-problem"`
  }>
<button formaction="/cart/code">${say('Apply')}</button></div>
${refused && html`<p class="problem" id="code-problem" role="alert">${refused.why}</p>`}
</div>
${order.applications.map(
  ({
    name,
  }) => html`<p class="applied"><span>${say('Code')} <b>${name}</b> ${say('is applied.')}</span>
<button class="quiet" formaction="/cart/code" name="remove" value="${name}" aria-label="${say('Remove code')} ${name}">${say('Remove')}</button></p>\n`,
)}`;
}

/** Chosen beforehand, as far as it goes: the rest is paid as usual. */
function renderCredit(store: ShopStore, visit: Visit, { totals }: Quote): Html {
  const minor = Math.min(creditOf(store, visit), totals.totalMinor);
  if (minor === 0) return html``;
  const rest = totals.totalMinor - minor;
  return html`<label class="credit"><input type="checkbox" name="credit" value="all" checked> ${say('Pay {} with store credit', moneyOf(store, minor))}${
    rest > 0 && say(' and {} by card', moneyOf(store, rest))
  }</label>`;
}

/** The same lines for a cart and for an order. */
export function renderTotals(
  store: ShopStore,
  order: OrderRow,
  totals: OrderTotals = orderTotals(order),
): Html {
  const row = (name: Html | string, minor: number, kind = 'part') =>
    html`<div class="${kind}"><dt>${name}</dt><dd>${minor < 0 ? '−' : ''}${moneyOf(store, Math.abs(minor))}</dd></div>\n`;
  const discounts = order.applications.map(({ name }, index) => {
    const own = [...order.lines, ...order.shipping].map(({ allocations }) =>
      discountOf({ allocations: allocations.filter(({ application }) => application === index) }),
    );
    return row(
      html`${say('Discount')} <b>${name}</b>`,
      -own.reduce((sum, minor) => sum + minor, 0),
      'discount',
    );
  });
  const taxes = totals.taxes.map(({ title, minor }) => `${title} ${moneyOf(store, minor)}`);
  return html`<dl class="totals">
${row(say('Subtotal'), totals.linesMinor)}${row(say('Shipping'), totals.shippingMinor)}${discounts}${
  !order.taxesIncluded && row(say('Tax'), totals.taxMinor)
}${row('Total', totals.totalMinor, 'total')}</dl>
${order.taxesIncluded && totals.taxMinor > 0 && html`<p class="note">${say('Includes')} ${taxes.join(', ')}.</p>`}`;
}

/** Logging in means choosing a customer. `next`: the page that asked for it. */
export function renderAccount({ store, loyalty }: Shop, visit: Visit, next: string): Html {
  const customer = customerOf(store, visit);
  if (!customer) {
    return html`<h1>${say('Log in')}</h1>
<p class="lead">${say('Choose who you are. All customers are invented.')}</p>
${renderChoice(store, undefined, next)}`;
  }
  return html`<h1>${say('{}’s account', nameOf(customer))}</h1>
<div class="account">
${renderWidget(store, visit, { show: 'balance rewards' })}
<div>
${renderOrders(store, visit)}
<section class="summary">
<h2>${say('Who you are')}</h2>
<dl class="ids">
<div><dt>${say('Customer id')}</dt><dd><code>${customer.id}</code></dd></div>
<div><dt>${say('E-mail')}</dt><dd>${customer.email ?? say('none')}</dd></div>
</dl>
<p class="links"><a href="${store.address}/#customer-${customer.id}">${say('In the store')}</a> <a href="${loyalty.address}/state#customer-${customer.id}">${say('In the loyalty service')}</a></p>
${renderChoice(store, customer, next)}
</section>
</div>
</div>`;
}

const nameOf = ({ firstName, lastName, id }: CustomerRow): string =>
  [firstName, lastName].filter(Boolean).join(' ') || id;

function renderChoice({ rows }: ShopStore, current: CustomerRow | undefined, next: string): Html {
  return html`<form method="post" action="/account" class="choice">
<input type="hidden" name="next" value="${next}">
<label>${say('Customer')} <select name="customerId">
${current && html`<option value="">${say('None (log out)')}</option>\n`}${[
  ...rows.customers.values(),
].map(
  (one) =>
    html`<option value="${one.id}"${one.id === current?.id && html` selected`}>${nameOf(one)}</option>`,
)}
</select></label>
<button class="${current ? 'plain' : 'primary'}">${say('Log in as this customer')}</button>
</form>`;
}

const MOST_ORDERS = 10;

function renderOrders(store: ShopStore, visit: Visit): Html {
  const orders = ordersOf(store, visit).slice(0, MOST_ORDERS);
  return html`<section>
<h2>${say('Your orders')}</h2>
${
  orders.length === 0
    ? html`<p class="empty">${say('None yet.')} <a href="/">${say('See the products')}</a></p>`
    : html`<ul class="orders">${orders.map(
        (order) =>
          html`<li><a href="/orders/${order.id}">${say('Order')} #${order.number}</a> <time>${date(order.createdAt)}</time> <span class="amount">${moneyOf(store, orderTotals(order).totalMinor)}</span></li>\n`,
      )}</ul>`
}
</section>`;
}
