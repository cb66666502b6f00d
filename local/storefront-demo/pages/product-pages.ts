import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { ProductRow } from '../../store-sandbox/model/rows.ts';
import { moneyOf, priceOf, type ShopStore, shownProducts } from '../shop.ts';
import type { Visit } from '../visit.ts';
import { renderWidget } from './layout.ts';
import { renderPicture } from './pictures.ts';

export function renderProducts(store: ShopStore): Html {
  const products = shownProducts(store);
  if (products.length === 0) {
    return html`<h1>Our products</h1>
<p class="empty">Nothing is for sale. <a href="${store.address}">Create a product in the store.</a></p>`;
  }
  return html`<h1>Our products</h1>
<p class="lead">Every order earns points. They become discounts on the next one.</p>
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
  return new Set(prices).size > 1 ? `from ${lowest}` : lowest;
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
    : html`<label>Variant <select name="variantId" id="variant">${product.variants.map(
        ({ id, title, priceMinor }) =>
          html`<option value="${id}" data-price="${priceOf(store, priceMinor)}" data-money="${moneyOf(store, priceMinor)}">${title}</option>`,
      )}</select></label>`
}
<label>Quantity <input name="quantity" type="number" min="1" max="99" value="1" inputmode="numeric" required></label>
<button class="primary">Add to cart</button>
</form>
</div>
</div>
${renderWidget(store, visit, { product: { id: product.id, price: priceOf(store, price) } })}`;
}
