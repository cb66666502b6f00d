import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCart, type Cart } from '../../../local/store-sandbox/model/carts.ts';
import { lineAmounts, sum } from '../../../local/store-sandbox/model/line-amounts.ts';
import { orderTotals } from '../../../local/store-sandbox/model/order-totals.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import type { Habits } from '../../../local/store-sandbox/model/store-life.ts';
import { moment } from '../../../local/store-sandbox/model/world.ts';
import { presentmentMinor } from '../../../local/store-sandbox/payloads/json-values.ts';
import { minorDigits } from '../../../shared/store/money.ts';
import { anyLife, live } from '../../support/any-store-life.ts';
import {
  type BookedAgreement,
  type BookedSale,
  openAdminApi,
  readBook,
} from '../../support/read-book.ts';
import { openStore } from '../../unit/store-sandbox/open-store.ts';

/** Everything that writes into the book. */
const weights: Habits['weights'] = {
  placeOrder: 3,
  payOrder: 6,
  payInCash: 1,
  payDeposit: 2,
  voidPayment: 1,
  fulfilOrder: 1,
  editOrder: 3,
  addLine: 2,
  discountLine: 3,
  removeShipping: 1,
  exchangeLine: 1,
  refundLine: 2,
  refundLineFor: 3,
  refundDuties: 1,
  refundShipping: 2,
  refundAmount: 2,
  refundLater: 5,
  settleRefund: 8,
  returnLine: 1,
  returnForExchange: 3,
  refundReturn: 2,
  cancelOrder: 1,
  changePrice: 1,
};

const cart: Cart = (rows, draw, now) => ({
  ...anyCart(rows, draw, now),
  ...(draw() > 0.7 && { additionalFee: Math.floor(draw() * 500) / 100 }),
});

const anyShop = fc.record({
  exchangeAgreement: fc.constantFrom('return' as const, 'order-edit' as const),
  sameSecondAgreements: fc.constantFrom('as-made' as const, 'reversed' as const),
  owedRefund: fc.constantFrom('discrepancy' as const, 'settlement' as const),
  smallestCoinMinor: fc.constantFrom(0, 5),
});

/** What the store says of the order itself, from its lines, reductions and refunds. */
function standing(order: OrderRow) {
  const { current } = orderTotals(order);
  const kept = order.lines.map((line) => ({ line, ...lineAmounts(order, line) }));
  return {
    subtotal: current.subtotalMinor,
    shipping: current.shippingMinor,
    tip: sum(kept.filter(({ line }) => line.kind === 'tip').map((one) => one.keptNetMinor)),
    duties: current.dutiesMinor,
    additionalFees: current.additionalFeesMinor,
    fees: current.feesMinor,
    tax: current.taxMinor,
    total: current.totalMinor,
    adjustments: sum(order.refunds.flatMap((one) => one.discrepancies.map(({ minor }) => minor))),
    pieces: Object.fromEntries(
      kept.map((one) => [`gid://shopify/LineItem/${one.line.id}`, one.kept]),
    ),
  };
}

/** The same, added up from the book. */
function addedUp(order: OrderRow, book: readonly BookedAgreement[]): ReturnType<typeof standing> {
  const sales = book.flatMap((agreement) => agreement.sales.nodes);
  const minor = ({ shopMoney }: BookedSale['totalAmount']) =>
    Math.round(Number(shopMoney.amount) * 10 ** minorDigits(order.currency));
  const of = (...types: readonly string[]) => sales.filter((one) => types.includes(one.lineType));
  const total = (some: readonly BookedSale[]) => sum(some.map((one) => minor(one.totalAmount)));
  const tax = (some: readonly BookedSale[]) => sum(some.map((one) => minor(one.totalTaxAmount)));
  const net = (some: readonly BookedSale[]) => total(some) - (order.taxesIncluded ? 0 : tax(some));
  const pieces: Record<string, number> = {};
  for (const { lineItem, quantity } of sales) {
    if (lineItem) pieces[lineItem.id] = (pieces[lineItem.id] ?? 0) + (quantity ?? 0);
  }
  return {
    subtotal: net(of('PRODUCT', 'GIFT_CARD')),
    shipping: net(of('SHIPPING')),
    tip: net(of('TIP')),
    duties: total(of('DUTY')),
    additionalFees: total(of('ADDITIONAL_FEE')),
    fees: total(of('FEE')),
    tax: tax(sales),
    total: total(sales) - total(of('ADJUSTMENT')),
    adjustments: total(of('ADJUSTMENT')),
    pieces,
  };
}

/** In the customer's currency, where every single sale is rounded: what is gone adds up to nothing. */
function expectExactInBoth(order: OrderRow, book: readonly BookedAgreement[]): void {
  const digits = minorDigits(order.presentment?.currency ?? order.currency);
  const sales = book.flatMap((agreement) => agreement.sales.nodes);
  for (const line of order.lines) {
    const own = sales.filter((one) => one.lineItem?.id === `gid://shopify/LineItem/${line.id}`);
    const seen = own.map(({ totalAmount }) =>
      Math.round(Number(totalAmount.presentmentMoney.amount) * 10 ** digits),
    );
    const { keptNetMinor, keptTaxesMinor } = lineAmounts(order, line);
    const keptMinor = keptNetMinor + (order.taxesIncluded ? 0 : sum(keptTaxesMinor));
    expect(sum(seen)).toBe(presentmentMinor(order, keptMinor));
  }
}

/** "The difference between the original total value of all line items that were refunded, and the actual amount". */
function expectRefundInBook(before: OrderRow, after: OrderRow): void {
  const made = after.agreements.slice(before.agreements.length).flatMap(({ sales }) => sales);
  const back = after.transactions.slice(before.transactions.length);
  expect(sum(made.map(({ minor }) => minor)) + sum(back.map(({ minor }) => minor))).toBe(0);
}

/** `BOOK_LIVES=5000` tries more. */
const numRuns = Number(process.env.BOOK_LIVES ?? 250);

describe('the book of any order', () => {
  it('adds up to what the order is now, and up to each moment to what it was then', () => {
    fc.assert(
      fc.property(anyLife, anyShop, fc.integer({ min: 1, max: 20 }), (steps, shop, pageSize) => {
        const store = openStore({ shop });
        /** Of each order, by the last second in which it was so. */
        const history = new Map<string, Map<string, OrderRow>>();
        const attempt: typeof store.attempt = (name, input) => {
          const { orderId, amount, pending } = input as Record<string, string | undefined>;
          const before = store.rows.orders.get(orderId ?? '');
          const outcome = store.attempt(name, input);
          const after = store.rows.orders.get(orderId ?? '');
          const isPaidBack = name === 'refundOrder' && amount !== undefined && !pending;
          if (isPaidBack && before && after && shop.owedRefund === 'discrepancy') {
            expectRefundInBook(before, after);
          }
          for (const order of store.rows.orders.values()) {
            const states = history.get(order.id) ?? new Map<string, OrderRow>();
            history.set(order.id, states.set(moment(store.world), order));
          }
          return outcome;
        };
        live({ rows: store.rows, attempt }, steps, { weights, cart, repeats: 0.9 });
        const api = openAdminApi(store.world);
        for (const order of store.rows.orders.values()) {
          const book = readBook(api, order.id, pageSize);
          expect(addedUp(order, book)).toEqual(standing(order));
          expectExactInBoth(order, book);
          for (const [at, then] of history.get(order.id) ?? []) {
            const until = book.filter(({ happenedAt }) => happenedAt <= at);
            expect(addedUp(order, until)).toEqual(standing(then));
          }
        }
      }),
      { numRuns },
    );
  });
});
