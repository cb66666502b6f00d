import { describe, expect, it } from 'vitest';
import { forms } from '../../../local/storefront-demo/forms.ts';
import type { ShopStore } from '../../../local/storefront-demo/shop.ts';
import { paidItems, quoteOf } from '../../../local/storefront-demo/shop.ts';
import { readVisit, type Visit } from '../../../local/storefront-demo/visit.ts';
import { openStore } from '../store-sandbox/open-store.ts';

/** A shop and one visitor, who submits forms as the pages offer them. */
function openShop() {
  const one = openStore();
  const store = {
    rows: one.rows,
    shop: one.world.shop,
    actions: {
      quoteOrder: (draft: never) => one.do('quoteOrder', draft),
      placeOrder: (draft: never) => one.do('placeOrder', draft),
      fulfilOrder: (input: never) => one.do('fulfilOrder', input),
    },
  } as unknown as ShopStore;
  const [shirt, socks] = [...one.rows.products.values()].map(
    ({ variants }) => variants[0]?.id ?? '',
  );
  let visit: Visit = readVisit(undefined);
  return {
    shirt: shirt ?? '',
    socks: socks ?? '',
    orders: () => [...one.rows.orders.values()],
    items: () => paidItems(store, visit),
    total: () => String(quoteOf(store, visit)?.totals.totalMinor),
    submit(path: string, fields: Record<string, string>) {
      const next = forms[path]?.(store, visit, new URLSearchParams(fields));
      visit = next?.visit ?? visit;
      return { ...visit, to: next?.to };
    },
  };
}

describe('the forms of the shop', () => {
  it('add to a line, change its quantity in place, and remove it', () => {
    const { shirt, socks, submit } = openShop();
    submit('/cart/add', { variantId: shirt });
    submit('/cart/add', { variantId: socks, quantity: '2' });
    submit('/cart/add', { variantId: shirt, quantity: '3' });
    const lines = [
      { variantId: shirt, quantity: 4 },
      { variantId: socks, quantity: 2 },
    ];
    expect(submit('/cart/add', { variantId: 'unknown' }).cart).toEqual(lines);
    expect(submit('/cart/set', { variantId: shirt, quantity: '1' }).cart[0]?.quantity).toBe(1);
    expect(submit('/cart/set', { variantId: socks, quantity: '0' }).cart).toHaveLength(1);
    for (const quantity of ['-1', '1.5', 'many']) {
      expect(submit('/cart/set', { variantId: shirt, quantity }).cart).toEqual([]);
      submit('/cart/add', { variantId: shirt });
    }
    expect(submit('/cart/set', { variantId: shirt, quantity: '1000' }).cart[0]?.quantity).toBe(99);
  });

  it('place the order for the total that was shown, and for no other', () => {
    const { shirt, submit, orders, total } = openShop();
    submit('/cart/add', { variantId: shirt });
    const shown = total();
    expect(submit('/cart/order', { code: 'WELCOME10', total: shown })).toMatchObject({
      to: '/cart',
      code: 'WELCOME10',
      message: 'The total has changed. Please check it.',
    });
    expect(orders()).toEqual([]);
    const { to, cart, code } = submit('/cart/order', { code: 'WELCOME10', total: total() });
    expect(to).toBe(`/orders/${orders()[0]?.id}`);
    expect({ cart, code }).toEqual({ cart: [], code: '' });
    expect(orders()[0]?.applications).toMatchObject([{ name: 'WELCOME10' }]);
  });

  it('count the points of the cart by what is paid for it', () => {
    const { shirt, socks, submit, items } = openShop();
    expect(items()).toBe('');
    submit('/cart/add', { variantId: shirt });
    submit('/cart/add', { variantId: socks, quantity: '3' });
    expect(items()).toMatch(/^\d+:49:1,\d+:13:3$/);
    submit('/cart/code', { code: 'FIVEOFF' });
    expect(items()).toMatch(/^\d+:46.22:1,\d+:12.26:3$/);
    submit('/cart/code', { code: 'NOPE' });
    expect(items()).toMatch(/^\d+:49:1,\d+:13:3$/);
  });

  it('place no order with a code that the store refuses, nor with an empty cart', () => {
    const { shirt, submit, orders, total } = openShop();
    submit('/cart/add', { variantId: shirt });
    expect(submit('/cart/order', { code: 'NOPE', total: total() })).toMatchObject({
      to: '/cart',
      code: 'NOPE',
    });
    submit('/cart/set', { variantId: shirt, quantity: '0' });
    submit('/cart/order', { total: '0' });
    expect(orders()).toEqual([]);
  });
});
