import { describe, expect, it } from 'vitest';
import type { ActionInput, ActionName } from '../../../../local/store-sandbox/model/actions.ts';
import { orderAmounts } from '../../../../shared/core/mapping/order-amounts.ts';
import {
  type Agreement,
  bookOf,
  isPaidLate,
  type Payment,
  type PaymentParts,
  type SaleNode,
} from '../../../../shared/shopify/admin/order-book.ts';
import { ZERO } from '../../../../shared/store/money.ts';
import type { OrderFigures, StoreOrder } from '../../../../shared/store/store-entities.ts';
import { lineOf } from '../../../fixtures/order-spec.ts';
import { amount, rules, storeOrder } from '../../../fixtures/store-entities.ts';
import { createChance } from '../../../simulation/kernel/chance.ts';
import { shopRules } from '../../../simulation/world/connector.ts';
import { LivingStore } from '../../../simulation/world/living-store.ts';
import { readOrderRow } from '../../../support/sandbox-admin.ts';
import { openStore } from '../../store-sandbox/open-store.ts';

const countOf = (figures: OrderFigures): number => Number(orderAmounts(figures, rules).total);

const bag = (amount: number) => ({
  shopMoney: { amount: String(amount), currencyCode: 'EUR' },
});

/** A sale of the first line, unless it is said otherwise. */
const sale = (
  lineType: SaleNode['lineType'],
  amount: number,
  more: { readonly quantity?: number; readonly tax?: number; readonly line?: string } = {},
) =>
  ({
    ...{ lineType, quantity: more.quantity ?? null },
    ...{ totalAmount: bag(amount), totalTaxAmount: bag(more.tax ?? 0) },
    ...(['PRODUCT', 'GIFT_CARD', 'TIP'].includes(lineType) && {
      lineItem: { id: `gid://shopify/LineItem/${more.line ?? '9000'}` },
    }),
  }) as SaleNode;

const goods = (amount: number, quantity: number) => sale('PRODUCT', amount, { quantity });

/** So many seconds after the order was placed. */
const at = (second: number) => new Date(Date.UTC(2026, 9, 5, 9, 0, second)).toISOString();

const agreed = (second: number, ...sales: readonly SaleNode[]): Agreement => ({
  ...{ happenedAt: at(second), refundId: undefined, sales },
});

const refunded = (second: number, refundId: string, ...sales: readonly SaleNode[]): Agreement => ({
  ...agreed(second, ...sales),
  refundId,
});

const moved = (second: number, amount: number, changes: Partial<Payment> = {}) =>
  ({
    ...{ id: `gid://shopify/OrderTransaction/${second}-${amount}`, kind: 'SALE' },
    ...{ status: 'SUCCESS', gateway: 'shopify_payments', parentTransaction: null },
    ...{ processedAt: at(second), amountSet: bag(amount), ...changes },
  }) as Payment;

const paid = (amount: number, gateway = 'shopify_payments') => moved(0, amount, { gateway });
const back = (second: number, amount: number, gateway = 'shopify_payments') =>
  moved(second, amount, { kind: 'REFUND', gateway });

const coats = storeOrder({ lines: [lineOf(1000, { quantity: 3 })] });
const noParts: PaymentParts = {
  ...{ owed: ZERO, refunds: new Map(), credit: undefined },
};

const book = (
  agreements: readonly Agreement[],
  payments: readonly Payment[],
  order: Partial<StoreOrder> = {},
  parts: Partial<PaymentParts> = {},
) => bookOf({ ...coats, ...order }, agreements, payments, { ...noParts, ...parts });

const placed = agreed(0, goods(30, 3), sale('SHIPPING', 7));

describe('the book of an order', () => {
  it('begins with the order as it was placed and ends with today’s', () => {
    const states = book([placed], [paid(37)]);
    expect(states.map((one) => one.at)).toEqual([at(0), coats.updatedAt]);
    for (const state of states) {
      expect(state).toMatchObject({
        ...{ subtotal: '30', total: '37', refundedWithoutLines: '0', paymentStatus: 'paid' },
        shipping: { price: '7', taxOnTop: '0', refunded: '0' },
        lines: [{ id: '9000', kept: 3, paid: '30' }],
        paidWithGiftCards: { net: '0', returnedForShipping: '0' },
      });
    }
  });

  it('is empty where the store has none', () => {
    expect(book([], [])).toEqual([]);
  });

  it('has a state for each edit, return and refund, with pieces, price and tax', () => {
    const first = agreed(0, sale('PRODUCT', 33, { quantity: 3, tax: 3 }));
    const removed = agreed(5, sale('PRODUCT', -11, { quantity: -1, tax: -1 }));
    const returned = refunded(9, 'r1', sale('PRODUCT', -22, { quantity: -2, tax: -2 }));
    const states = book([first, removed, returned], [paid(33)]);
    expect(states.map(({ lines: [line] }) => [line?.kept, line?.paid, line?.tax])).toEqual([
      [3, '30', '3'],
      [2, '20', '2'],
      [0, '0', '0'],
      [0, '0', '0'],
    ]);
    expect(states.map(({ total }) => total)).toEqual(['33', '22', '0', '0']);
    const including = book([first], [paid(33)], { taxesIncluded: true });
    expect(including[0]?.lines[0]).toMatchObject({ paid: '33', tax: '3' });
  });

  it('reads the list of the store in any order', () => {
    const later = agreed(5, goods(-10, -1));
    expect(book([later, placed], [back(9, 10), paid(37)])).toEqual(
      book([placed, later], [paid(37), back(9, 10)]),
    );
  });

  it('has the line that an edit added from then on, and before as nothing', () => {
    const [line] = coats.lines;
    const lines = line ? [line, { ...line, id: '9001' }] : [];
    const added = agreed(5, sale('PRODUCT', 15, { quantity: 1, line: '9001' }));
    const states = book([placed, added], [paid(37)], { lines });
    expect(states.map((one) => one.lines.map(({ kept }) => kept))).toEqual([
      [3, 0],
      [3, 1],
      [3, 1],
    ]);
    expect(states.map(countOf)).toEqual([30, 45, 45]);
  });

  it('counts a tip as no line, and as a part of the total', () => {
    const tipped = agreed(0, goods(30, 3), sale('TIP', 4, { quantity: 1, line: '9900' }));
    expect(book([tipped], [paid(34)])[0]).toMatchObject({ subtotal: '30', total: '34' });
  });

  it('has a discount that an edit added as less for the same pieces', () => {
    const cheaper = agreed(5, goods(-6, 0));
    const states = book([placed, cheaper], [paid(37)]);
    expect(states.map(({ lines: [line] }) => [line?.kept, line?.paid])).toEqual([
      [3, '30'],
      [3, '24'],
      [3, '24'],
    ]);
    // Money that goes back for it gives nothing away.
    const settled = refunded(9, 'r1', sale('ADJUSTMENT', -6));
    const last = book([placed, cheaper, settled], [paid(37), back(9, 6)]).at(-1);
    expect(last).toMatchObject({ total: '31', refundedWithoutLines: '0' });
  });

  it('tells shipping that an edit removed from shipping that was refunded', () => {
    const removed = book([placed, agreed(5, sale('SHIPPING', -7))], [paid(37)]);
    expect(removed.at(-1)?.shipping).toEqual({ price: '0', taxOnTop: '0', refunded: '0' });
    const returned = book([placed, refunded(5, 'r1', sale('SHIPPING', -7))], [paid(37)]);
    expect(returned.at(-1)?.shipping).toEqual({ price: '0', taxOnTop: '0', refunded: '7' });
  });

  it('has the tax of shipping on top, now and in what was refunded', () => {
    const first = agreed(0, goods(30, 3), sale('SHIPPING', 8, { tax: 1 }));
    const part = refunded(5, 'r1', sale('SHIPPING', -4, { tax: -0.5 }));
    expect(book([first, part], [paid(38)]).at(-1)?.shipping).toEqual({
      ...{ price: '3.5', taxOnTop: '0.5', refunded: '4' },
    });
  });

  it('has no refunded shipping where nothing is kept', () => {
    const all = refunded(5, 'r1', goods(-30, -3), sale('SHIPPING', -7));
    expect(book([placed, all], [paid(37)]).at(-1)).toMatchObject({
      ...{ total: '0', refundedWithoutLines: '0', shipping: { price: '0', refunded: '0' } },
    });
  });
});

describe('money without goods, in the book', () => {
  it('counts from when it went back, and an adjustment is no part of the total', () => {
    const adjusted = refunded(5, 'r1', sale('ADJUSTMENT', -5));
    const states = book([placed, adjusted], [paid(37), back(9, 5)]);
    expect(states.map(({ total }) => total)).toEqual(['37', '37', '37', '37']);
    expect(states.map(({ refundedWithoutLines }) => refundedWithoutLines)).toEqual([
      ...['0', '0', '5', '5'],
    ]);
    expect(states.map(countOf)).toEqual([30, 30, 25, 25]);
  });

  it('is at most what is stated, what went back, and what is missing of the total', () => {
    const given = (stated: number, money: number, received = 37) =>
      book(
        [placed, refunded(5, 'r1', sale('ADJUSTMENT', stated))],
        [paid(received), back(5, money)],
      ).at(-1)?.refundedWithoutLines;
    expect(given(-5, 5)).toBe('5');
    expect(given(-3, 5)).toBe('3');
    expect(given(-9, 5)).toBe('5');
    // More had been paid than it costs.
    expect(given(-5, 5, 40)).toBe('2');
    // A fee that was kept buys nothing.
    expect(given(5, 5)).toBe('0');
  });

  it('is what one refund states in the end: its adjustment may be corrected when the money settles', () => {
    const pending = refunded(5, 'r1', sale('ADJUSTMENT', 5));
    const settled = refunded(9, 'r1', sale('ADJUSTMENT', -10));
    const shipping = refunded(3, 'r0', sale('SHIPPING', -7));
    // Of the goods, 10.00 are still owed.
    const payments = [paid(27), back(3, 7), back(9, 5)];
    const owed = { owed: amount('10') };
    const states = book([placed, shipping, pending, settled], payments, {}, owed);
    expect(states.at(-1)?.refundedWithoutLines).toBe('5');
  });

  it('is not more because goods of another refund, whose money was on its way, are owed again', () => {
    // 20.00 of goods came back, their money settled later; then 50.00 were added and are not paid.
    const pending = refunded(3, 'r0', goods(-20, -2), sale('ADJUSTMENT', 20));
    const settled = refunded(5, 'r0', sale('ADJUSTMENT', -20));
    const added = agreed(9, goods(50, 5));
    const owed = { owed: amount('50') };
    const states = book([placed, pending, settled, added], [paid(37), back(5, 20)], {}, owed);
    expect(states.at(-1)).toMatchObject({ total: '67', refundedWithoutLines: '0' });
  });
});

describe('what happened in one second', () => {
  const second = 9;
  const goodsBack = refunded(second, 'r1', goods(-10, -1));
  const adjusted = refunded(5, 'r2', sale('ADJUSTMENT', -5));

  it('may have come in any order: the book has all states that may have been', () => {
    // 10.00 were not paid yet when the goods went back.
    const states = book([placed, goodsBack, adjusted], [paid(27), back(second, 5)]);
    const counts = new Set(states.map(countOf));
    expect(counts).toEqual(new Set([30, 25, 20, 15]));
    expect(countOf(states.at(-1) ?? coats)).toBe(15);
  });

  it('of three movements has eight amounts, and all of them last', () => {
    const more = refunded(5, 'r3', sale('ADJUSTMENT', -2));
    const states = book(
      [placed, goodsBack, adjusted, more],
      [paid(27), back(second, 5), back(second, 2, 'manual')],
    );
    const counts = [...new Set(states.map(countOf))].toSorted((one, other) => other - one);
    expect(counts).toEqual([30, 28, 25, 23, 20, 18, 15, 13]);
    expect(countOf(states.at(-2) ?? coats)).toBe(13);
  });

  it('is one state where the order was placed and paid in it, and what followed at once another', () => {
    const edited = agreed(0, goods(-10, -1));
    expect(book([placed, edited], [paid(37)]).map(countOf)).toEqual([30, 20, 20]);
    const given = refunded(0, 'r1', sale('ADJUSTMENT', -10));
    const states = book([placed, given], [paid(37), back(0, 10)], {
      refundedWithoutLines: amount('10'),
    });
    expect([states[0], states.at(-1)].map((one) => one && countOf(one))).toEqual([30, 20]);
  });

  it('has a bounded number of states, with those in the order of the store’s list', () => {
    const stated = refunded(5, 'r1', sale('ADJUSTMENT', -20));
    const payments = Array.from({ length: 12 }, (_, n) => back(second, (n + 1) / 100));
    const states = book([placed, stated], [paid(37), ...payments]);
    expect(states.length).toBeLessThanOrEqual(32);
    const counts = new Set(states.map(countOf));
    const inOrder = payments.map((_, n) => (3_000 - ((n + 1) * (n + 2)) / 2) / 100);
    expect(inOrder.filter((count) => !counts.has(count))).toEqual([]);
  });
});

describe('payments in the book', () => {
  it('that were voided before any came count nothing, from then on', () => {
    const voided = moved(5, 37, { kind: 'VOID' });
    const authorized = moved(0, 37, { kind: 'AUTHORIZATION' });
    const states = book([placed], [authorized, voided], { paymentStatus: 'voided' });
    expect(states.map(({ paymentStatus }) => paymentStatus)).toEqual(['paid', 'voided', 'voided']);
    expect(states.map(countOf)).toEqual([30, 0, 0]);
  });

  it('that came after one was voided count again: 30, 0, 30', () => {
    const voided = moved(5, 37, { kind: 'VOID' });
    const states = book([placed], [voided, moved(9, 37)]);
    expect(states.map(countOf)).toEqual([30, 0, 30, 30]);
  });

  it('of which one failed or is on its way change nothing', () => {
    const failed = moved(5, 10, { kind: 'REFUND', status: 'FAILURE' });
    const pending = moved(6, 10, { kind: 'REFUND', status: 'PENDING' });
    expect(book([placed], [paid(37), failed, pending])).toEqual(book([placed], [paid(37)]));
  });

  it('has what only today is known: a lost dispute, an expired authorization', () => {
    const today = { lostDispute: true, paymentStatus: 'expired' };
    const states = book([placed], [paid(37)], today);
    expect(states.at(-1)).toMatchObject(today);
    expect(states.at(-2)).toMatchObject({ lostDispute: false, paymentStatus: 'paid' });
  });
});

describe('gift cards in the book', () => {
  it('paid less what went back to them, since it did', () => {
    const states = book(
      [placed, refunded(5, 'r1', goods(-10, -1))],
      [paid(12, 'gift_card'), paid(25), back(9, 10, 'gift_card')],
    );
    // While the store owes it, it counts as if it had gone back to them.
    expect(states.map(({ paidWithGiftCards }) => paidWithGiftCards?.net)).toEqual([
      ...['12', '2', '2', '2'],
    ]);
  });

  it('get back first what the store owes, and no more than they paid: cards before credit', () => {
    const credit = { paid: '10', mix: undefined } as unknown as PaymentParts['credit'];
    const states = book(
      [placed, agreed(5, goods(-10, -1)), agreed(7, goods(-10, -1))],
      [paid(6, 'gift_card'), paid(10, 'shopify_store_credit'), paid(21)],
      {},
      { credit },
    );
    const apart = states.map(({ paidWithGiftCards }) => [
      paidWithGiftCards?.net,
      paidWithGiftCards?.apart?.cards.net,
      paidWithGiftCards?.apart?.credit.net,
    ]);
    expect(apart).toEqual([
      ['16', '6', '10'],
      ['6', '0', '6'],
      ['0', '0', '0'],
      ['0', '0', '0'],
    ]);
  });

  const shippingRefund = (gateway: string, given: number, shipping: number) => ({
    transactions: {
      nodes: [{ ...back(5, given, gateway), kind: 'REFUND' }],
    },
    refundShippingLines: {
      nodes: [{ subtotalAmountSet: bag(shipping), taxAmountSet: bag(0) }],
    },
  });

  it.each([
    // Coat 80.00 and shipping 20.00 of which the gift card paid a part, and shipping goes to cards or credit.
    [5, 76],
    [0.01, 79.99],
    [50, 40],
  ])(
    'of which %d was paid get for shipping at most what they paid: it counts %d',
    (byCard, counts) => {
      const coat = storeOrder({ lines: [lineOf(8000)], shippingCents: 2000 });
      const first = agreed(0, goods(80, 1), sale('SHIPPING', 20));
      const refund = refunded(5, 'r1', sale('SHIPPING', -20));
      for (const gateway of ['gift_card', 'shopify_store_credit']) {
        const refunds = new Map([['r1', shippingRefund(gateway, 20, 20) as never]]);
        const states = bookOf(
          coat,
          [first, refund],
          [paid(byCard, 'gift_card'), paid(100 - byCard), back(5, 20, gateway)],
          { ...noParts, refunds },
        );
        // A refund of shipping takes and gives nothing.
        expect(countOf(states[0] ?? coat)).toBe(counts);
        expect(countOf(states.at(-1) ?? coat)).toBe(counts);
      }
    },
  );
});

const SEEDS = 8;
const STEPS = 150;

describe('the book of orders in a living store', () => {
  it('says what each counted after each change, as it was read then', async () => {
    let compared = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const chance = createChance(seed);
      let ms = Date.parse('2026-10-01T00:00:00Z');
      const store = new LivingStore(() => new Date(ms), false);
      for (let step = 0; step < STEPS; step += 1) {
        ms += 1_000;
        let draws = 0;
        store.step(() => chance(step, draws++));
      }
      for (const states of store.orderStates.values()) {
        const rows = states.flatMap((row) => (row ? [row] : []));
        const last = rows.at(-1);
        if (!last) continue;
        const now = await readOrderRow(store.world, last, shopRules, { book: 'always' });
        const counts = new Set((now.book ?? []).map(countOf));
        for (const row of rows) {
          const then = await readOrderRow(store.world, row, shopRules);
          // When an authorization expired is in no book.
          if (then.paymentStatus === 'expired') continue;
          compared += 1;
          expect(counts).toContain(countOf(then));
        }
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('has what went back to gift cards for shipping also once nothing is kept: 40, then 0', async () => {
    const store = openStore({ shop: { taxes: [] } });
    const act = <Name extends ActionName>(name: Name, input: object) => {
      store.clock.ms += 3_000;
      return store.do(name, input as ActionInput<Name>);
    };
    const { id: orderId } = store.do('placeOrder', {
      ...{ lines: [{ title: 'Coat', price: 80 }], shipping: [{ price: 20 }], payment: 'none' },
    });
    act('payOrder', { orderId, amount: '50', gateway: 'gift_card' });
    act('payOrder', { orderId });
    act('refundOrder', { orderId, shipping: 'all', gateway: 'gift_card' });
    const lineId = store.rows.orders.get(orderId)?.lines[0]?.id ?? '';
    act('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }] });
    const row = store.rows.orders.get(orderId);
    if (!row) throw new Error('no order');
    const order = await readOrderRow(store.world, row, shopRules, { book: 'always' });
    // What each second ended with; before the second payment, a half was owed in money.
    const bySecond = new Map((order.book ?? []).map((one) => [one.at, countOf(one)]));
    expect([...bySecond.values()]).toEqual([80, 40, 40, 40, 0]);
  });

  it('counts money without goods from when it settled: 30 → 20 → 15 points', async () => {
    const store = openStore({ shop: { taxes: [] } });
    const { id } = store.do('placeOrder', {
      ...{ lines: [{ title: 'Coat', price: 10, quantity: 3 }], payment: 'paid' },
    });
    const act = <Name extends ActionName>(name: Name, input: object) => {
      store.clock.ms += 3_000;
      store.do(name, { orderId: id, ...input } as ActionInput<Name>);
    };
    const lineId = store.rows.orders.get(id)?.lines[0]?.id ?? '';
    act('refundOrder', { amount: '5', pending: 'balanced' });
    act('refundOrder', { lines: [{ lineId, quantity: 1 }] });
    act('settleRefund', { outcome: 'success' });
    const row = store.rows.orders.get(id);
    if (!row) throw new Error('no order');
    const order = await readOrderRow(store.world, row, shopRules, { book: 'always' });
    expect([...new Set((order.book ?? []).map(countOf))]).toEqual([30, 20, 15]);
  });
});

it.each([
  ['gift_card', 'SALE', 60, false],
  ['gift_card', 'SALE', 61, true],
  ['shopify_payments', 'SALE', 61, false],
  ['gift_card', 'REFUND', 61, false],
])('a %s %s %i seconds after the order is a late payment: %s', (gateway, kind, seconds, isLate) => {
  const payment = { gateway, kind, processedAt: at(seconds) } as Payment;
  expect(isPaidLate({ ...storeOrder(), placedAt: at(0) }, [payment])).toBe(isLate);
});
