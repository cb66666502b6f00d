import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { ProductRow } from '../../store-sandbox/model/rows.ts';
import { priceOf, type ShopStore, shownProducts } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderWidget } from './layout.ts';

export function renderProducts(store: ShopStore): Html {
  return html`<h1>Products</h1>
<ul class="products">
${shownProducts(store).map(
  (product) =>
    html`<li><a href="/products/${product.handle}">${product.title}</a> <span>${store.shop.currency} ${priceOf(store, product.variants[0]?.priceMinor ?? 0)}</span></li>`,
)}
</ul>`;
}

export function renderProduct(store: ShopStore, visit: Visit, product: ProductRow): Html {
  const [first] = product.variants;
  const price = priceOf(store, first?.priceMinor ?? 0);
  return html`<h1>${product.title}</h1>
<p class="vendor">${product.vendor}</p>
<p class="price">${store.shop.currency} ${price}</p>
<form method="post" action="/cart/lines" class="buy">
<label>Variant <select name="variantId">${product.variants.map(
    ({ id, title }) => html`<option value="${id}">${title}</option>`,
  )}</select></label>
<button>Add to cart</button>
</form>
${renderWidget(store, visit, { product: { id: product.id, price } })}`;
}
