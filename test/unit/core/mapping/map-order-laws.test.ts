import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapOrder } from '../../../../shared/core/mapping/map-order.ts';
import type { OrderRules } from '../../../../shared/core/mapping/mapping-rules.ts';
import type { OrderForm, WantedState } from '../../../../shared/core/mapping/wanted-state.ts';
import { readOrderWebhook } from '../../../../shared/shopify/webhooks/read-order-webhook.ts';
import type { StoreOrder } from '../../../../shared/store/order.ts';
import { buildOrder, type OrderFixture } from '../../../fixtures/order-payload.ts';
import { anyOrder } from '../../../fixtures/order-spec.ts';
import { neverSent, rules } from '../../../fixtures/store-entities.ts';

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
        expect(cents(Number(order.subtotal))).toBe(fixture.sums.subtotalCents);
        expect(cents(Number(order.total))).toBe(fixture.sums.totalCents);
        expect(cents(Number(order.shipping.price))).toBe(fixture.sums.shippingCents);
        expect(cents(Number(order.shipping.taxOnTop))).toBe(fixture.sums.shippingTaxOnTopCents);
      }),
      { numRuns: 500 },
    );
  });

  it('the total is the sum of what was kept, and so are the prices of the products', () => {
    fc.assert(
      fc.property(anyOrder, (spec) => {
        const fixture = buildOrder(spec);
        const { order } = wantedOf(readAll(fixture));
        expect(cents(order.OrderTotal)).toBe(fixture.sums.subtotalCents);
        const prices = order.Products?.map((product) => cents(product.ProductPrice)) ?? [];
        expect(prices.reduce((sum, price) => sum + price, 0)).toBe(fixture.sums.subtotalCents);
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

  it('it is completed or cancelled never before it was placed, and never without a date', () => {
    fc.assert(
      fc.property(anyOrder, anyRules, (spec, orderRules) => {
        const { order, ...wanted } = wantedOf(readAll(buildOrder(spec)), orderRules);
        const placed = order.OrderPlacementDate ?? '';
        expect(order.IsCompleted).toBe(order.OrderCompletedDate !== null);
        expect(order.IsCancelledOrReturned).toBe(order.OrderCancelledDate !== null);
        for (const date of [order.OrderCompletedDate, order.OrderCancelledDate]) {
          if (date != null) expect(date >= placed).toBe(true);
        }
        if (wanted.kind === 'cancelled-order') {
          expect(wanted.cancellation.OrderCancelledDate).toBe(order.OrderCancelledDate);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('it is cancelled exactly when the store cancelled it or nothing of it is kept', () => {
    fc.assert(
      fc.property(anyOrder, (spec) => {
        const nothingKept = spec.lines.every((line) => line.takenBack === line.quantity);
        const cancelled = spec.cancelledAfterDays !== undefined || nothingKept;
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
