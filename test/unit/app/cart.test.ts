import { afterEach, describe, expect, it, vi } from 'vitest';
import { type NotUsed, type ShopifyPage, useInCart } from '../../../app/program/cart.ts';
import { sayUsed } from '../../../app/program/sentences.ts';
import { createWords } from '../../../app/program/words.ts';

interface Cart {
  count: number;
  /** By code: whether it is applicable. */
  codes: Record<string, boolean>;
  total: number;
}

interface Refusal {
  /** Why the store does not take the code; it then stays in the cart and takes nothing off. */
  readonly warnings: readonly string[];
}

const cartOf = (codes: Record<string, boolean> = {}, count = 1): Cart => ({
  ...{ count, codes, total: 100 },
});

/** A store that replaces the codes of its cart by those sent: 10 comes off for the code `OURS`. */
function change(cart: Cart, sent: readonly string[], refusal: Refusal | undefined): void {
  const isTaken = (code: string) => code !== 'OURS' || refusal === undefined;
  cart.total = sent.includes('OURS') && !refusal ? 90 : 100;
  cart.codes = Object.fromEntries(sent.map((code) => [code, isTaken(code)]));
}

const listOf = ({ codes }: Cart) =>
  Object.entries(codes).map(([code, applicable]) => ({ code, applicable }));

type Way = (cart: Cart, refusal?: Refusal) => { readonly page: ShopifyPage | undefined };

const ways: Readonly<Record<string, Way>> = {
  'Shopify.actions': (cart, refusal) => {
    const result = (warnings: readonly string[] = []) => ({
      cart:
        cart.count === 0
          ? null
          : {
              totalQuantity: cart.count,
              cost: { totalAmount: { amount: cart.total.toFixed(2), currencyCode: 'USD' } },
              discountCodes: listOf(cart),
            },
      warnings: warnings.map((code) => ({ code })),
    });
    return {
      page: {
        actions: {
          getCart: async () => result(),
          updateCart: async ({ discountCodes }) => {
            change(cart, discountCodes, refusal);
            return result(refusal?.warnings);
          },
        },
      },
    };
  },
  'the Cart API': (cart, refusal) => {
    vi.stubGlobal('fetch', async (address: string, { body }: RequestInit) => {
      expect(address).toBe(body === undefined ? '/es/cart.js' : '/es/cart/update.js');
      if (body !== undefined) change(cart, JSON.parse(String(body)).discount.split(','), refusal);
      return Response.json({
        ...{ item_count: cart.count, total_price: cart.total * 100, currency: 'USD' },
        discount_codes: listOf(cart),
      });
    });
    return { page: { routes: { root: '/es/' } } };
  },
};

afterEach(() => vi.unstubAllGlobals());

describe.each(Object.entries(ways))('a code that is used through %s', (_, open) => {
  it('comes beside the codes that the cart has, and the result says what came off', async () => {
    const cart = cartOf({ SPRING: true, STALE: false });
    expect(await useInCart('OURS', open(cart).page)).toEqual({
      ...{ kind: 'used', off: 10, currency: 'USD' },
    });
    // One that gives nothing is not sent again.
    expect(cart.codes).toEqual({ SPRING: true, OURS: true });
  });

  it('is sent once where the cart has it already, in any case of letters', async () => {
    const cart = cartOf({ ours: true });
    cart.total = 90;
    expect(await useInCart('OURS', open(cart).page)).toMatchObject({ kind: 'used', off: 0 });
    expect(cart.codes).toEqual({ OURS: true });
  });

  it('is not sent to an empty cart', async () => {
    const cart = cartOf({}, 0);
    const used = await useInCart('OURS', open(cart).page);
    expect(used).toEqual({ kind: 'not-used', why: 'empty-cart' });
    expect(cart.codes).toEqual({});
  });
});

it.each([
  ['is refused', Response.json({ item_count: 1, total_price: 1 }, { status: 429 })],
  ['does not show its codes', Response.json({ item_count: 1, total_price: 1 })],
])('writes nothing where the cart %s: its other codes would go', async (_, answer) => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(address);
    return answer;
  });
  expect(await useInCart('OURS', {})).toEqual({ kind: 'not-used', why: 'network' });
  expect(asked).toEqual(['/cart.js']);
});

it.each<[string, boolean, NotUsed]>([
  ['DISCOUNT_PURCHASE_NOT_IN_RANGE', false, 'below-minimum'],
  ['DISCOUNT_QUANTITY_NOT_IN_RANGE', false, 'below-minimum'],
  ['DISCOUNT_NO_ENTITLED_LINE_ITEMS', false, 'product-missing'],
  ['DISCOUNT_CUSTOMER_NOT_ELIGIBLE', false, 'other-customer'],
  ['DISCOUNT_ELIGIBLE_CUSTOMER_MISSING', false, 'not-logged-in'],
  ['DISCOUNT_CUSTOMER_USAGE_LIMIT_REACHED', false, 'already-used'],
  ['DISCOUNT_USAGE_LIMIT_REACHED', false, 'already-used'],
  ['DISCOUNT_NOT_FOUND', false, 'code-gone'],
  ['DISCOUNT_CURRENTLY_INACTIVE', false, 'code-gone'],
  ['DISCOUNT_CODE_NOT_HONOURED', true, 'not-cumulative'],
  ['DISCOUNT_CODE_NOT_HONOURED', false, 'cart-conditions'],
  ['DISCOUNT_INCOMPATIBLE_PURCHASE_TYPE', false, 'cart-conditions'],
  ['DISCOUNT_NO_ENTITLED_SHIPPING_LINES', false, 'cart-conditions'],
  ['MERCHANDISE_NOT_ENOUGH_STOCK', true, 'cart-conditions'],
])(
  'a warning %s (beside another code: %s) is said in plain words',
  async (warning, beside, why) => {
    const cart = cartOf(beside ? { SPRING: true } : {});
    const page = ways['Shopify.actions']?.(cart, { warnings: [warning] }).page;
    const used = await useInCart('OURS', page);
    expect(used).toEqual({ kind: 'not-used', why });
    const said = ['en', 'es', 'pt-BR'].map((locale) => {
      const words = createWords(locale, 'EUR');
      const sentence = sayUsed(used, words, () => words);
      expect(sentence).not.toBe(words.strings.why.technical);
      return sentence;
    });
    expect(new Set(said).size).toBe(3);
  },
);

it('a refusal without a reason, as the Cart API gives it, names what it may be', async () => {
  const used = await useInCart('OURS', ways['the Cart API']?.(cartOf(), { warnings: [] }).page);
  expect(used).toEqual({ kind: 'not-used', why: 'cart-conditions' });
});

it.each([
  ['rejects', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['answers with a page', async () => new Response('<!doctype html>')],
])('a cart that %s leaves the code unused, with a sentence', async (_, fetch) => {
  vi.stubGlobal('fetch', fetch);
  expect(await useInCart('OURS', undefined)).toEqual({ kind: 'not-used', why: 'network' });
});

it('what came off is in the currency of the cart, which need not be that of the program', () => {
  const words = createWords('en', 'EUR');
  const say = (off: number) =>
    sayUsed({ kind: 'used', off, currency: 'USD' }, words, (one) => createWords('en', one));
  expect(say(10)).toBe('$10.00 came off your cart.');
  // Free shipping shows at the checkout only.
  expect(say(0)).toBe('It is in your cart.');
});
