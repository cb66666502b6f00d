import { cartOf, customerOf, type ShopStore } from './shop.ts';
import type { Visit } from './visit.ts';

/** A form of the shop: its effect on the visit, and the next page (undefined: the same page). */
interface Form {
  readonly to: string | undefined;
  readonly run: (store: ShopStore, visit: Visit, form: URLSearchParams) => Visit;
}

const MAX_QUANTITY = 99;

export const forms: Readonly<Record<string, Form>> = {
  '/account': {
    to: '/account',
    run: ({ rows }, visit, form) => {
      const id = form.get('customerId') ?? '';
      // The next customer must not get the cart and the code of the last one.
      const { customerId: _, ...visitor } = { ...visit, cart: [], code: '' };
      return rows.customers.get(id) ? { ...visitor, customerId: id } : visitor;
    },
  },
  '/language': {
    to: undefined,
    run: (_store, visit, form) => {
      const locale = form.get('locale');
      return locale === 'en' || locale === 'pt-BR' || locale === 'es'
        ? { ...visit, locale }
        : visit;
    },
  },
  '/cart/lines': {
    to: '/cart',
    run: (store, visit, form) => {
      const variantId = form.get('variantId') ?? '';
      const others = visit.cart.filter((line) => line.variantId !== variantId);
      const before = visit.cart.find((line) => line.variantId === variantId)?.quantity ?? 0;
      const cart = [...others, { variantId, quantity: Math.min(before + 1, MAX_QUANTITY) }];
      const sold = cartOf(store, { ...visit, cart });
      return {
        ...visit,
        cart: sold.map(({ variant, quantity }) => ({ variantId: variant.id, quantity })),
      };
    },
  },
  '/cart/order': {
    to: '/cart',
    run: (store, visit, form) =>
      placeOrder(store, { ...visit, code: (form.get('code') ?? '').trim() }),
  },
};

/** The order is paid and fulfilled at once, because it earns points when it is fulfilled. */
function placeOrder(store: ShopStore, visit: Visit): Visit {
  const lines = cartOf(store, visit);
  if (lines.length === 0) return { ...visit, message: 'The cart is empty.' };
  const problem = visit.code === '' ? undefined : codeProblem(store, visit);
  if (problem !== undefined) return { ...visit, message: problem };
  const customer = customerOf(store, visit);
  const order = store.actions.placeOrder({
    lines: lines.map(({ variant, quantity }) => ({ variantId: variant.id, quantity })),
    shipping: [{ price: 4.9 }],
    payment: 'paid',
    ...(customer && { customerId: customer.id }),
    ...(visit.code !== '' && { discounts: [{ code: visit.code }] }),
  });
  store.actions.fulfilOrder({ orderId: order.id });
  const points = customer ? 'Its points arrive in a moment.' : 'A guest earns no points.';
  return {
    ...visit,
    cart: [],
    code: '',
    message: `Order ${order.number} is placed, paid and sent. ${points}`,
  };
}

/** Why the checkout would refuse the code. */
function codeProblem(store: ShopStore, visit: Visit): string | undefined {
  const { rows } = store;
  const row = rows.codes.get(visit.code.toLowerCase());
  const discount = row && rows.discounts.get(row.discountId);
  if (!row || !discount) return `There is no code ${visit.code}.`;
  const { context, usageLimit, minimumMinor, startsAt, endsAt } = discount;
  const now = Date.now();
  if (usageLimit !== null && row.used >= usageLimit)
    return `The code ${row.code} has already been used.`;
  if (Date.parse(startsAt) > now || (endsAt !== null && Date.parse(endsAt) <= now)) {
    return `The code ${row.code} is not valid now.`;
  }
  if (context.kind === 'customers' && !context.ids.includes(visit.customerId ?? '')) {
    return `The code ${row.code} is for another customer.`;
  }
  const subtotal = cartOf(store, visit).reduce(
    (sum, { variant, quantity }) => sum + variant.priceMinor * quantity,
    0,
  );
  return minimumMinor !== null && subtotal < minimumMinor
    ? `The code ${row.code} needs a larger order.`
    : undefined;
}
