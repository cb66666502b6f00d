import { acceptedCodes, cartOf, creditOf, draftOf, quoteOf, type ShopStore } from './shop.ts';
import type { Visit } from './visit.ts';

/** A form of the shop: its effect on the visit, and the next page (undefined means the same page). */
type Form = (
  store: ShopStore,
  visit: Visit,
  form: URLSearchParams,
) => { readonly visit: Visit; readonly to?: string };

const MAX_QUANTITY = 99;

export const forms: Readonly<Record<string, Form>> = {
  '/account': ({ rows }, visit, form) => {
    const id = form.get('customerId') ?? '';
    // The next customer must not get the cart and the codes of the last one.
    const { customerId: _, ...visitor } = { ...visit, cart: [], codes: [] };
    const to = accountPage(form.get('next'));
    return { visit: rows.customers.get(id) ? { ...visitor, customerId: id } : visitor, to };
  },
  '/language': (_store, visit, form) => {
    const locale = form.get('locale');
    const isKnown = locale === 'en' || locale === 'pt-BR' || locale === 'es';
    return { visit: isKnown ? { ...visit, locale } : visit };
  },
  '/cart/add': (store, visit, form) => {
    const variantId = form.get('variantId') ?? '';
    const before = visit.cart.find((line) => line.variantId === variantId)?.quantity ?? 0;
    const added = setQuantity(store, visit, variantId, before + quantityIn(form, 1));
    return { visit: added, to: '/cart' };
  },
  '/cart/set': (store, visit, form) => ({
    visit: setQuantity(store, visit, form.get('variantId') ?? '', quantityIn(form, 0)),
    to: '/cart',
  }),
  '/cart/code': (store, visit, form) => ({ visit: withCode(store, visit, form), to: '/cart' }),
  '/cart/order': (store, visit, form) => placeOrder(store, withCode(store, visit, form), form),
};

/** Only pages of the account ask for a login; another address could leave the shop. */
export const accountPage = (path: string | null): string =>
  path?.startsWith('/account/') ? path : '/account';

/** The codes that the store accepts, with the one that was typed, without the one that is to be removed. */
function withCode(store: ShopStore, visit: Visit, form: URLSearchParams): Visit {
  const typed = (form.get('code') ?? '').trim();
  const removed = form.get('remove');
  const kept = acceptedCodes(store, visit).filter((code) => code !== removed);
  const isNew = typed !== '' && !kept.includes(typed);
  return { ...visit, codes: isNew ? [...kept, typed] : kept };
}

function quantityIn(form: URLSearchParams, otherwise: number): number {
  const quantity = Number(form.get('quantity') ?? otherwise);
  return Number.isInteger(quantity) && quantity >= 0 ? quantity : otherwise;
}

/** Keeps the place of the line. A quantity of 0 removes it, and so does a variant that is not sold. */
function setQuantity(store: ShopStore, visit: Visit, variantId: string, quantity: number): Visit {
  const line = { variantId, quantity: Math.min(quantity, MAX_QUANTITY) };
  const isNew = !visit.cart.some((one) => one.variantId === variantId);
  const lines = visit.cart.map((one) => (one.variantId === variantId ? line : one));
  const sold = cartOf(store, { cart: isNew ? [...lines, line] : lines });
  const kept = sold.filter((one) => one.quantity > 0);
  return {
    ...visit,
    cart: kept.map(({ variant, ...one }) => ({ variantId: variant.id, quantity: one.quantity })),
    codes: kept.length === 0 ? [] : visit.codes,
  };
}

/**
 * Places the order for the total that the page showed, never for another one. It is paid and fulfilled at
 * once, because it earns points when it is fulfilled.
 */
function placeOrder(store: ShopStore, visit: Visit, form: URLSearchParams): ReturnType<Form> {
  const draft = draftOf(store, visit);
  const quote = quoteOf(store, visit);
  // The cart shows why.
  if (!draft || !quote || quote.refusedCodes.length > 0) return { visit, to: '/cart' };
  if (String(quote.totals.totalMinor) !== form.get('total')) {
    return { visit: { ...visit, message: 'The total has changed. Please check it.' }, to: '/cart' };
  }
  const storeCredit = form.get('credit') === 'all' && creditOf(store, visit) > 0;
  const order = store.actions.placeOrder({ ...draft, ...(storeCredit && { storeCredit: 'all' }) });
  store.actions.fulfilOrder({ orderId: order.id });
  return { visit: { ...visit, cart: [], codes: [] }, to: `/orders/${order.id}` };
}
