import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../../../shared/config/connector-settings.ts';
import { defaultRules } from '../../../../shared/config/mapping-settings.ts';
import {
  type CancelStep,
  cancelKey,
  type ServiceOrder,
} from '../../../../shared/core/ledger/ledger.ts';
import { restKey, type WantedOrder } from '../../../../shared/core/mapping/wanted-state.ts';
import { decide } from '../../../../shared/core/sync/decide.ts';
import {
  afterStep,
  nextCall,
  type RefundSettings,
  recognize,
  type ServiceSide,
} from '../../../../shared/core/sync/decide-order.ts';
import { storeOrder } from '../../../fixtures/store-entities.ts';

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
    changed: false,
    isFine: false,
  };
}

const toldAs = ({ order: form }: WantedOrder, taken = 0): ServiceOrder => ({
  completedAt: COMPLETED,
  rest: restKey(form),
  total: (form.OrderTotal ?? 0) * 1000,
  products: (form.Products ?? []).map(
    ({ OriginalId, ProductPrice }) => [OriginalId ?? '', (ProductPrice ?? 0) * 1000, 0] as const,
  ),
  taken,
});

const facts = (record?: ServiceOrder, changes: Partial<ServiceSide> = {}): ServiceSide => ({
  known: record !== undefined,
  record,
  tellAgain: false,
  ...changes,
});

const whole = order({ a: 60, b: 40 });

it('an order that was told without goods is told of goods that cost nothing yet', () => {
  const emptied = toldAs(order({}));
  expect(nextCall(order({ a: 0 }), facts(emptied), byParts).kind).toBe('send');
  expect(nextCall(order({}), facts(emptied), byParts).kind).toBe('nothing');
  // Of another integration's order, or of more products than are kept, the list is not known.
  for (const unknown of [
    { ...emptied, theirs: 0 },
    { ...toldAs(whole), products: [] },
  ]) {
    const same = unknown.total > 0 ? whole : order({ a: 0 });
    expect(nextCall(same, facts(unknown), byParts).kind).toBe('nothing');
  }
});

const done = (...given: Parameters<typeof afterStep>) => afterStep(...given) as ServiceOrder;

describe('several refunds, one after the other', () => {
  it('each name what their products lost since the one before', () => {
    let record = toldAs(whole);
    const life = [
      { a: 50, b: 40 },
      { a: 45, b: 40 },
      { a: 45, b: 30 },
      { a: 40, b: 0 },
    ];
    const named = life.map((prices) => {
      const next = nextCall(order(prices), facts(record), byParts);
      if (next.kind !== 'take') throw new Error(next.kind);
      record = done(whole, next.record, next.step);
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
    expect(record.taken).toBe(60_000);
  });

  it('leave what a product is worth with them, if the order is raised after that', () => {
    let record = toldAs(whole);
    for (const prices of [{ a: 50, b: 40 }, { a: 45 }]) {
      const next = nextCall(order(prices), facts(record), byParts);
      if (next.kind !== 'take') throw new Error(next.kind);
      record = done(whole, next.record, next.step);
    }
    const sendGross = { ...byParts, raiseAfterPartialCancel: 'send-gross' } as const;
    const raised = nextCall(order({ a: 45, c: 20 }), facts(record), sendGross);
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
    const taken = done(whole, toldAs(whole), {
      sum: 10_000,
      value: 10_000,
      products: [['a', 10_000]],
    });
    const sendGross = { ...byParts, raiseAfterPartialCancel: 'send-gross' } as const;
    const raised = nextCall(order({ a: 50, c: 60 }), facts(taken), sendGross);
    if (raised.kind !== 'send') throw new Error(raised.kind);
    expect(raised.order.Products?.map(({ OriginalId }) => OriginalId)).toEqual(['a', 'c']);
  });
});

describe('refunds of an order that was read from the service, which shows what was sent', () => {
  /** Refunded three times: 100, 90, 70, 40. */
  const refunded: WantedOrder = {
    ...order({ a: 40 }),
    changed: true,
    past: [100, 90, 70, 40].map((counts, at) => ({ at, counts: counts * 1000 })),
  };

  /** A service that knows the keys of what was taken from it. */
  function service(...used: number[]) {
    const keys = new Set(used.map((sum) => `55-${sum}`));
    return {
      taken: used.at(-1) ?? 0,
      tries: [] as string[],
      cancel(step: CancelStep): boolean {
        const key = cancelKey('55', step);
        this.tries.push(key);
        if (keys.has(key)) return true;
        keys.add(key);
        this.taken += step.value;
        return false;
      },
    };
  }

  /** The calls until nothing is left to take. `repeat`: the answer of this call is lost. */
  function play(
    known: ServiceOrder,
    held: ReturnType<typeof service>,
    { repeat = -1, searches = true } = {},
  ): ServiceOrder {
    let record = known;
    for (let calls = 0; ; calls += 1) {
      const next = nextCall(refunded, { ...facts(record), searches }, byParts);
      if (next.kind !== 'take') return record;
      const isFirst = calls !== repeat;
      if (!isFirst) held.cancel(next.step);
      const found = held.cancel(next.step);
      record = done(refunded, next.record, next.step, { found, repeated: !isFirst });
    }
  }

  it('have a key each where the ledger knows what was taken, the oldest first: it names the sum', () => {
    const held = service();
    expect(play(toldAs(whole), held, { searches: false }).taken).toBe(60_000);
    expect(held.tries).toEqual(['55-10000', '55-30000', '55-60000']);
  });

  it.each([
    ['nothing', []],
    ['the first', [10_000]],
    ['the first two', [10_000, 30_000]],
    ['all', [10_000, 30_000, 60_000]],
    ['the first two in one call', [30_000]],
    ['all in one call', [60_000]],
    ['the first, and the others in one call', [10_000, 60_000]],
  ])('are taken once where the service took %s: %j', (_, used) => {
    for (const known of [0, 10_000, 30_000].filter((sum) => sum <= (used.at(-1) ?? 0))) {
      const held = service(...used);
      expect(play(toldAs(whole, known), held).taken).toBe(60_000);
      expect(held.taken).toBe(60_000);
    }
  });

  it.each([0, 1, 2])('are taken once where the answer to call %i is lost', (repeat) => {
    for (const used of [[], [10_000], [10_000, 30_000]]) {
      const held = service(...used);
      expect(play(toldAs(whole), held, { repeat }).taken).toBe(60_000);
      expect(held.taken).toBe(60_000);
    }
  });

  it('go on with the next sum of the book where a worker died, and ask for the book without it', () => {
    const step = { sum: 30_000, value: 20_000, products: [], searchedFrom: 60_000 };
    const found = facts({ ...toldAs(whole), step });
    expect(nextCall(refunded, found, byParts)).toMatchObject({ kind: 'take', step });
    const { past: _, ...without } = refunded;
    expect(nextCall(without, found, byParts)).toEqual({ kind: 'ask-store' });
    expect(done(refunded, toldAs(whole), step).step).toEqual({
      ...{ sum: 10_000, value: 10_000, products: [], searchedFrom: 60_000 },
    });
  });

  it('need no more room in the record the more they are', () => {
    const many = {
      ...order({ a: 1 }),
      changed: true,
      past: Array.from({ length: 1_001 }, (_, at) => ({ at, counts: 1_001_000 - at * 1_000 })),
    };
    const first = toldAs(order({ a: 1_001 }));
    const next = nextCall(many, { ...facts(first), searches: true }, byParts);
    if (next.kind !== 'take') throw new Error(next.kind);
    const after = done(many, next.record, next.step);
    expect(after.step).toMatchObject({ sum: 999_000, value: 1_000, searchedFrom: 1_000_000 });
    expect(JSON.stringify(after).length).toBeLessThan(JSON.stringify(first).length + 100);
  });
});

describe('an order that is read from the service', () => {
  const less: WantedOrder = { ...order({ a: 60 }), changed: true };
  const at = (...counts: number[]) =>
    counts.map((count, moment) => ({ at: moment, counts: count * 1000 }));
  const held = { OrderTotal: 100, Products: whole.order.Products ?? [] };
  const reading = { held, readTotals: 'as-sent', isScanned: false } as const;

  it('asks for the book, unless a scan reads it and nothing changed', () => {
    expect(recognize(less, undefined, reading)).toEqual({ kind: 'ask-store' });
    expect(recognize(whole, undefined, reading)).toEqual({ kind: 'ask-store' });
    const scanned = recognize(whole, undefined, { ...reading, isScanned: true });
    expect(scanned).toMatchObject({ kind: 'record', record: { total: 100_000, taken: 0 } });
    const book = { ...reading, isScanned: true };
    expect(recognize(less, undefined, book)).toEqual({ kind: 'ask-store' });
  });

  it('is explained by an amount that it counted once, and no other', () => {
    const explained = recognize({ ...less, past: at(100, 60) }, undefined, reading);
    expect(explained).toMatchObject({ kind: 'record', searches: true });
    const past = at(95, 60);
    expect(recognize({ ...less, past }, undefined, reading)).toEqual({
      ...{ kind: 'person', why: { reason: 'unexplained', held: 100_000, past } },
    });
  });

  it('is for a person where the book and the totals of the store differ', () => {
    expect(recognize({ ...less, past: at(100, 59) }, undefined, reading)).toEqual({
      ...{ kind: 'person', why: { reason: 'unbalanced', wanted: 60_000, booked: 59_000 } },
    });
  });

  it('is for a person where nothing is due and something may have been taken', () => {
    for (const past of [at(100, 60, 100), at(100, 80, 110)]) {
      const now = order({ a: (past.at(-1)?.counts ?? 0) / 1000 });
      const read = recognize({ ...now, changed: true, past }, undefined, reading);
      expect(read).toMatchObject({ kind: 'person', why: { reason: 'unexplained' } });
    }
  });

  it('has what is left where the service shows that', () => {
    const left = {
      ...reading,
      held: { ...held, OrderTotal: 80 },
      readTotals: 'less-partial-cancels',
    } as const;
    expect(recognize({ ...less, past: at(100, 80, 60) }, undefined, left)).toMatchObject({
      ...{ kind: 'record', searches: false, record: { total: 100_000, taken: 20_000 } },
    });
  });

  it('keeps what another integration counted otherwise, and only later differences count', () => {
    const theirs = { ...reading, held: { ...held, OrderTotal: 107 }, oursSince: 1, id: '#1001' };
    const past = at(120, 100, 60);
    const read = recognize({ ...less, past }, undefined, theirs);
    expect(read).toMatchObject({ record: { id: '#1001', total: 107_000, theirs: 7_000 } });
    if (read.kind !== 'record') throw new Error(read.kind);
    const next = nextCall({ ...less, past }, { ...facts(read.record), searches: true }, byParts);
    expect(next).toMatchObject({ kind: 'take', step: { sum: 40_000, value: 40_000 } });
    const raised = order({ a: 60, b: 55 });
    const rise = nextCall(raised, facts(read.record), byParts);
    expect(rise).toMatchObject({
      order: { OrderTotal: 122, Metadatas: [{ Name: 'taken_over', Value: '7' }] },
    });
    // A lost ledger finds it again: our own rise is no part of theirs.
    const again = { OrderTotal: 122, Metadatas: [{ Name: 'taken_over', Value: '7' }] };
    const found = recognize({ ...raised, past: at(120, 100, 115) }, undefined, {
      ...theirs,
      held: again,
    });
    expect(found).toMatchObject({ record: { total: 122_000, theirs: 7_000 } });
  });
});

describe('the next call for a completed order', () => {
  it('sends it when it never was sent, and nothing when nothing changed', () => {
    const first = nextCall(whole, facts(), byParts);
    expect(first).toMatchObject({ kind: 'send', record: toldAs(whole) });
    expect(nextCall(whole, facts(toldAs(whole)), byParts)).toEqual({ kind: 'nothing' });
    const shipped = order({ a: 60, b: 40 }, { OrderStatus: 'partially_fulfilled' });
    expect(nextCall(shipped, facts(toldAs(whole)), byParts)).toEqual({ kind: 'nothing' });
  });

  it('states products only where they add up to what is taken, whatever was sold, lost and gained', () => {
    const prices = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(9), { minKeys: 1 });
    const named = fc.sample(fc.array(prices, { minLength: 2, maxLength: 5 }), 500).flatMap(
      (life) =>
        life.slice(1).reduce<{ record: ServiceOrder; named: number }>(
          ({ record, named }, now) => {
            const next = nextCall(order(now), facts(record), byParts);
            if (next.kind !== 'take') return { record, named };
            const { value, products } = next.step;
            const parts = products.map(([, part]) => part);
            if (parts.length > 0) expect(parts.reduce((sum, part) => sum + part)).toBe(value);
            return {
              record: done(order(now), next.record, next.step),
              named: named + parts.length,
            };
          },
          { record: toldAs(order(life[0] ?? {})), named: 0 },
        ).named,
    );
    expect(Math.max(...named)).toBeGreaterThan(2);
  });

  it('states no products where they do not add up', () => {
    const amountOnly = order({ a: 60, b: 40 }, { OrderTotal: 93 });
    expect(nextCall(amountOnly, facts(toldAs(whole)), byParts)).toMatchObject({
      step: { value: 7_000, products: [] },
    });
    const lessThanLost = order({ a: 60, b: 30 }, { OrderTotal: 93 });
    expect(nextCall(lessThanLost, facts(toldAs(whole)), byParts)).toMatchObject({
      step: { value: 7_000, products: [] },
    });
  });

  it('sends products that changed under the same total, and not for their order alone', () => {
    const moved = order({ a: 50, b: 50 });
    expect(nextCall(moved, facts(toldAs(whole)), byParts)).toMatchObject({
      kind: 'send',
      order: { Products: [{ ProductPrice: 50 }, { ProductPrice: 50 }] },
    });
    const turned = order({ b: 40, a: 60 });
    expect(nextCall(turned, facts(toldAs(whole)), byParts)).toEqual({ kind: 'nothing' });
  });

  it.each([
    ['raised', byParts, 107],
    ['lowered by a program that sends it again', { ...byParts, refunds: 'resend' } as const, 93],
  ])('sends a total that was %s under the same products', (_, settings, OrderTotal) => {
    const other = order({ a: 60, b: 40 }, { OrderTotal });
    expect(nextCall(other, facts(toldAs(whole)), settings)).toMatchObject({
      kind: 'send',
      order: { OrderTotal },
      record: { total: OrderTotal * 1000 },
    });
  });

  it('keeps no products of an order that has too many for the ledger, and sends them all the same', () => {
    const many = (price: number) =>
      order(Object.fromEntries(Array.from({ length: 3_001 }, (_, n) => [`p${n}`, price])));
    const first = nextCall(many(2), facts(), byParts);
    if (first.kind !== 'send') throw new Error(first.kind);
    expect(first.order.Products).toHaveLength(3_001);
    expect(first.record).toMatchObject({ total: 6_002_000, products: [] });
    const again = nextCall(many(1), facts(first.record, { tellAgain: true }), byParts);
    if (again.kind !== 'send') throw new Error(again.kind);
    expect(again.order.OrderTotal).toBe(6_002);
    expect(again.order.Products).toHaveLength(3_001);
  });

  it('finishes a step that it finds, unchanged, whatever the order is worth now', () => {
    const step = { sum: 15_000, value: 15_000, products: [] };
    const found = facts({ ...toldAs(whole), step }, { tellAgain: true });
    for (const now of [order({ a: 60, b: 25 }), order({ a: 1 }), order({ a: 90, b: 40 })]) {
      expect(nextCall(now, found, byParts)).toMatchObject({ kind: 'take', step });
    }
  });

  it('sends a higher total where nothing was taken; otherwise a person decides, or the setting', () => {
    const dearer = order({ a: 60, b: 40, c: 7 });
    expect(nextCall(dearer, facts(toldAs(whole)), byParts)).toMatchObject({
      kind: 'send',
      order: { OrderTotal: 107 },
      record: { total: 107_000, taken: 0 },
    });
    const taken = done(whole, toldAs(whole), {
      sum: 15_000,
      value: 15_000,
      products: [['b', 15_000]],
    });
    const person = { kind: 'person', why: { reason: 'raised', counts: 85_000, wanted: 92_000 } };
    const now = order({ a: 60, b: 25, c: 7 });
    expect(nextCall(now, facts(taken), byParts)).toEqual(person);
    const gross = nextCall(now, facts(taken), {
      ...byParts,
      raiseAfterPartialCancel: 'send-gross',
    });
    expect(gross).toMatchObject({
      kind: 'send',
      order: { OrderTotal: 107 },
      record: { total: 107_000, taken: 15_000 },
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
        (sent, now, part, tellAgain, other) => {
          const before = order(sent);
          const taken = Math.min(part, before.order.OrderTotal ?? 0) * 1000;
          const wanted = order(now, other ? { Coupon: 'NEW' } : {});
          const told = toldAs(before, taken);
          const settings = { ...byParts, raiseAfterPartialCancel: 'send-gross' } as const;
          const next = nextCall(wanted, facts(told, { tellAgain }), settings);
          if (next.kind === 'send') {
            expect((next.order.OrderTotal ?? 0) * 1000).toBeGreaterThanOrEqual(told.total);
            expect((next.order.OrderTotal ?? 0) * 1000).toBe(next.record.total);
          }
          const due = told.total - taken - (wanted.order.OrderTotal ?? 0) * 1000;
          if (next.kind === 'take') expect(next.step.value).toBe(due);
          if (next.kind === 'nothing') expect(due).toBe(0);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('sends what is uncertain before it takes anything, and another change after it', () => {
    const refunded = order({ a: 60, b: 25 }, { Coupon: 'NEW' });
    expect(nextCall(refunded, facts(toldAs(whole), { tellAgain: true }), byParts)).toMatchObject({
      kind: 'send',
      order: { OrderTotal: 100, Coupon: 'NEW' },
    });
    const take = nextCall(refunded, facts(toldAs(whole)), byParts);
    if (take.kind !== 'take') throw new Error(take.kind);
    const after = facts(done(whole, take.record, take.step));
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
    expect(nextCall(order({ a: 60 }), facts(toldAs(whole, 15_000)), resend)).toMatchObject({
      kind: 'take',
      step: { value: 25_000 },
    });
  });

  it('names no parts in a currency of three decimals: the service adds them up in cents', () => {
    const fine = { ...order({ a: 58.995, b: 40 }), isFine: true };
    expect(nextCall(fine, facts(toldAs(whole)), byParts)).toMatchObject({
      step: { value: 1_005, products: [] },
    });
  });

  it('is cancelled by one call, whose fallback carries what was sent', () => {
    const cancelled = {
      ...whole,
      kind: 'cancelled-order' as const,
      cancellation: {},
      order: { ...whole.order, OrderTotal: 0, Products: [] },
    };
    expect(nextCall(cancelled, facts(toldAs(whole, 15_000)), byParts)).toMatchObject({
      kind: 'cancel',
      wanted: { order: { OrderTotal: 100 } },
    });
  });

  it('parks a change that the service does not take, but still takes a refund', () => {
    const fixed = { ...byParts, ordersAreReplaced: false };
    const known = facts(toldAs(whole));
    expect(nextCall(order({ a: 60, b: 25 }), known, fixed).kind).toBe('take');
    expect(nextCall(order({ a: 90, b: 40 }), known, fixed)).toEqual({
      kind: 'person',
      why: { reason: 'not-replaced', setting: 'ordersAreReplaced' },
    });
    // The service may not have it yet.
    for (const open of [facts(), facts(toldAs(whole), { tellAgain: true })]) {
      expect(nextCall(whole, open, fixed).kind).toBe('send');
    }
  });
});

it('a search that was begun is for a person, where the store gives no book to go on with', () => {
  const now = new Date('2026-10-09T12:00:00Z');
  const wanted = storeOrder();
  const key = { shop: 'example-store.myshopify.com', kind: 'order', id: wanted.id } as const;
  const step = { sum: 50_000, value: 20_000, products: [], searchedFrom: 50_000 };
  const service = { completedAt: COMPLETED, total: 100_000, products: [], taken: 0, step };
  const version = Date.parse(wanted.updatedAt);
  const gathered = {
    ...{ key, event: { receivedAt: now.toISOString() }, rules: defaultRules, now },
    ...{ assumptions: defaultAssumptions, doubt: undefined, takeover: undefined },
    orderRetentionDays: 400,
    entry: { version, uncertain: true, outcomes: [], revision: 1, service },
    customer: { id: wanted.customer?.id ?? '', record: undefined, member: undefined },
    snapshot: {
      ...({ kind: 'snapshot', source: 'store', version } as const),
      entity: { kind: 'order', order: wanted } as const,
    },
  };
  expect(decide(gathered)).toEqual({ kind: 'ask-store', book: 'always' });
  const parked = { kind: 'reject', outcome: { kind: 'rejected', reason: 'rejected' } };
  expect(decide({ ...gathered, askedForBook: true })).toMatchObject(parked);
});
