import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { ProductRow } from '../../store-sandbox/model/rows.ts';
import { cartOf, customerOf, priceOf, type ShopStore, shownProducts } from '../shop.ts';
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

export function renderCart(store: ShopStore, visit: Visit): Html {
  const lines = cartOf(store, visit);
  if (lines.length === 0)
    return html`<h1>Cart</h1>\n<p>The cart is empty. <a href="/">See the products</a></p>`;
  return html`<h1>Cart</h1>
<table>
<thead><tr><th scope="col">Product</th><th scope="col">Quantity</th><th scope="col">Price</th></tr></thead>
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
${renderWidget(store, visit, { isCart: true, show: 'earned rewards' })}`;
}

/** Logging in means choosing a customer. */
export function renderAccount(store: ShopStore, visit: Visit): Html {
  const customer = customerOf(store, visit);
  const name = [customer?.firstName, customer?.lastName].filter(Boolean).join(' ');
  return html`<h1>${customer ? `Account of ${name}` : 'Log in'}</h1>
<form method="post" action="/account" class="buy">
<label>Customer <select name="customerId">
<option value="">None (logged out)</option>
${[...store.rows.customers.values()].map(
  ({ id, firstName, lastName }) =>
    html`<option value="${id}"${id === customer?.id && html` selected`}>${firstName} ${lastName}</option>`,
)}
</select></label>
<button>Log in as this customer</button>
</form>
${customer && renderWidget(store, visit, { show: 'balance rewards quizzes' })}`;
}
