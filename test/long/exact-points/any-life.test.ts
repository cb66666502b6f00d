import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineAmounts, sum } from '../../../local/store-sandbox/model/line-amounts.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/order-row.ts';
import { orderTotals } from '../../../local/store-sandbox/model/order-totals.ts';
import { openShops, type Shop } from '../../integration/exact-points/open-shops.ts';
import { standingOf, usualRules } from '../../support/order-law.ts';

const shops = openShops();
const GIFT_CARD = 'gift_card';

/** What is known of an order beyond its row in the store. */
interface Known {
  readonly id: string;
  wasComplete: boolean;
  isOver: boolean;
  /** In cents. */
  points: number;
}

/** Follows the order to where the store is now. Called only when all is at rest. */
function follow(known: Known, order: OrderRow): void {
  if (known.isOver) return;
  const standing = standingOf(order, usualRules);
  if (standing.kind === 'over') Object.assign(known, { isOver: true, points: 0 });
  if (standing.kind !== 'open') return;
  known.wasComplete ||= standing.isComplete;
  if (known.wasComplete) known.points = Number(standing.minor);
}

/** One thing that happens to an order; numbers from 0 to 9999 choose what. */
function step(shop: Shop, order: OrderRow, [what = 0, a = 0, b = 0]: readonly number[]): void {
  const { actions } = shop;
  const orderId = order.id;
  const kept = order.lines
    .map((line) => ({ lineId: line.id, quantity: lineAmounts(order, line).kept }))
    .filter(({ quantity }) => quantity > 0);
  const chosen = kept[a % Math.max(1, kept.length)];
  const piece = chosen && [{ lineId: chosen.lineId, quantity: 1 + (b % chosen.quantity) }];
  const { receivedMinor, refundedMinor } = orderTotals(order);
  const some = (receivedMinor - refundedMinor) / 100;
  const pending = (['balanced', 'paired', 'rise'] as const)[b % 3];
  const add = [{ title: `Addition ${a}`, price: (b % 5000) / 100 }];
  const choices = [
    () => piece && actions.refundOrder({ orderId, lines: piece }),
    () => piece && actions.refundOrder({ orderId, lines: piece }),
    () => actions.refundOrder({ orderId, amount: Math.floor(some * (b % 60)) / 100 }),
    () =>
      piece &&
      actions.refundOrder({ orderId, lines: piece, amount: Math.floor(some * (a % 60)) / 100 }),
    () => actions.refundOrder({ orderId, amount: Math.floor(some * (b % 30)) / 100, pending }),
    () => piece && actions.refundOrder({ orderId, lines: piece, pending }),
    () => actions.settleRefund({ orderId, outcome: b % 4 === 0 ? 'failure' : 'success' }),
    () => actions.refundOrder({ orderId, shipping: 'all' }),
    () => actions.editOrder({ orderId, add }),
    () => chosen && actions.editOrder({ orderId, set: [{ ...chosen, quantity: b % 4 }] }),
    () => chosen && actions.editOrder({ orderId, add, set: [{ ...chosen, quantity: 0 }] }),
    () => actions.tagOrder({ orderId, tags: [`tag-${a}`] }),
    () => actions.payOrder({ orderId }),
    () => b % 3 === 0 && actions.cancelOrder({ orderId }),
  ];
  try {
    choices[what % choices.length]?.();
  } catch {
    // The store refuses what is impossible, such as a second refund of the shipping.
  }
}

const anyNumbers = fc.array(fc.nat(9_999), { minLength: 5, maxLength: 5 });
const anyCart = fc.record({
  prices: fc.array(fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.integer({ min: 1, max: 4 })), {
    minLength: 1,
    maxLength: 3,
  }),
  taxesIncluded: fc.boolean(),
  rate: fc.constantFrom(0, 0.07, 0.2),
  percentage: fc.constantFrom(0, 10, 33.3333),
  shipping: fc.constantFrom(0, 7.5),
  presentment: fc.constantFrom(
    undefined,
    { currency: 'USD', rate: 0.2 },
    { currency: 'JPY', rate: 161.37 },
  ),
  /** The percentage of the whole that a gift card pays. */
  giftCard: fc.constantFrom(0, 0, 30, 100),
});

type Cart = typeof anyCart extends fc.Arbitrary<infer Value> ? Value : never;

function buy(shop: Shop, cart: Cart): string {
  const { taxesIncluded, rate, percentage, shipping, presentment } = cart;
  const goods = cart.prices.map(
    ([cents, quantity]) => [(cents / 100).toFixed(2), quantity] as const,
  );
  const order = shop.buy(goods, {
    taxesIncluded,
    ...(presentment && { presentment }),
    taxes: rate > 0 ? [{ title: 'VAT', rate }] : [],
    discounts: percentage > 0 ? [{ title: 'Off', percentage }] : [],
    shipping: shipping > 0 ? [{ price: shipping }] : [],
    payment: 'none',
  });
  const { outstandingMinor } = orderTotals(order);
  const cents = Math.floor((outstandingMinor * cart.giftCard) / 100);
  const byGiftCard = { orderId: order.id, amount: (cents / 100).toFixed(2), gateway: GIFT_CARD };
  if (cents > 0) shop.actions.payOrder(byGiftCard);
  if (cents < outstandingMinor) shop.actions.payOrder({ orderId: order.id });
  return order.id;
}

/**
 * Rounds of changes to several orders at once; all webhooks are doubled, delayed and shuffled. After each round the
 * points in the service are what the store says.
 */
test('in any life of orders the points are what the customer paid for the goods that they keep', async () => {
  const lives = fc.record({
    seed: fc.nat(1_000),
    carts: fc.array(anyCart, { minLength: 4, maxLength: 4 }),
    rounds: fc.array(fc.array(anyNumbers, { minLength: 1, maxLength: 8 }), {
      minLength: 4,
      maxLength: 6,
    }),
  });
  const property = fc.asyncProperty(lives, async ({ seed, carts, rounds }) => {
    const shop = await shops.open({
      seed,
      disorder: { shuffle: 5, duplicate: 0.3, delay: 0.3, longestDelayMs: 20 },
      assumptions: { raiseAfterPartialCancel: 'send-gross' },
    });
    const known: Known[] = carts.map((cart) => ({
      id: buy(shop, cart),
      wasComplete: false,
      isOver: false,
      points: 0,
    }));
    for (const [index, round] of rounds.entries()) {
      for (const [which = 0, pause = 0, ...numbers] of round) {
        const one = known[which % known.length];
        const order = one && shop.store.rows.orders.get(one.id);
        if (!order || one.isOver) continue;
        if (pause % 2 === 0) shop.later(pause % 90);
        step(shop, order, numbers);
      }
      await check(shop, known);
      // Completion is seen at rest: the last order is never shipped, the others one after another.
      const next = known[index];
      if (next && index < known.length - 1 && !next.isOver) {
        shop.later(30);
        try {
          shop.actions.fulfilOrder({ orderId: next.id });
        } catch {
          // Nothing is left to ship.
        }
        await check(shop, known);
      }
    }
    await shop.stop();
  });
  await fc.assert(property, { numRuns: 5, endOnFailure: true });
});

async function check(shop: Shop, known: readonly Known[]): Promise<void> {
  await shop.rest();
  for (const one of known) {
    const order = shop.store.rows.orders.get(one.id);
    if (order) follow(one, order);
    expect(shop.points(one), `order ${one.id}`).toBe(one.points / 100);
  }
  const all = sum(known.map(({ points }) => points));
  expect(Math.round(shop.balance() * 100)).toBe(all);
  expect(await shop.parked()).toBe(0);
}
