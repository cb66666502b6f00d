import { type Answer, jsonAnswer } from '../sandbox-kit/http/server.ts';
import { acceptedCodes, cartOf, priceOf, quoteOf, type ShopStore } from './shop.ts';
import { type Visit, visitCookie } from './visit.ts';

/** Links to it come from account pages and e-mails. Only pages of the shop: another address could leave it. */
const DISCOUNT_LINK = /^\/discount\/([^/]+)$/;

/**
 * What every store has of a cart, beside its pages: the Cart API (`cart.js`, `cart/update.js`), links that apply a code,
 * and what `Shopify.actions` asks the Storefront API. Undefined when the path is none of theirs.
 */
export function answerCart(
  {
    method,
    path,
    query,
    body,
  }: {
    readonly method: string;
    readonly path: string;
    readonly query: URLSearchParams;
    readonly body: Buffer;
  },
  visit: Visit,
  store: ShopStore,
): Answer | undefined {
  const [, linked] = DISCOUNT_LINK.exec(path) ?? [];
  if (linked !== undefined) {
    const codes = [...acceptedCodes(store, visit), decodeURIComponent(linked)];
    const to = query.get('redirect') ?? '/';
    const location = /^\/(?!\/)/.test(to) ? to : '/';
    const cookie = visitCookie({ ...visit, codes: [...new Set(codes)] });
    return { status: 302, headers: { location, 'set-cookie': cookie }, body: '' };
  }
  const read = CARTS.get(path);
  if (!read) return undefined;
  const sent = method === 'POST' ? codesIn(body) : undefined;
  const next = sent ? { ...visit, codes: [...new Set(sent)] } : visit;
  const answer = jsonAnswer(200, read(store, next));
  return { ...answer, headers: { ...answer.headers, 'set-cookie': visitCookie(next) } };
}

const CARTS = new Map<string, (store: ShopStore, visit: Visit) => object>([
  ['/cart.js', cartOfApi],
  ['/cart/update.js', cartOfApi],
  ['/cart/actions', cartOfActions],
]);

/** `discount: 'A,B'` of the Cart API, `discountCodes` of the actions: both are all that the cart shall have. */
function codesIn(body: Buffer): readonly string[] | undefined {
  const { discount, discountCodes } = JSON.parse(body.toString()) as {
    readonly discount?: string;
    readonly discountCodes?: readonly string[];
  };
  return discountCodes ?? discount?.split(',').filter(Boolean);
}

/** Shopify's page "Cart API reference": all prices are hundredths. */
function cartOfApi(store: ShopStore, visit: Visit) {
  const { lines, totalMinor, codes } = amountsOf(store, visit);
  const hundredths = (minor: number) => Math.round(Number(priceOf(store, minor)) * 100);
  return {
    item_count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    currency: store.shop.currency,
    items: lines.map(({ product, variant, quantity }) => ({
      product_id: Number(product.id),
      variant_id: Number(variant.id),
      final_price: hundredths(variant.priceMinor),
      quantity,
    })),
    items_subtotal_price: hundredths(
      lines.reduce((sum, { variant, quantity }) => sum + variant.priceMinor * quantity, 0),
    ),
    total_price: hundredths(totalMinor),
    discount_codes: codes.map(({ code, applicable }) => ({ code, applicable })),
  };
}

/** What `getCart` and `updateCart` resolve with (Shopify's pages of these names). */
function cartOfActions(store: ShopStore, visit: Visit) {
  const { lines, totalMinor, codes } = amountsOf(store, visit);
  const amount = priceOf(store, totalMinor);
  const cart = {
    id: 'gid://shopify/Cart/demo',
    totalQuantity: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    cost: { totalAmount: { amount, currencyCode: store.shop.currency } },
    discountCodes: codes.map(({ code, applicable }) => ({ code, applicable })),
  };
  const warnings = codes.flatMap(({ code, why, warning }) =>
    warning === undefined ? [] : [{ code: warning, message: why, target: code }],
  );
  return { cart: lines.length === 0 ? null : cart, userErrors: [], warnings };
}

function amountsOf(store: ShopStore, visit: Visit) {
  const lines = cartOf(store, visit);
  const quote = quoteOf(store, visit);
  const refused = new Map(quote?.refusedCodes.map((one) => [one.code, one]));
  return {
    lines,
    // Without shipping, which is known at the checkout.
    totalMinor: quote?.totals.subtotalMinor ?? 0,
    codes: visit.codes.map((code) => ({
      code,
      applicable: !refused.has(code),
      ...refused.get(code),
    })),
  };
}
