import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CancelStep, SentAmounts } from '../../../shared/core/ledger/ledger.ts';
import { restKey, type WantedOrder } from '../../../shared/core/mapping/wanted-state.ts';
import {
  afterStep,
  nextCall,
  type OrderFacts,
  type RefundSettings,
} from '../../../shared/core/sync/next-call.ts';

const COMPLETED = '2026-10-07T09:00:00.000Z';
const byParts: RefundSettings = {
  refunds: 'partial-cancel',
  raiseAfterPartialCancel: 'park',
  ordersAreReplaced: true,
};

/** An order that is worth these prices now. */
function order(prices: Readonly<Record<string, number>>, changes: object = {}): WantedOrder {
  const products = Object.entries(prices);
  return {
    kind: 'order',
    id: '55',
    order: {
      OriginalId: '55',
      OrderCompletedDate: COMPLETED,
      IsCompleted: true,
      OrderTotal: products.reduce((sum, [, price]) => sum + price, 0),
      Products: products.map(([OriginalId, ProductPrice]) => ({ OriginalId, ProductPrice })),
      ...changes,
    },
    sold: [{ OriginalId: 'a', Title: 'Coat' }],
    isRefunded: false,
    earlier: [],
  };
}

const sentAs = ({ order: form }: WantedOrder, taken = 0): SentAmounts => ({
  sent: {
    total: (form.OrderTotal ?? 0) * 1000,
    products: (form.Products ?? []).map(
      ({ OriginalId, ProductPrice }) => [OriginalId ?? '', (ProductPrice ?? 0) * 1000, 0] as const,
    ),
    completedAt: COMPLETED,
    rest: restKey(form),
  },
  taken,
});

const facts = (amounts?: SentAmounts, changes: Partial<OrderFacts> = {}): OrderFacts => ({
  known: amounts !== undefined,
  amounts,
  unsure: false,
  ...changes,
});

const whole = order({ a: 60, b: 40 });

describe('several refunds, one after the other', () => {
  it('each name what their products lost since the one before', () => {
    let amounts = sentAs(whole);
    const life = [
      { a: 50, b: 40 },
      { a: 45, b: 40 },
      { a: 45, b: 30 },
      { a: 40, b: 0 },
    ];
    const named = life.map((prices) => {
      const next = nextCall(order(prices), facts(amounts), byParts);
      if (next.kind !== 'take') throw new Error(next.kind);
      amounts = afterStep(whole, next.amounts, next.step);
      return next.step.products;
    });
    expect(named).toEqual([
      [['a', 10_000]],
      [['a', 5_000]],
      [['b', 10_000]],
      [
        ['a', 5_000],
        ['b', 30_000],
      ],
    ]);
    expect(amounts.taken).toBe(60_000);
  });

  it('leave what a product is worth with them, if the order is raised after that', () => {
    let amounts = sentAs(whole);
    for (const prices of [{ a: 50, b: 40 }, { a: 45 }]) {
      const next = nextCall(order(prices), facts(amounts), byParts);
      if (next.kind !== 'take') throw new Error(next.kind);
      amounts = afterStep(whole, next.amounts, next.step);
    }
    const sendGross = { ...byParts, raiseAfterPartialCancel: 'send-gross' } as const;
    const raised = nextCall(order({ a: 45, c: 20 }), facts(amounts), sendGross);
    if (raised.kind !== 'send') throw new Error(raised.kind);
    // Together with the 55 that were taken: 15 of a, and all 40 of b.
    expect(raised.order.OrderTotal).toBe(120);
    expect(raised.order.Products).toMatchObject([
      { OriginalId: 'a', ProductPrice: 60 },
      { OriginalId: 'c', ProductPrice: 20 },
      { OriginalId: 'b', ProductPrice: 40 },
    ]);
  });

  it('leave nothing of a product that is gone and that nothing was taken from', () => {
    const taken = afterStep(whole, sentAs(whole), {
      key: 'k',
      value: 10_000,
      products: [['a', 10_000]],
    });
    const sendGross = { ...byParts, raiseAfterPartialCancel: 'send-gross' } as const;
    const raised = nextCall(order({ a: 50, c: 60 }), facts(taken), sendGross);
    if (raised.kind !== 'send') throw new Error(raised.kind);
    expect(raised.order.Products?.map(({ OriginalId }) => OriginalId)).toEqual(['a', 'c']);
  });
});

describe('several refunds that are taken together', () => {
  /** Refunded three times: 100, 90, 70, 40. */
  const refunded: WantedOrder = {
    ...order({ a: 40 }),
    isRefunded: true,
    earlier: [whole, order({ a: 60, b: 30 }), order({ a: 60, b: 10 })].map((one) => one.order),
  };

  /** A service that knows the keys of what was taken from it. */
  function service(...used: number[]) {
    const keys = new Set(used.map((sum) => `55-${sum}`));
    return {
      taken: used.at(-1) ?? 0,
      tries: [] as string[],
      cancel({ key, value }: CancelStep): boolean {
        this.tries.push(key);
        if (keys.has(key)) return true;
        keys.add(key);
        this.taken += value;
        return false;
      },
    };
  }

  /** The calls until nothing is left to take. `repeat`: the answer of this call is lost. */
  function play(
    known: SentAmounts,
    held: ReturnType<typeof service>,
    { repeat = -1, adopted }: { repeat?: number; adopted?: 'as-sent' } = {},
  ): SentAmounts {
    let amounts = known;
    let calls = 0;
    for (;;) {
      const next = nextCall(refunded, { ...facts(amounts), adopted }, byParts);
      if (next.kind !== 'take') return amounts;
      const isFirst = calls !== repeat;
      if (!isFirst) held.cancel(next.step);
      const found = held.cancel(next.step);
      calls += 1;
      amounts = afterStep(refunded, next.amounts, next.step, found && isFirst);
    }
  }

  it('have a partial cancel and a key each, the oldest first: the order has counted each amount', () => {
    const held = service();
    expect(play(sentAs(whole), held).taken).toBe(60_000);
    expect(held.taken).toBe(60_000);
    expect(held.tries).toEqual(['55-10000', '55-30000', '55-60000']);
  });

  const READ = { adopted: 'as-sent' } as const;

  it.each([
    ['nothing', [], READ],
    ['the first', [10_000], READ],
    ['the first two', [10_000, 30_000], READ],
    ['all', [10_000, 30_000, 60_000], READ],
    // Only where the order was read: a ledger knows each call of its own.
    ['the first two in one call', [30_000], READ],
    ['all in one call', [60_000], READ],
    ['nothing', [], {}],
    ['the first', [10_000], {}],
    ['the first two', [10_000, 30_000], {}],
    ['all', [10_000, 30_000, 60_000], {}],
  ])('are taken once where the service took %s: %j, %j', (_, used, how) => {
    for (const known of [0, 10_000, 30_000].filter((sum) => sum <= (used.at(-1) ?? 0))) {
      const held = service(...used);
      expect(play(sentAs(whole, known), held, how).taken).toBe(60_000);
      expect(held.taken).toBe(60_000);
    }
  });

  it.each([0, 1, 2])('are taken once where the answer to call %i is lost', (repeat) => {
    for (const used of [[], [10_000], [10_000, 30_000], [10_000, 30_000, 60_000]]) {
      const held = service(...used);
      expect(play(sentAs(whole), held, { repeat }).taken).toBe(60_000);
      expect(held.taken).toBe(60_000);
    }
  });
});

describe('the next call for a completed order', () => {
  it('sends it when it never was sent, and nothing when nothing changed', () => {
    const first = nextCall(whole, facts(), byParts);
    expect(first).toMatchObject({ kind: 'send', amounts: sentAs(whole) });
    expect(nextCall(whole, facts(sentAs(whole)), byParts)).toEqual({ kind: 'nothing' });
    const shipped = order({ a: 60, b: 40 }, { OrderStatus: 'partially_fulfilled' });
    expect(nextCall(shipped, facts(sentAs(whole)), byParts)).toEqual({ kind: 'nothing' });
  });

  it('states no products where one gained, or where they do not add up', () => {
    const swapped = nextCall(order({ a: 60, c: 10 }), facts(sentAs(whole)), byParts);
    expect(swapped).toMatchObject({ kind: 'take', step: { value: 30_000, products: [] } });
    const amountOnly = order({ a: 60, b: 40 }, { OrderTotal: 93 });
    expect(nextCall(amountOnly, facts(sentAs(whole)), byParts)).toMatchObject({
      step: { value: 7_000, products: [] },
    });
    const lessThanLost = order({ a: 60, b: 30 }, { OrderTotal: 93 });
    expect(nextCall(lessThanLost, facts(sentAs(whole)), byParts)).toMatchObject({
      step: { value: 7_000, products: [] },
    });
  });

  it('sends products that changed under the same total, and not for their order alone', () => {
    const moved = order({ a: 50, b: 50 });
    expect(nextCall(moved, facts(sentAs(whole)), byParts)).toMatchObject({
      kind: 'send',
      order: { Products: [{ ProductPrice: 50 }, { ProductPrice: 50 }] },
    });
    const turned = order({ b: 40, a: 60 });
    expect(nextCall(turned, facts(sentAs(whole)), byParts)).toEqual({ kind: 'nothing' });
  });

  it.each([
    ['raised', byParts, 107],
    ['lowered by a program that sends it again', { ...byParts, refunds: 'resend' } as const, 93],
  ])('sends a total that was %s under the same products', (_, settings, OrderTotal) => {
    const other = order({ a: 60, b: 40 }, { OrderTotal });
    expect(nextCall(other, facts(sentAs(whole)), settings)).toMatchObject({
      kind: 'send',
      order: { OrderTotal },
      amounts: { sent: { total: OrderTotal * 1000 } },
    });
  });

  it('keeps no products of an order that has too many for the ledger, and sends them all the same', () => {
    const many = (price: number) =>
      order(Object.fromEntries(Array.from({ length: 3_001 }, (_, n) => [`p${n}`, price])));
    const first = nextCall(many(2), facts(), byParts);
    if (first.kind !== 'send') throw new Error(first.kind);
    expect(first.order.Products).toHaveLength(3_001);
    expect(first.amounts?.sent).toMatchObject({ total: 6_002_000, products: [] });
    const again = nextCall(many(1), facts(first.amounts, { unsure: true }), byParts);
    if (again.kind !== 'send') throw new Error(again.kind);
    expect(again.order.OrderTotal).toBe(6_002);
    expect(again.order.Products).toHaveLength(3_001);
  });

  it('finishes a step that it finds, unchanged, whatever the order is worth now', () => {
    const step = { key: '55-15000', value: 15_000, products: [] };
    const found = facts({ ...sentAs(whole), step }, { unsure: true });
    for (const now of [order({ a: 60, b: 25 }), order({ a: 1 }), order({ a: 90, b: 40 })]) {
      expect(nextCall(now, found, byParts)).toMatchObject({ kind: 'take', step });
    }
  });

  it('sends a higher total where nothing was taken; otherwise a person decides, or the setting', () => {
    const dearer = order({ a: 60, b: 40, c: 7 });
    expect(nextCall(dearer, facts(sentAs(whole)), byParts)).toMatchObject({
      kind: 'send',
      order: { OrderTotal: 107 },
      amounts: { sent: { total: 107_000 }, taken: 0 },
    });
    const taken = afterStep(whole, sentAs(whole), {
      key: 'k',
      value: 15_000,
      products: [['b', 15_000]],
    });
    const park = { kind: 'park', why: 'raise-after-partial-cancel' };
    const now = order({ a: 60, b: 25, c: 7 });
    expect(nextCall(now, facts(taken), byParts)).toEqual(park);
    const gross = nextCall(now, facts(taken), {
      ...byParts,
      raiseAfterPartialCancel: 'send-gross',
    });
    expect(gross).toMatchObject({
      kind: 'send',
      order: { OrderTotal: 107 },
      amounts: { sent: { total: 107_000 }, taken: 15_000 },
    });
  });

  it('never sends a lower total again, for whatever reason it is sent', () => {
    const prices = fc.record({ a: fc.nat(90), b: fc.nat(90) });
    fc.assert(
      fc.property(
        prices,
        prices,
        fc.nat(60),
        fc.boolean(),
        fc.boolean(),
        (sent, now, part, unsure, other) => {
          const before = order(sent);
          const taken = Math.min(part, before.order.OrderTotal ?? 0) * 1000;
          const wanted = order(now, other ? { Coupon: 'NEW' } : {});
          const amounts = sentAs(before, taken);
          const settings = { ...byParts, raiseAfterPartialCancel: 'send-gross' } as const;
          const next = nextCall(wanted, facts(amounts, { unsure }), settings);
          if (next.kind === 'send') {
            expect((next.order.OrderTotal ?? 0) * 1000).toBeGreaterThanOrEqual(amounts.sent.total);
            expect((next.order.OrderTotal ?? 0) * 1000).toBe(next.amounts?.sent.total);
          }
          const due = amounts.sent.total - taken - (wanted.order.OrderTotal ?? 0) * 1000;
          if (next.kind === 'take') expect(next.step.value).toBe(due);
          if (next.kind === 'nothing') expect(due).toBe(0);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('sends what is uncertain before it takes anything, and another change after it', () => {
    const refunded = order({ a: 60, b: 25 }, { Coupon: 'NEW' });
    expect(nextCall(refunded, facts(sentAs(whole), { unsure: true }), byParts)).toMatchObject({
      kind: 'send',
      order: { OrderTotal: 100, Coupon: 'NEW' },
    });
    const take = nextCall(refunded, facts(sentAs(whole)), byParts);
    if (take.kind !== 'take') throw new Error(take.kind);
    const after = facts(afterStep(whole, take.amounts, take.step));
    expect(nextCall(refunded, after, byParts)).toMatchObject({
      kind: 'send',
      order: {
        OrderTotal: 100,
        Products: [
          { OriginalId: 'a', Title: 'Coat', ProductPrice: 60 },
          { OriginalId: 'b', ProductPrice: 40 },
        ],
      },
    });
  });

  it('takes a part where something was taken before, also from a program that wants it sent again', () => {
    const resend = { ...byParts, refunds: 'resend' } as const;
    expect(nextCall(order({ a: 60 }), facts(sentAs(whole, 15_000)), resend)).toMatchObject({
      kind: 'take',
      step: { value: 25_000 },
    });
  });

  it('takes nothing by guess where the amounts were read from the service', () => {
    const adopted = facts(sentAs(whole), { adopted: 'as-sent' });
    expect(nextCall(whole, adopted, byParts)).toEqual({ kind: 'nothing' });
    const less = order({ a: 60 });
    expect(nextCall(less, adopted, byParts)).toEqual({ kind: 'park', why: 'unexplained' });
    // Nothing can have been taken of an order without refunds.
    const more = nextCall(order({ a: 60, b: 40, c: 10 }), adopted, byParts);
    expect(more).toMatchObject({ kind: 'send', order: { OrderTotal: 110 } });
    // The order once was worth what the service holds, with the same products.
    const other = { ...less, isRefunded: true, earlier: [order({ a: 50, b: 50 }).order] };
    expect(nextCall(other, adopted, byParts)).toEqual({ kind: 'park', why: 'unexplained' });
    const explained = { ...less, isRefunded: true, earlier: [whole.order] };
    expect(nextCall(explained, adopted, byParts)).toMatchObject({
      kind: 'take',
      step: { key: '55-40000', value: 40_000 },
    });
  });

  it('is cancelled by one call, whose fallback carries what was sent', () => {
    const cancelled = {
      ...whole,
      kind: 'cancelled-order' as const,
      cancellation: {},
      order: { ...whole.order, OrderTotal: 0, Products: [] },
    };
    expect(nextCall(cancelled, facts(sentAs(whole, 15_000)), byParts)).toMatchObject({
      kind: 'cancel',
      wanted: { order: { OrderTotal: 100 } },
    });
  });

  it('parks a change that the service does not take, but still takes a refund', () => {
    const fixed = { ...byParts, ordersAreReplaced: false };
    const known = facts(sentAs(whole));
    expect(nextCall(order({ a: 60, b: 25 }), known, fixed).kind).toBe('take');
    expect(nextCall(order({ a: 90, b: 40 }), known, fixed)).toEqual({
      kind: 'park',
      why: 'orders-are-not-replaced',
    });
    // The service may not have it yet.
    for (const open of [facts(), facts(sentAs(whole), { unsure: true })]) {
      expect(nextCall(whole, open, fixed).kind).toBe('send');
    }
  });
});
