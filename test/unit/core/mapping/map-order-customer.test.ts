import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needsMetafields } from '../../../../shared/core/mapping/customer-form.ts';
import { mapOrder } from '../../../../shared/core/mapping/map-order.ts';
import type {
  OrderForm,
  OrderRules,
  WantedState,
} from '../../../../shared/core/mapping/wanted-state.ts';
import { readOrderWebhook } from '../../../../shared/shopify/webhooks/read-order-webhook.ts';
import type { StoreOrder } from '../../../../shared/store/order.ts';
import { buildOrder, type OrderFixture } from '../../../fixtures/order-payload.ts';
import { anyOrder } from '../../../fixtures/order-spec.ts';
import { giftCards, neverSent, rules, storeOrder } from '../../../fixtures/store-entities.ts';

const birthMetafield = { owner: 'customer', namespace: 'facts', key: 'birth_date' } as const;
const fromMetafield = { from: 'metafield', ...birthMetafield } as const;

function mapped(order: StoreOrder, changed: Partial<OrderRules>, remembered?: string) {
  return mapOrder(order, { ...rules, ...changed }, { known: remembered !== undefined, remembered });
}

function customerOf(order: StoreOrder, changed: Partial<OrderRules>, remembered?: string) {
  const result = mapped(order, changed, remembered);
  if (result.kind !== 'wanted' || result.wanted.kind !== 'order') throw new Error(result.kind);
  return result.wanted.order.Customer;
}

describe('the customer of an order', () => {
  it('has a document from a note attribute, if it is not blank', () => {
    const source = { document: { from: 'note-attribute', name: 'document' } } as const;
    const gift = { name: 'gift', value: 'yes' };
    const noted = (value: unknown) =>
      storeOrder({}, { note_attributes: [gift, { name: 'document', value }] });
    expect(customerOf(noted(' A-123 '), source)?.Document).toBe('A-123');
    expect(customerOf(noted(123), source)?.Document).toBe('123');
    for (const blank of ['  ', null])
      expect(customerOf(noted(blank), source)).not.toHaveProperty('Document');
  });

  it.each([
    ['1990-04-01', '1990-04-01T00:00:00.000Z'],
    ['1990-04-01T23:59:00-03:00', '1990-04-01T00:00:00.000Z'],
    ['01/04/1990', undefined],
    ['1990-02-31', undefined],
    ['1990-13-01', undefined],
    ['1990-04-011', undefined],
    ['born 1990-04-01', undefined],
    ['soon', undefined],
  ])('has the birthday %s as %s', (value, expected) => {
    expect(customerOf(storeOrder(), { birthday: () => value })?.BirthdayDate).toBe(expected);
  });

  it('is a member only if the merchant says so', () => {
    const enrolled = (enrolment: OrderRules['enrolment']) =>
      customerOf(storeOrder(), { enrolment })?.IsEnrolled;
    expect(enrolled('unstated')).toBe(undefined);
    expect(enrolled('everyone')).toBe(true);
    expect(enrolled((order) => order.source === 'pos')).toBe(false);
  });

  it('keeps a detail that this snapshot cannot see, and drops one that is gone', () => {
    const seen = { ...storeOrder(), metafields: [{ ...birthMetafield, value: '1990-04-01' }] };
    const first = mapped(seen, { birthday: fromMetafield });
    const remembered = first.kind === 'wanted' ? first.remember : undefined;
    const birthdayIn = (order: StoreOrder) =>
      customerOf(order, { birthday: fromMetafield }, remembered)?.BirthdayDate;
    expect(birthdayIn(storeOrder())).toBe('1990-04-01T00:00:00.000Z');
    expect(birthdayIn({ ...seen, metafields: [] })).toBe(undefined);
    expect(birthdayIn(storeOrder({}, { customer: { id: 7 } }))).toBe(undefined);
  });

  it('has a detail from the one metafield of that owner, namespace and key', () => {
    const near = [
      { ...birthMetafield, owner: 'order', value: '1991-01-01' },
      { ...birthMetafield, namespace: 'other', value: '1992-02-02' },
      { ...birthMetafield, key: 'other', value: '1993-03-03' },
    ] as const;
    const birthdayIn = (metafields: StoreOrder['metafields']) =>
      customerOf({ ...storeOrder(), metafields }, { birthday: fromMetafield })?.BirthdayDate;
    expect(birthdayIn(near)).toBe(undefined);
    const all = [...near, { ...birthMetafield, value: '1990-04-01' }];
    expect(birthdayIn(all)).toBe('1990-04-01T00:00:00.000Z');
  });

  it('has the e-mail address of today, also in an order that has earned points', () => {
    const earned = storeOrder({ fulfilledAfterDays: 1 });
    const first = mapped(earned, {});
    const remembered = first.kind === 'wanted' ? first.remember : undefined;
    const { customer } = earned;
    if (!customer) throw new Error('the order has no customer');
    const moved = { ...earned, customer: { ...customer, email: 'moved@example.com' } };
    expect(customerOf(moved, {}, remembered)?.Email).toBe('moved@example.com');
  });

  it('needs the store to be read exactly where a rule wants what a webhook lacks', () => {
    const needs = (order: StoreOrder, changed: Partial<OrderRules>) =>
      needsMetafields(order, { ...rules, ...changed });
    expect(needs(storeOrder(), {})).toBe(false);
    expect(needs(storeOrder(), { document: () => 'x' })).toBe(false);
    expect(needs(storeOrder(), { document: { from: 'note-attribute', name: 'x' } })).toBe(false);
    expect(needs(storeOrder(), { birthday: fromMetafield })).toBe(true);
    expect(needs({ ...storeOrder(), metafields: [] }, { birthday: fromMetafield })).toBe(false);
  });
});

describe('a function of the merchant’s', () => {
  it('adds metadata, which wins over the connector’s own', () => {
    const result = mapped(storeOrder(), {
      metadata: (order) => ({ source: 'ours', lines: `${order.lines.length}` }),
    });
    expect(result).toMatchObject({
      wanted: {
        order: {
          Metadatas: [
            { Name: 'currency' },
            { Name: 'lines', Value: '1' },
            { Name: 'order_name' },
            { Name: 'source', Value: 'ours' },
          ],
        },
      },
    });
  });

  it('may say nothing', () => {
    const silent = () => undefined;
    const result = customerOf(storeOrder(), { document: silent, enrolment: silent });
    expect(result).not.toHaveProperty('Document');
    expect(result).not.toHaveProperty('IsEnrolled');
  });

  it('that answers in another form is named', () => {
    const wrong = (() => 'yes') as unknown as () => boolean;
    expect(mapped(storeOrder(), { enrolment: wrong })).toEqual({
      kind: 'fault',
      faults: [{ path: 'rules.enrolment', problem: expect.stringContaining('true, false') }],
    });
  });

  it('that throws is named, all of them at once, and nothing it knew is repeated', () => {
    const fail = (order: StoreOrder): never => {
      throw new TypeError(`no document for ${order.customer?.email}`);
    };
    const result = mapped(storeOrder(), {
      document: fail,
      birthday: fail,
      enrolment: fail,
      metadata: fail,
    });
    expect(result).toEqual({
      kind: 'fault',
      faults: ['document', 'birthday', 'enrolment', 'metadata'].map((name) => ({
        path: `rules.${name}`,
        problem: 'threw TypeError',
      })),
    });
  });

  it.each([
    [
      'a name of the source',
      (order: StoreOrder) => (order as unknown as { missing: { value: string } }).missing.value,
      "TypeError: Cannot read properties of undefined (reading 'value')",
    ],
    [
      'a call in the source',
      (order: StoreOrder) => (order.id as unknown as { shout(): string }).shout(),
      'TypeError: order.id.shout is not a function',
    ],
    [
      'a text of the source',
      () => {
        throw new RangeError('the store has no field for it');
      },
      'RangeError: the store has no field for it',
    ],
    [
      'what was read',
      (order: StoreOrder) => (undefined as never)[order.customer?.email ?? ''],
      'TypeError',
    ],
    [
      'a person before a name of the source',
      (order: StoreOrder) => {
        throw new TypeError(`${order.customer?.email} order is not defined`);
      },
      'TypeError',
    ],
    [
      'a person after a name of the source',
      (order: StoreOrder) => {
        throw new TypeError(`order is not defined ${order.customer?.email}`);
      },
      'TypeError',
    ],
    [
      'what was parsed',
      (order: StoreOrder) => JSON.parse(order.customer?.email ?? ''),
      'SyntaxError',
    ],
  ])('that throws says why, unless the message may quote a person: %s', (_, rule, said) => {
    const document = rule as (order: StoreOrder) => string;
    const faults = [{ path: 'rules.document', problem: `threw ${said}` }];
    expect(mapped(storeOrder(), { document })).toEqual({ kind: 'fault', faults });
  });

  it.each([
    ['a number', () => 5],
    ['a promise', async () => 'A-1'],
    ['null', () => null],
  ])('that answers with %s is a fault of that order', (_, answer) => {
    const document = answer as unknown as () => string;
    expect(mapped(storeOrder(), { document })).toEqual({
      kind: 'fault',
      faults: [{ path: 'rules.document', problem: 'must return text or undefined' }],
    });
  });

  it('cannot smuggle a value out in the name of its error', () => {
    const document = (): never => {
      throw Object.assign(new Error(), { name: 'robin.sample@example.com' });
    };
    expect(JSON.stringify(mapped(storeOrder(), { document }))).not.toContain('robin');
  });

  it('that gives metadata other than texts is a fault of that order', () => {
    const metadata = (() => ({ a: 1 })) as unknown as NonNullable<OrderRules['metadata']>;
    expect(mapOrder(storeOrder(), { ...rules, metadata }, neverSent)).toEqual({
      kind: 'fault',
      faults: [{ path: 'rules.metadata', problem: 'must return an object of texts' }],
    });
  });
});

const anyRules: fc.Arbitrary<OrderRules> = fc.record({
  ...Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, fc.constant(rule)])),
  completeWhen: fc.constantFrom('fulfilled', 'paid'),
  orderTotal: fc.constantFrom('subtotal', 'total-less-shipping'),
}) as fc.Arbitrary<OrderRules>;

function readAll({ payload }: OrderFixture): StoreOrder {
  const result = readOrderWebhook(payload);
  if (result.kind !== 'read') throw new Error(JSON.stringify(result.faults));
  return result.order;
}

function wantedOf(
  order: StoreOrder,
  orderRules: OrderRules = rules,
): WantedState & { order: OrderForm } {
  const mapped = mapOrder(order, orderRules, neverSent);
  if (mapped.kind !== 'wanted' || !('order' in mapped.wanted)) throw new Error(mapped.kind);
  return mapped.wanted;
}

const cents = (value: number | null | undefined): number =>
  new Big(value ?? Number.NaN).times(100).toNumber();

describe('for every order', () => {
  it('the reader finds exactly the sums the store made it from', () => {
    fc.assert(
      fc.property(anyOrder, (spec) => {
        const fixture = buildOrder(spec);
        const order = readAll(fixture);
        expect(order.lines.map((line) => cents(Number(line.paid)))).toEqual(fixture.sums.keptCents);
        expect(order.lines.map((line) => cents(Number(line.tax)))).toEqual(
          fixture.sums.keptTaxCents,
        );
        const isKept = spec.lines.some(({ quantity, takenBack }) => takenBack < quantity);
        expect(cents(Number(order.refundedWithoutLines))).toBe(
          isKept ? spec.amountRefundedCents : 0,
        );
        expect(cents(Number(order.subtotal))).toBe(fixture.sums.subtotalCents);
        expect(cents(Number(order.total))).toBe(fixture.sums.totalCents);
        expect(cents(Number(order.shipping.price))).toBe(fixture.sums.shippingCents);
        expect(cents(Number(order.shipping.taxOnTop))).toBe(fixture.sums.shippingTaxOnTopCents);
      }),
      { numRuns: 500 },
    );
  });

  it('the prices of the products add up to the total, which is what was kept and paid in money', () => {
    fc.assert(
      fc.property(anyOrder, fc.nat(20_000), (spec, giftCardCents) => {
        const { sums, payload } = buildOrder(spec);
        const paidWithGiftCards = giftCards(String(giftCardCents / 100));
        const read = { ...readAll({ sums, payload }), paidWithGiftCards };
        const { order } = wantedOf(read, { ...rules, taxes: 'include' });
        const prices = order.Products?.map((product) => cents(product.ProductPrice)) ?? [];
        expect(prices.every((price) => price >= 0)).toBe(true);
        expect(prices.reduce((sum, price) => sum + price, 0)).toBe(cents(order.OrderTotal));

        const tax = sums.keptTaxCents.reduce((sum, one) => sum + one, 0);
        const goods = sums.subtotalCents + (spec.taxesIncluded ? 0 : tax);
        const left = Math.max(0, goods - spec.amountRefundedCents);
        const paid = Math.max(0, sums.totalCents - spec.amountRefundedCents);
        const inMoney = paid === 0 ? 1 : Math.max(0, paid - giftCardCents) / paid;
        expect(Math.abs(cents(order.OrderTotal) - left * inMoney)).toBeLessThan(0.51);
      }),
      { numRuns: 500 },
    );
  });

  it('shipping is in no total: what it costs changes nothing', () => {
    fc.assert(
      fc.property(anyOrder, anyRules, fc.nat(50_000), (spec, orderRules, shippingCents) => {
        const other = {
          ...spec,
          shippingCents,
          shippingDiscountCents: 0,
          shippingRefundedCents: 0,
        };
        const totalOf = (fixture: OrderFixture) =>
          wantedOf(readAll(fixture), orderRules).order.OrderTotal;
        expect(totalOf(buildOrder(other))).toBe(totalOf(buildOrder(spec)));
      }),
      { numRuns: 500 },
    );
  });

  it('it is neither completed nor cancelled before it was placed, never both, and with a date', () => {
    fc.assert(
      fc.property(anyOrder, anyRules, (spec, orderRules) => {
        const { order, ...wanted } = wantedOf(readAll(buildOrder(spec)), orderRules);
        const placed = order.OrderPlacementDate ?? '';
        expect(order.IsCompleted).toBe(order.OrderCompletedDate !== null);
        expect(order.IsCancelledOrReturned).toBe(order.OrderCancelledDate !== null);
        if (order.OrderCompletedDate != null) expect(order.OrderCompletedDate >= placed).toBe(true);
        if (order.OrderCancelledDate != null) expect(order.OrderCancelledDate >= placed).toBe(true);
        expect(order.IsCompleted && order.IsCancelledOrReturned).toBe(false);
        if (wanted.kind === 'cancelled-order') {
          expect(wanted.cancellation.OrderCancelledDate).toBe(order.OrderCancelledDate);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('it is cancelled exactly when the store cancelled it or all of it was refunded', () => {
    fc.assert(
      fc.property(anyOrder, (spec) => {
        const refunded = spec.lines.every((line) => line.takenBack === line.quantity);
        const cancelled = spec.cancelledAfterDays !== undefined || refunded;
        expect(wantedOf(readAll(buildOrder(spec))).kind).toBe(
          cancelled ? 'cancelled-order' : 'order',
        );
      }),
      { numRuns: 500 },
    );
  });

  it('each product appears once, and only what is kept appears', () => {
    fc.assert(
      fc.property(anyOrder, (spec) => {
        const products = wantedOf(readAll(buildOrder(spec))).order.Products ?? [];
        const ids = products.map((product) => product.OriginalId);
        const kept = spec.lines
          .map((line, index) => ({ ...line, id: line.product ?? `custom ${index}` }))
          .filter((line) => line.takenBack < line.quantity);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.length).toBe(new Set(kept.map(({ id }) => id)).size);
      }),
    );
  });

  it('the order in which a source lists its lines changes nothing', () => {
    fc.assert(
      fc.property(anyOrder, (spec) => {
        const order = readAll(buildOrder(spec));
        const turned = { ...order, lines: order.lines.toReversed() };
        expect(wantedOf(turned)).toEqual(wantedOf(order));
      }),
    );
  });
});
