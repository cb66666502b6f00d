import { describe, expect, it } from 'vitest';
import {
  type AmountRules,
  amountRulesText,
  orderAmounts,
} from '../../../../shared/core/mapping/order-amounts.ts';
import type { StoreOrder } from '../../../../shared/store/order.ts';
import type { LineSpec, OrderSpec } from '../../../fixtures/order-spec.ts';
import { amount, rules, storeOrder } from '../../../fixtures/store-entities.ts';

/** One point for each unit of the currency, and shipping of 7.00. More examples: docs/mapping.md. */
function points(order: StoreOrder, changed: Partial<AmountRules> = {}): number {
  return Number(orderAmounts(order, { ...rules, ...changed }).total);
}

const line = (priceCents: number, given: Partial<LineSpec> = {}): LineSpec => ({
  product: 1,
  priceCents,
  quantity: 1,
  discountCents: 0,
  takenBack: 0,
  ...given,
});

const order = (spec: Partial<OrderSpec> = {}, changes: Record<string, unknown> = {}) =>
  storeOrder(spec, changes);

const withGiftCard = (spec: Partial<OrderSpec>, paid: string): StoreOrder => ({
  ...order(spec),
  paidWithGiftCards: amount(paid),
});

/** The first line is a gift card. */
function sellingGiftCard(spec: Partial<OrderSpec>): StoreOrder {
  const { lines, ...rest } = order(spec);
  return { ...rest, lines: lines.map((one, i) => ({ ...one, giftCard: i === 0 })) };
}

const adjustment = (kind: string | null, value: string, reason = 'Refund discrepancy') => ({
  refund_line_items: [],
  order_adjustments: [{ kind, reason, amount: value, tax_amount: '0.00' }],
});

describe('a refund of an amount without lines', () => {
  it('55.00 of 50.00 and 7.00 shipping refunded without lines keeps 0 points, not fewer', () => {
    expect(points(order({ amountRefundedCents: 5500 }))).toBe(0);
  });

  it('a refund of shipping that only its reason names keeps all 50 points', () => {
    expect(points(order({}, { refunds: [adjustment(null, '-7.00', 'Shipping refund')] }))).toBe(50);
    expect(points(order({}, { refunds: [adjustment(null, '-7.00')] }))).toBe(43);
  });

  it('30.00 taken back with 20.00 paid at first and 10.00 later keeps 20 points, not 10', () => {
    const lines = [line(2000), line(3000, { product: 2, takenBack: 1 })];
    const taken = [{ line_item_id: 9001, quantity: 1, subtotal: 30 }];
    const first = { ...adjustment('refund_discrepancy', '10.00'), refund_line_items: taken };
    const later = adjustment('refund_discrepancy', '-10.00');
    expect(points(order({ lines }, { refunds: [first] }))).toBe(20);
    expect(points(order({ lines }, { refunds: [first, later] }))).toBe(20);
  });
});

describe('taxes', () => {
  it('one of three pieces of 11.90 with 1.90 taxes each taken back earns 20 points', () => {
    const lines = [line(1190, { quantity: 3, takenBack: 1 })];
    expect(points(order({ lines, taxPercent: 19, taxesIncluded: true }))).toBe(20);
  });

  it('tips of 3.00 and duties of 2.00 earn 5 points more with total-less-shipping', () => {
    const spec = { taxPercent: 20, tipCents: 300, dutiesCents: 200 };
    const whole = { orderTotal: 'total-less-shipping' } as const;
    expect(points(order(spec))).toBe(50);
    expect(points(order(spec), whole)).toBe(55);
    expect(points(order(spec), { ...whole, taxes: 'include' })).toBe(65);
  });
});

describe('gift cards', () => {
  const bought = sellingGiftCard({ lines: [line(10_000), line(3000, { product: 2 })] });

  it('that count when they are used are not among the products when they are bought', () => {
    const { lines } = orderAmounts(bought, { ...rules, giftCards: 'never' });
    expect(lines.map(({ counts }) => counts)).toEqual(['30']);
  });

  it('100.00 bought as a gift card and spent: 100 points in all by either rule, and 0 by never', () => {
    const sale = sellingGiftCard({ lines: [line(10_000)], shippingCents: 0 });
    const use = withGiftCard({ lines: [line(10_000)], shippingCents: 0 }, '100');
    for (const [giftCards, sold, spent] of [
      ['earn-when-bought', 100, 0],
      ['earn-when-used', 0, 100],
      ['never', 0, 0],
    ] as const) {
      expect([points(sale, { giftCards }), points(use, { giftCards })]).toEqual([sold, spent]);
    }
  });

  it('more on gift cards than the order costs now earns 0 points, not fewer', () => {
    expect(points(withGiftCard({ shippingCents: 0 }, '90'))).toBe(0);
  });

  it('three products of 10.00, 9.99 by gift card: prices that add up to 20.01 to the cent', () => {
    const lines = [1, 2, 3].map((product) => line(1000, { product }));
    const counted = orderAmounts(withGiftCard({ lines, shippingCents: 0 }, '9.99'), rules);
    expect(counted.total).toBe('20.01');
    expect(counted.lines.map(({ counts }) => counts)).toEqual(['6.67', '6.67', '6.67']);
  });
});

describe('the text of the rules', () => {
  it('differs for every set of rules that could count another amount', () => {
    const texts = new Set<string>();
    for (const orderTotal of ['subtotal', 'total-less-shipping'] as const)
      for (const taxes of ['exclude', 'include'] as const)
        for (const giftCards of ['earn-when-bought', 'earn-when-used', 'never'] as const)
          texts.add(amountRulesText({ orderTotal, taxes, giftCards }));
    expect(texts.size).toBe(12);
    expect(amountRulesText({ ...rules, ...{ testOrders: 'send' } })).toBe(amountRulesText(rules));
  });
});
