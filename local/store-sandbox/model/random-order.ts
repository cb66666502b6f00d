import * as v from 'valibot';
import { discountStatus } from './discount-status.ts';
import { orderDraft } from './order-inputs.ts';
import type { OrderRow } from './order-row.ts';
import { placeOrder } from './place-order.ts';
import { type Outcome, refused, type World } from './world.ts';

const cards = ['Visa', 'Mastercard', 'American Express'];

/** For the button on the page: products, customer, discount and payment drawn from the store. */
export function placeRandomOrder(world: World): Outcome<OrderRow> {
  const { rows, random } = world;
  const pick = <T>(items: readonly T[]): T | undefined =>
    items[Math.floor(random() * items.length)];
  const variants = [...rows.products.values()]
    .filter(({ status }) => status === 'active')
    .flatMap((product) => product.variants);
  if (variants.length === 0) return refused('There is no active product to buy.');
  const lines = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    variantId: pick(variants)?.id,
    quantity: 1 + Math.floor(random() * 3),
  }));
  const usable = [...rows.codes.values()].filter(({ discountId }) => {
    const discount = rows.discounts.get(discountId);
    return (
      discount && discount.kind !== 'app' && discountStatus(discount, world.now()) === 'ACTIVE'
    );
  });
  const code = random() < 0.4 ? pick(usable)?.code : undefined;
  const customer = random() < 0.85 ? pick([...rows.customers.values()]) : undefined;
  const cart = {
    lines,
    customerId: customer?.id ?? null,
    shipping: [{ price: pick(['5', '0', '8']) }],
    payment: random() < 0.6 ? 'paid' : 'none',
    card: { company: pick(cards) ?? 'Visa', methodName: 'Card' },
  };
  const place = (given: object) => placeOrder(world, v.parse(orderDraft, { ...cart, ...given }));
  const placed = place(code ? { discounts: [{ code }] } : {});
  // The code may ask for a larger cart or be another customer's: a shopper then buys without it.
  return placed.kind === 'refused' && code ? place({}) : placed;
}
