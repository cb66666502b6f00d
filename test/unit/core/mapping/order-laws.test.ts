import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MappingRules } from '../../../../shared/config/mapping-settings.ts';
import { mapOrder } from '../../../../shared/core/mapping/map-order.ts';
import type { OrderForm, WantedState } from '../../../../shared/core/mapping/wanted-state.ts';
import type { NamedReference, StoreOrder } from '../../../../shared/store/store-entities.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { anyOrder, lineOf, type OrderSpec } from '../../../fixtures/order-spec.ts';
import { giftCards, neverSent, rules, storeOrder } from '../../../fixtures/store-entities.ts';

const anyRules: fc.Arbitrary<MappingRules> = fc.record({
  ...Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, fc.constant(rule)])),
  completeWhen: fc.constantFrom('fulfilled', 'paid'),
}) as fc.Arbitrary<MappingRules>;

const anyTaxes = fc.constantFrom('include', 'exclude');

function wantedOf(
  order: StoreOrder,
  orderRules: MappingRules = rules,
): WantedState & { order: OrderForm } {
  const mapped = mapOrder(order, orderRules, neverSent);
  if (mapped.kind !== 'wanted' || !('order' in mapped.wanted)) throw new Error(mapped.kind);
  return mapped.wanted;
}

const cents = (value: number | null | undefined): number =>
  new Big(value ?? Number.NaN).times(100).toNumber();

describe('for every order', () => {
  it('the prices of the products add up to the total, which is what was kept and paid in money', () => {
    fc.assert(
      fc.property(anyOrder, fc.nat(20_000), anyTaxes, (spec, giftCardCents, taxes) => {
        const { sums } = buildOrder(spec);
        const paidWithGiftCards = giftCards(String(giftCardCents / 100));
        const read = { ...storeOrder(spec), paidWithGiftCards };
        const { order } = wantedOf(read, { ...rules, taxes });
        const prices = order.Products?.map((product) => cents(product.ProductPrice)) ?? [];
        expect(prices.every((price) => price >= 0)).toBe(true);
        expect(prices.reduce((sum, price) => sum + price, 0)).toBe(cents(order.OrderTotal));

        const tax = sums.keptTaxCents.reduce((sum, one) => sum + one, 0);
        const goods = sums.subtotalCents + (spec.taxesIncluded ? 0 : tax);
        const left = Math.max(0, goods - spec.amountRefundedCents);
        const paid = Math.max(0, sums.totalCents - spec.amountRefundedCents);
        const inMoney = paid === 0 ? 1 : Math.max(0, paid - giftCardCents) / paid;
        // What goes back without a line is goods and their tax alike.
        const counting = taxes === 'include' || goods === 0 ? 1 : (goods - tax) / goods;
        const expected = left * inMoney * counting;
        expect(Math.abs(cents(order.OrderTotal) - expected)).toBeLessThan(0.51);
      }),
      { numRuns: 200 },
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
        const totalOf = (one: OrderSpec) => wantedOf(storeOrder(one), orderRules).order.OrderTotal;
        expect(totalOf(other)).toBe(totalOf(spec));
      }),
      { numRuns: 200 },
    );
  });

  it('it is neither completed nor cancelled before it was placed, never both, and with a date', () => {
    fc.assert(
      fc.property(anyOrder, anyRules, (spec, orderRules) => {
        const { order, ...wanted } = wantedOf(storeOrder(spec), orderRules);
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
      { numRuns: 200 },
    );
  });
});

/** A source of an order sees all of it, the ids alone, or not even these. */
const sight = fc.constantFrom('whole', 'ids', 'nothing');
const seen = fc.record({
  card: fc.option(fc.constantFrom('Visa', 'Elo'), { nil: undefined, freq: 2 }),
  place: sight,
  staff: sight,
  details: fc.option(fc.constantFrom('1990-02-03', '1991-04-05'), { nil: undefined, freq: 2 }),
});
type Seen = typeof seen extends fc.Arbitrary<infer T> ? T : never;

const metafield = (key: string) =>
  ({ from: 'metafield', owner: 'customer', namespace: 'custom', key }) as const;
const DETAILS: MappingRules = {
  ...rules,
  ...{ document: metafield('tax-id'), birthday: metafield('born'), goLive: '2026-12-01' },
};

function reference(how: Seen['place'], id: string, name: string): NamedReference | undefined {
  return how === 'nothing' ? undefined : { id, name: how === 'whole' ? name : undefined };
}

function orderAs({ card, place, staff, details }: Seen): StoreOrder {
  const field = { owner: 'customer', namespace: 'custom' } as const;
  return {
    ...storeOrder(),
    pointOfSale: true,
    card: card === undefined ? undefined : { brand: card, type: 'credit' },
    location: reference(place, '71', 'Harbour Street'),
    staff: reference(staff, '402', 'Robin'),
    metafields:
      details === undefined
        ? undefined
        : [
            { ...field, key: 'born', value: details },
            { ...field, key: 'tax-id', value: details.replaceAll('-', '') },
          ],
  };
}

/** Maps the snapshots one after the other, each with what the ledger remembers of the one before. */
function mapInTurn(orders: readonly StoreOrder[], laws: MappingRules) {
  let before: Parameters<typeof mapOrder>[2] = { ...neverSent, history: true, askedFor: true };
  return orders.map((order) => {
    const mapped = mapOrder(order, laws, before);
    if (mapped.kind !== 'wanted' || !('order' in mapped.wanted)) throw new Error(mapped.kind);
    const { order: form } = mapped.wanted;
    const service = {
      ...{ total: 0, products: [], taken: 0 },
      ...(form.OrderCompletedDate != null && { completedAt: form.OrderCompletedDate }),
    };
    const { remember: remembered, history = false } = mapped;
    before = { known: true, remembered, service, history };
    return form;
  });
}

describe('an order of which later snapshots show less', () => {
  it('is sent with what was seen last, however long ago that was', () => {
    fc.assert(
      fc.property(fc.array(seen, { minLength: 1, maxLength: 6 }), (life) => {
        const form = mapInTurn(life.map(orderAs), DETAILS).at(-1);
        const card = life.findLast((one) => one.card !== undefined)?.card;
        const details = life.findLast((one) => one.details !== undefined)?.details;
        const nameIn = (of: 'place' | 'staff', name: string, id: string) => {
          if (life.some((one) => one[of] === 'whole')) return name;
          return life.some((one) => one[of] === 'ids') ? id : undefined;
        };
        expect(form?.PaymentMethod?.Name).toBe(card ? `${card} credit` : 'shopify_payments');
        expect(form?.Branch?.Name).toBe(nameIn('place', 'Harbour Street', '71'));
        expect(form?.SalesPerson?.Name).toBe(nameIn('staff', 'Robin', '402'));
        expect(form?.Customer?.BirthdayDate).toBe(details && `${details}T00:00:00.000Z`);
        expect(form?.Customer?.Document).toBe(details?.replaceAll('-', ''));
        expect(form?.Metadatas).toContainEqual({ Name: 'history', Value: 'true' });
      }),
    );
  });

  it('keeps a dispute that was lost, and its loss, where a snapshot does not say so', () => {
    const done = storeOrder({ fulfilledAfterDays: 2 });
    const laws = { ...rules, lostDisputes: 'take-back' } as const;
    const lives = [
      done,
      { ...done, lostDispute: true },
      done,
      done,
      { ...done, lostDispute: false },
    ];
    const totals = mapInTurn(lives, laws).map(({ OrderTotal }) => OrderTotal);
    expect(totals).toEqual([50, 0, 0, 0, 50]);
  });

  it('keeps its first completion date and the customer who earned its points', () => {
    const done = storeOrder({ fulfilledAfterDays: 2 });
    const merged = { ...done, customer: done.customer && { ...done.customer, id: '1' } };
    const later = { ...merged, fulfilledAt: '2026-10-30T00:00:00.000Z' };
    const deleted = { ...later, customer: undefined };
    const forms = mapInTurn([done, later, deleted, later], rules);
    for (const form of forms) {
      expect(form.OrderCompletedDate).toBe('2026-10-07T09:12:44.000Z');
      expect(form.Customer?.OriginalId).toBe('6940095564');
    }
  });
});

describe('an order that keeps its rules', () => {
  it('whose rules are those of today counts by them exactly: a gift card that goes back took no points', () => {
    const line = lineOf(3000);
    const card = { ...line, product: 2, priceCents: 10_000 };
    const laws = { ...rules, giftCards: 'earn-when-used' } as const;
    const orderOf = (takenBack: number): StoreOrder => {
      const order = storeOrder({ lines: [line, { ...card, takenBack }], fulfilledAfterDays: 2 });
      return { ...order, lines: order.lines.map((one, i) => ({ ...one, giftCard: i === 1 })) };
    };
    const totals = mapInTurn([orderOf(0), orderOf(1)], laws).map(({ OrderTotal }) => OrderTotal);
    expect(totals).toEqual([30, 30]);
  });
});
