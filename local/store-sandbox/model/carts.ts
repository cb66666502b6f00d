import type * as v from 'valibot';
import { minorDigits } from '../../../shared/store/money.ts';
import type { Random } from '../../sandbox-kit/seeded-random.ts';
import type { Table } from '../../sandbox-kit/tables.ts';
import { discountStatus } from './discounts.ts';
import type { orderDraft } from './inputs.ts';
import { formatMinor } from './minor-units.ts';
import type { StoreRows } from './rows.ts';

type OrderInput = v.InferInput<typeof orderDraft>;

/** A random order with products, customers and codes of the store. */
export type Cart = (rows: StoreRows, draw: Random, now: Date) => OrderInput;

/** Long enough for the message of the order to be compressed. */
const LONG_NOTE = 'Zqzq would like it left with the neighbours. '.repeat(60);

/** A typical cart. No product is in two lines. */
export const usualCart: Cart = (rows, draw, now) => {
  const code = draw() < 0.3 ? pick(usableCodes(rows, now), draw) : undefined;
  const cart = cartWithoutCode(rows, draw, now);
  return { ...cart, ...(code !== undefined && { discounts: [{ code }] }) };
};

/** For stores that change their coupons: the loyalty service refuses to change a used coupon. */
export const cartWithoutCode: Cart = (rows, draw) => {
  const products = [...rows.products.values()];
  const onSale = products.filter(({ status }) => status === 'active');
  const shelf = onSale.length > 0 ? onSale : products;
  const chosen = new Set(Array.from({ length: 1 + below(3, draw) }, () => pick(shelf, draw)));
  const customer = draw() < 0.92 ? pickRow(rows.customers, draw) : undefined;
  return {
    lines: [...chosen].map((product) => ({
      variantId: pick(product?.variants ?? [], draw)?.id,
      quantity: 1 + below(3, draw),
    })),
    customerId: customer?.id ?? null,
    shipping: draw() < 0.5 ? [] : [{ price: pick(['4.90', '8'], draw) ?? 0 }],
    payment: draw() < 0.6 ? 'paid' : 'none',
    card: { company: pick(['Visa', 'Mastercard', 'American Express'], draw) ?? '' },
    test: draw() < 0.03,
    note: draw() < 0.1 ? LONG_NOTE : null,
  };
};

/** A code may still need a larger cart or another customer; then the store refuses the order. */
function usableCodes(rows: StoreRows, now: Date): string[] {
  return [...rows.codes.values()].flatMap(({ code, discountId }) => {
    const discount = rows.discounts.get(discountId);
    const isPriced = discount && discount.kind !== 'app' && discount.kind !== 'bxgy';
    const isUsable = isPriced && discountStatus(discount, now) === 'ACTIVE';
    return isUsable ? [code] : [];
  });
}

/** The customer's currencies: with 0, 2 and 3 decimals, and with rates above and below 1. */
const FOREIGN = [
  { currency: 'JPY', rate: 161.37 },
  { currency: 'USD', rate: 1.0837 },
  { currency: 'USD', rate: 0.2 },
  { currency: 'KWD', rate: 0.3317 },
  { currency: 'CLP', rate: 0.0097 },
] as const;

/** Every combination of what an order can have, for tests of laws that hold for all orders. */
export const anyCart: Cart = (rows, draw) => {
  // The lowest numbers give the simplest order, because property tests shrink towards them.
  const oneOf = (n: number) => below(n, draw) === n - 1;
  const cents = () => below(10_000, draw) / 100;
  const variants = [...rows.products.values()].flatMap((product) => product.variants);
  const lines = Array.from({ length: 1 + below(4, draw) }, () => {
    const quantity = 1 + below(5, draw);
    return oneOf(4)
      ? { title: 'Gift wrapping', price: cents(), quantity, giftCard: oneOf(5) }
      : { variantId: pick(variants, draw)?.id, quantity };
  });
  const [location] = rows.locations.values();
  const [staff] = rows.staff.values();
  return {
    lines,
    discounts: [
      ...(oneOf(3) ? [{ code: 'WELCOME10' }] : []),
      ...(oneOf(3) ? [{ title: 'Kindness', amount: cents() }] : []),
      ...(oneOf(3) ? [{ title: 'Season', automatic: true, percentage: cents() }] : []),
      ...(oneOf(4)
        ? [{ code: 'EACH', amount: below(1_000, draw) / 100, each: true, lines: [0] }]
        : []),
      ...(oneOf(3) ? [{ code: 'SHIPFREE' }] : []),
      ...(oneOf(5) ? [{ title: 'Cheaper shipping', percentage: 33, shipping: true }] : []),
    ],
    customerId: oneOf(5) ? null : (pickRow(rows.customers, draw)?.id ?? null),
    taxesIncluded: oneOf(2),
    ...(oneOf(3) && {
      taxes: [
        { title: 'State', rate: 0.0725 },
        { title: 'City', rate: below(10_000, draw) / 100_000 },
      ],
    }),
    shipping: oneOf(4) ? [] : [{ price: cents() }, ...(oneOf(7) ? [{ price: 3 }] : [])],
    ...(oneOf(3) && { tip: cents() }),
    ...(oneOf(5) && { duties: cents() }),
    ...(oneOf(4) && location && { pos: { locationId: location.id, staffId: staff?.id } }),
    ...(oneOf(3) && { presentment: pick(FOREIGN, draw) }),
    payment: pick(['none', 'authorized', 'paid'] as const, draw) ?? 'none',
  };
};

/** Orders whose amounts are hard to get right, in a shop of this currency. */
export const variedCart =
  (currency: string): Cart =>
  (rows, draw) => {
    // The lowest numbers give the simplest order, because property tests shrink towards them.
    const oneOf = (n: number) => below(n, draw) === n - 1;
    const upTo = (minor: number) => formatMinor(1 + below(minor, draw), minorDigits(currency));
    const variants = [...rows.products.values()].flatMap((product) => product.variants);
    const lines = Array.from({ length: 1 + below(3, draw) }, () => {
      const quantity = 1 + below(3, draw);
      return oneOf(2)
        ? { title: 'Made to order', price: upTo(20_000), quantity, giftCard: oneOf(8) }
        : { variantId: pick(variants, draw)?.id, quantity };
    });
    const presentment = oneOf(2) ? pick(FOREIGN, draw) : undefined;
    const taxes = [
      [],
      [{ title: 'VAT', rate: 0.2 }],
      [
        { title: 'State', rate: 0.0725 },
        { title: 'City', rate: 0.0311 },
      ],
    ];
    return {
      lines,
      discounts: [
        ...(oneOf(3) ? [{ title: 'Kindness', amount: upTo(3_000) }] : []),
        ...(oneOf(4) ? [{ title: 'Season', automatic: true, percentage: 33.3333 }] : []),
      ],
      customerId: pickRow(rows.customers, draw)?.id ?? null,
      taxesIncluded: oneOf(2),
      taxes: pick(taxes, draw) ?? [],
      shipping: oneOf(2) ? [{ price: upTo(3_000) }] : [],
      ...(oneOf(4) && { tip: upTo(500) }),
      ...(oneOf(5) && { duties: upTo(500) }),
      ...(presentment && presentment.currency !== currency && { presentment }),
      payment: pick(['paid', 'paid', 'authorized', 'none'] as const, draw) ?? 'paid',
    };
  };

/** A random whole number, at least 0 and below the limit. */
export const below = (limit: number, draw: Random): number => Math.floor(draw() * limit);

export const pick = <T>(items: readonly T[], draw: Random): T | undefined =>
  items[below(items.length, draw)];

export function pickRow<Row>(table: Table<Row>, draw: Random): Row | undefined {
  let left = below(table.size, draw);
  for (const row of table.values()) {
    if (left === 0) return row;
    left -= 1;
  }
  return undefined;
}
