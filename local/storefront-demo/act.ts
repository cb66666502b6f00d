import { placeOrder } from './place-order.ts';
import { cartOf, type ShopStore } from './shop.ts';
import type { Visit } from './visit.ts';

/** A form of the shop: what it makes of the visit, and the page to go to. */
interface Act {
  readonly to: string | undefined;
  readonly run: (store: ShopStore, visit: Visit, form: URLSearchParams) => Visit;
}

const MOST_PIECES = 99;

export const acts: Readonly<Record<string, Act>> = {
  '/account': {
    to: '/account',
    run: ({ rows }, visit, form) => {
      const id = form.get('customerId') ?? '';
      // A cart and a code belong to whoever filled them in.
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
      const cart = [...others, { variantId, quantity: Math.min(before + 1, MOST_PIECES) }];
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
