import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyLife, live } from '../../support/any-store-life.ts';
import { openStore } from '../../unit/store-sandbox/open-store.ts';

interface Payload {
  readonly [name: string]: unknown;
  readonly line_items: readonly Line[];
  readonly shipping_lines: readonly {
    price: string;
    discounted_price: string;
    discount_allocations: Allocation[];
    tax_lines: { price: string }[];
  }[];
  readonly refunds: readonly {
    refund_line_items: { line_item_id: unknown; quantity: number }[];
    order_adjustments: { kind: string; amount: string }[];
    transactions: { amount: string }[];
  }[];
  readonly tax_lines: readonly { price: string }[];
}
type Allocation = { amount: string; discount_application_index: number };
type Line = {
  id: unknown;
  price: string;
  quantity: number;
  current_quantity: number;
  discount_allocations: Allocation[];
  tax_lines: { price: string }[];
  tip_payment_gateway?: null;
};

const cents = (text: unknown): number => {
  const value = Math.round(Number(text) * 100);
  expect(String(text)).toMatch(/^-?\d+\.\d\d$/);
  return value;
};
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const allocated = (list: readonly Allocation[]) => total(list.map(({ amount }) => cents(amount)));

/** The identities that the real store's payloads obey. */
function checkIdentities(payload: Payload): void {
  const sold = payload.line_items.filter((line) => line.tip_payment_gateway === undefined);
  const gross = total(sold.map(({ price, quantity }) => cents(price) * quantity));
  const lineDiscounts = total(sold.map((line) => allocated(line.discount_allocations)));
  const shipping = total(payload.shipping_lines.map(({ price }) => cents(price)));
  const shippingDiscounts = total(
    payload.shipping_lines.map((line) => allocated(line.discount_allocations)),
  );
  const taxes = total(
    [...payload.line_items, ...payload.shipping_lines].flatMap((line) =>
      line.tax_lines.map(({ price }) => cents(price)),
    ),
  );
  const duties = payload.original_total_duties_set as { shop_money: { amount: string } } | null;
  const onTop = payload.taxes_included ? 0 : 1;

  expect(cents(payload.subtotal_price)).toBe(gross - lineDiscounts);
  expect(cents(payload.total_line_items_price)).toBe(gross);
  expect(cents(payload.total_discounts)).toBe(lineDiscounts + shippingDiscounts);
  expect(cents(payload.total_tax)).toBe(taxes);
  expect(total(payload.tax_lines.map(({ price }) => cents(price)))).toBe(taxes);
  expect(cents(payload.total_price)).toBe(
    gross -
      lineDiscounts +
      shipping -
      shippingDiscounts +
      onTop * taxes +
      cents(payload.total_tip_received) +
      (duties ? cents(duties.shop_money.amount) : 0),
  );
  for (const line of payload.line_items) {
    const net = cents(line.price) * line.quantity - allocated(line.discount_allocations);
    expect(net).toBeGreaterThanOrEqual(0);
    expect(line.current_quantity).toBeGreaterThanOrEqual(0);
  }
  for (const name of ['subtotal_price', 'total_price', 'total_tax', 'total_discounts'] as const) {
    const current = cents(payload[`current_${name}`]);
    expect(current).toBeGreaterThanOrEqual(0);
    expect(current).toBeLessThanOrEqual(cents(payload[name]));
  }
  if (payload.cancelled_at !== null) {
    expect(payload).toMatchObject({
      current_total_price: '0.00',
      current_subtotal_price: '0.00',
      current_total_tax: '0.00',
      current_total_discounts: '0.00',
    });
    expect(sold.every((line) => line.current_quantity === 0)).toBe(true);
  }
}

const runs = { numRuns: 120 };

describe('any life of a store', () => {
  it('never sends an order whose totals break an identity', () => {
    fc.assert(
      fc.property(anyLife, (steps) => {
        const store = openStore();
        live(store, steps);
        for (const { topic, body } of store.sent) {
          if (/^orders\/(?!edited|delete)/.test(topic)) checkIdentities(JSON.parse(body));
        }
      }),
      runs,
    );
  });
});
