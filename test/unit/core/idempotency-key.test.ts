import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idempotencyKey } from '../../../shared/core/ledger/idempotency-key.ts';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import type { WantedState } from '../../../shared/core/mapping/wanted-state.ts';
import { neverSent, rules, storeOrder } from '../../fixtures/store-entities.ts';

function turn<T>(value: T): T {
  if (Array.isArray(value)) return value.map(turn) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, field]) => [key, turn(field)] as const);
  return Object.fromEntries(entries.toReversed()) as T;
}

const keyOf = (order: Parameters<typeof mapOrder>[0]) => {
  const mapped = mapOrder(order, rules, neverSent);
  return mapped.kind === 'wanted' ? idempotencyKey(mapped.wanted) : mapped.kind;
};

const anyOrderState: fc.Arbitrary<WantedState> = fc
  .record({
    OriginalId: fc.string(),
    OrderTotal: fc.integer(),
    Coupon: fc.option(fc.string()),
    Metadatas: fc.array(fc.record({ Name: fc.string(), Value: fc.string() })),
  })
  .map((order) => ({ kind: 'order', id: '1', order }));

describe('the idempotency key', () => {
  it('is the same however the state was put together', () => {
    fc.assert(
      fc.property(anyOrderState, (wanted) => {
        expect(idempotencyKey(turn(wanted))).toBe(idempotencyKey(wanted));
        const absent = { ...wanted, Branch: undefined };
        expect(idempotencyKey(absent)).toBe(idempotencyKey(wanted));
      }),
    );
  });

  it('differs when anything in the state differs', () => {
    fc.assert(
      fc.property(anyOrderState, anyOrderState, (one, other) => {
        const equal = JSON.stringify(one) === JSON.stringify(other);
        expect(idempotencyKey(one) === idempotencyKey(other)).toBe(equal);
      }),
    );
  });

  it('does not change with the moment of the event alone', () => {
    const at = (updated_at: string) => keyOf(storeOrder({}, { updated_at }));
    expect(at('2026-10-10T00:00:00Z')).toBe(at('2026-10-11T00:00:00Z'));
    expect(at('2026-10-10T00:00:00Z')).not.toBe(keyOf(storeOrder({ fulfilledAfterDays: 1 })));
  });

  it('does not cancel a cancelled order again for the refund that follows', () => {
    const line = { product: 1, priceCents: 5000, quantity: 1, discountCents: 0, takenBack: 0 };
    const cancelled = storeOrder({ lines: [line], cancelledAfterDays: 1 });
    const refunded = storeOrder({ lines: [{ ...line, takenBack: 1 }], cancelledAfterDays: 1 });
    expect(keyOf(refunded)).toBe(keyOf(cancelled));
    expect(keyOf(cancelled)).not.toBe(keyOf(storeOrder({ lines: [line] })));
    expect(keyOf({ ...cancelled, id: '2' })).not.toBe(keyOf(cancelled));
  });

  it('tells a code from the same code made inactive', () => {
    const coupon = idempotencyKey({ kind: 'coupon', id: 'A', coupon: {} });
    expect(idempotencyKey({ kind: 'inactive-coupon', id: 'A' })).not.toBe(coupon);
  });
});
