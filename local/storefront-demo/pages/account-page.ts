import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { orderTotals } from '../../store-sandbox/model/order-totals.ts';
import type { CustomerRow } from '../../store-sandbox/model/rows.ts';
import { customerOf, moneyOf, ordersOf, type Shop, type ShopStore } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderWidget } from './layout.ts';

/** Logging in means choosing a customer. `next`: the page that asked for it. */
export function renderAccount({ store, loyalty }: Shop, visit: Visit, next: string): Html {
  const customer = customerOf(store, visit);
  if (!customer) {
    return html`<h1>Log in</h1>
<p class="lead">Choose who you are. All of them are invented.</p>
${renderChoice(store, undefined, next)}`;
  }
  return html`<h1>Account of ${nameOf(customer)}</h1>
<div class="account">
${renderWidget(store, visit, { show: 'balance rewards quizzes' })}
<div>
${renderOrders(store, visit)}
<section class="summary">
<h2>Who you are</h2>
<dl class="ids">
<div><dt>Customer id</dt><dd><code>${customer.id}</code></dd></div>
<div><dt>E-mail</dt><dd>${customer.email ?? 'none'}</dd></div>
</dl>
<p class="links"><a href="${store.address}/#customer-${customer.id}">In the store</a> <a href="${loyalty.address}/state#customer-${customer.id}">In the loyalty service</a></p>
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
<label>Customer <select name="customerId">
${current && html`<option value="">None (log out)</option>\n`}${[...rows.customers.values()].map(
  (one) =>
    html`<option value="${one.id}"${one.id === current?.id && html` selected`}>${nameOf(one)}</option>`,
)}
</select></label>
<button class="${current ? 'plain' : 'primary'}">Log in as this customer</button>
</form>`;
}

const MOST_ORDERS = 10;

function renderOrders(store: ShopStore, visit: Visit): Html {
  const orders = ordersOf(store, visit).slice(0, MOST_ORDERS);
  return html`<section>
<h2>Your orders</h2>
${
  orders.length === 0
    ? html`<p class="empty">None yet. <a href="/">See the products</a></p>`
    : html`<ul class="orders">${orders.map(
        (order) =>
          html`<li><a href="/orders/${order.id}">Order #${order.number}</a> <time>${order.createdAt.slice(0, 10)}</time> <span class="amount">${moneyOf(store, orderTotals(order).totalMinor)}</span></li>\n`,
      )}</ul>`
}
</section>`;
}
