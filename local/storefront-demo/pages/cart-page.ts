import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { discountOf } from '../../store-sandbox/model/line-amounts.ts';
import type { OrderRow } from '../../store-sandbox/model/order-row.ts';
import { type OrderTotals, orderTotals } from '../../store-sandbox/model/order-totals.ts';
import type { Quote } from '../../store-sandbox/model/place-order.ts';
import { type CartLine, cartOf, customerOf, moneyOf, quoteOf, type ShopStore } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderWidget } from './layout.ts';
import { renderPicture } from './pictures.ts';

export function renderCart(store: ShopStore, visit: Visit): Html {
  const lines = cartOf(store, visit);
  const quote = quoteOf(store, visit);
  if (!quote) {
    return html`<h1>Cart</h1>
<p class="empty">Your cart is empty.</p>
<p><a class="button" href="/">See the products</a></p>`;
  }
  return html`<h1>Cart</h1>
<div class="cart">
<ul class="lines">
${lines.map((line) => renderLine(store, line))}
</ul>
<form class="summary" method="post" action="/cart/order" aria-label="Order">
<h2>Summary</h2>
${renderCode(visit, quote)}
${renderTotals(store, quote.order, quote.totals)}
<input type="hidden" name="total" value="${quote.totals.totalMinor}">
<button class="primary">Place order</button>
<p class="note">${
    customerOf(store, visit)
      ? 'The order is paid and sent at once, so that you see its points arrive.'
      : html`You are not logged in, so this order earns no points. <a href="/account">Log in</a>`
  }</p>
</form>
</div>
${renderWidget(store, visit, { isCart: true, show: 'earned rewards' })}`;
}

function renderLine(store: ShopStore, { product, variant, quantity }: CartLine): Html {
  const isOnly = product.variants.length === 1;
  const name = isOnly ? product.title : `${product.title}, ${variant.title}`;
  const set = (to: number, label: string, sign: string) =>
    html`<button name="quantity" value="${to}" aria-label="${label}: ${name}">${sign}</button>`;
  return html`<li>
<a class="thumb" href="/products/${product.handle}" tabindex="-1" aria-hidden="true">${renderPicture(product)}</a>
<div class="what"><a href="/products/${product.handle}">${product.title}</a>
<span class="note">${!isOnly && `${variant.title} · `}${moneyOf(store, variant.priceMinor)} each</span></div>
<form method="post" action="/cart/set" class="quantity">
<input type="hidden" name="variantId" value="${variant.id}">
${set(quantity - 1, 'One less', '−')}
<span aria-label="Quantity">${quantity}</span>
${set(quantity + 1, 'One more', '+')}
<button name="quantity" value="0" class="quiet" aria-label="Remove: ${name}">Remove</button>
</form>
<span class="amount">${moneyOf(store, variant.priceMinor * quantity)}</span>
</li>\n`;
}

/** Apply is the first button of the form, so that Enter in the field applies the code. */
function renderCode({ code }: Visit, { order, refusedCodes: [refused] }: Quote): Html {
  const [applied] = order.applications;
  if (applied) {
    return html`<p class="applied"><input type="hidden" name="code" value="${applied.name}">
<span>Code <b>${applied.name}</b> is applied.</span>
<button class="quiet" formaction="/cart/code" name="code" value="">Remove code</button></p>`;
  }
  return html`<div class="code">
<label for="code">Discount code</label>
<div><input id="code" name="code" value="${code}" autocomplete="off" autocapitalize="characters" spellcheck="false"${
    refused && html` aria-invalid="true" aria-describedby="code-problem"`
  }>
<button formaction="/cart/code">Apply</button></div>
${refused && html`<p class="problem" id="code-problem" role="alert">${refused.why}</p>`}
</div>`;
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
      html`Discount <b>${name}</b>`,
      -own.reduce((sum, minor) => sum + minor, 0),
      'discount',
    );
  });
  const taxes = totals.taxes.map(({ title, minor }) => `${title} ${moneyOf(store, minor)}`);
  return html`<dl class="totals">
${row('Subtotal', totals.linesMinor)}${row('Shipping', totals.shippingMinor)}${discounts}${
  !order.taxesIncluded && row('Tax', totals.taxMinor)
}${row('Total', totals.totalMinor, 'total')}</dl>
${order.taxesIncluded && totals.taxMinor > 0 && html`<p class="note">Includes ${taxes.join(', ')}.</p>`}`;
}
