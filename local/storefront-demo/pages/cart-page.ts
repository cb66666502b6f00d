import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import { cartOf, priceOf, type ShopStore } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderWidget } from './layout.ts';

export function renderCart(store: ShopStore, visit: Visit): Html {
  const lines = cartOf(store, visit);
  if (lines.length === 0)
    return html`<h1>Cart</h1>\n<p>It is empty. <a href="/">See the products</a></p>`;
  const items = lines
    .map(
      ({ product, variant, quantity }) =>
        `${product.id}:${priceOf(store, variant.priceMinor)}:${quantity}`,
    )
    .join(',');
  return html`<h1>Cart</h1>
<table>
<thead><tr><th scope="col">Product</th><th scope="col">Pieces</th><th scope="col">Price</th></tr></thead>
<tbody>
${lines.map(
  ({ product, variant, quantity }) =>
    html`<tr><td>${product.title} (${variant.title})</td><td>${quantity}</td><td>${store.shop.currency} ${priceOf(store, variant.priceMinor * quantity)}</td></tr>`,
)}
</tbody>
</table>
<form method="post" action="/cart/order" class="buy">
<label>Discount code <input name="code" value="${visit.code}" autocomplete="off"></label>
<button>Place order</button>
</form>
${renderWidget(store, visit, { items, show: 'earned rewards' })}`;
}
