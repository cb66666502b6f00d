import { describe, expect, it } from 'vitest';
import { orderAmounts } from '../../../../shared/core/mapping/order-amounts.ts';
import type { AmountRules } from '../../../../shared/core/mapping/wanted-state.ts';
import type { StoreOrder } from '../../../../shared/store/store-entities.ts';
import { paidBack } from '../../../fixtures/order-payload.ts';
import { lineOf as line, type OrderSpec } from '../../../fixtures/order-spec.ts';
import { rules, storeOrder } from '../../../fixtures/store-entities.ts';

/** One point for each unit of the currency, and shipping of 7.00. More examples: docs/mapping.md. */
function points(order: StoreOrder, changed: Partial<AmountRules> = {}): number {
  return Number(orderAmounts(order, { ...rules, ...changed }).total);
}

/** The first line is a gift card. */
function sellingGiftCard(spec: Partial<OrderSpec>): StoreOrder {
  const { lines, ...rest } = storeOrder(spec);
  return { ...rest, lines: lines.map((one, i) => ({ ...one, giftCard: i === 0 })) };
}

/** A refund with these adjustments, all of them of the kind that is no shipping, and this money. */
const refund = (adjustments: readonly number[], money: number, changes: object = {}) => ({
  refund_line_items: [],
  order_adjustments: adjustments.map((cents) => ({
    ...{ kind: 'refund_discrepancy', reason: 'Refund discrepancy' },
    ...{ amount: (cents / 100).toFixed(2), tax_amount: '0.00' },
  })),
  transactions: [paidBack(money)],
  ...changes,
});

describe('a refund of an amount without lines', () => {
  const secondBack = [line(2000), line(3000, { product: 2, takenBack: 1 })];
  const of = (spec: OrderSpec['lines'], ...refunds: readonly object[]) =>
    points(storeOrder({ lines: spec }, { refunds }));

  it('a refund of shipping that only its reason names keeps all 50 points', () => {
    const named = (reason: string) => {
      const [adjustment] = refund([-700], 700).order_adjustments;
      return refund([], 700, { order_adjustments: [{ ...adjustment, kind: null, reason }] });
    };
    expect(points(storeOrder({}, { refunds: [named('Shipping refund')] }))).toBe(50);
    expect(points(storeOrder({}, { refunds: [named('Refund discrepancy')] }))).toBe(43);
  });

  it('30.00 paid back for a piece whose return has no refund keeps 20 points, not 0', () => {
    expect(of(secondBack, refund([-3000], 3000))).toBe(20);
  });

  it('is not known from a webhook, unless its refunds state none, and is known from the store', () => {
    const read = (total_received: unknown, ...refunds: object[]) =>
      storeOrder({}, { refunds, total_received }).refundedWithoutLines;
    expect(read(undefined, refund([-3000], 3000))).toBeUndefined();
    expect(read(undefined, refund([], 3000), refund([-1], 0))).toBeUndefined();
    expect(read(undefined, refund([], 3000))).toBe('0');
    // Less money than the lines are worth.
    expect(read(undefined, refund([500], 2500))).toBe('0');
    // Of 57.00 the store received all.
    expect(read('57.00', refund([-3000], 3000))).toBe('30');
    expect(read('57.00', refund([-3000], 600))).toBe('6');
    expect(read('57.00', refund([-600], 3000))).toBe('6');
    expect(read('67.00', refund([-3000], 3000))).toBe('20');
    expect(read('57.00', refund([-3000], 0, { transactions: undefined }))).toBe('0');
    const pending = { transactions: [paidBack(3000, { status: 'pending' })] };
    expect(read('57.00', refund([-3000], 0, pending))).toBe('0');
  });
});

describe('gift cards', () => {
  const bought = sellingGiftCard({ lines: [line(10_000), line(3000, { product: 2 })] });

  it('that count when they are used are not among the products when they are bought', () => {
    const { lines } = orderAmounts(bought, { ...rules, giftCards: 'never' });
    expect(lines.map(({ counts }) => counts)).toEqual(['30']);
  });
});
