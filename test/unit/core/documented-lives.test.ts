import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { openConnector } from '../../../local/harness/in-process-connector.ts';
import { paidBack } from '../../fixtures/order-payload.ts';
import { changeOrder } from '../../support/change-order.ts';

/** Two shirts of 50.00, shipped. */
const line = { product: 1, priceCents: 5000, quantity: 2, discountCents: 0, takenBack: 0 };
const shirts = { lines: [line], shippingCents: 0, fulfilledAfterDays: 1 };
const oneLeft = { ...shirts, lines: [{ ...line, takenBack: 1 }] };

/** A store writes an adjustment of the opposite sign until the money has settled. */
const paidBackWithoutLine = (cents: number, status = 'success') => {
  const amount = ((status === 'pending' ? cents : -cents) / 100).toFixed(2);
  return {
    order_adjustments: [{ kind: 'refund_discrepancy', amount, tax_amount: '0.00' }],
    transactions: [paidBack(cents, { status })],
  };
};
/** An edit takes goods out without any money. */
const edit = {
  refund_line_items: [{ line_item_id: 9000, quantity: 1, subtotal: 50 }],
  transactions: [],
};

type Event = readonly [spec: typeof shirts, refunds: readonly object[]];

/** What the loyalty service counts after each event. */
async function pointsOf(...life: readonly Event[]): Promise<readonly (number | undefined)[]> {
  const connector = openConnector({ rules: { pendingOrders: 'skip' } });
  const points: (number | undefined)[] = [];
  for (const [i, [spec, refunds]] of life.entries()) {
    const financial_status = refunds.length > 0 ? 'partially_refunded' : 'paid';
    await changeOrder(connector, i + 1, spec, { refunds, financial_status });
    await connector.drain();
    const held = connector.loyalty.rows.orders.get('5512345678901');
    points.push(held && amountHeld(held));
  }
  expect(connector.dead.size).toBe(0);
  return points;
}

describe('a life in docs/mapping.md', () => {
  const fifty = paidBackWithoutLine(5000);

  it('100, 50 paid back without a line, then the goods of 50 removed by an edit: 100 → 50 → 50', async () => {
    const life = [
      [shirts, []],
      [shirts, [fifty]],
      [oneLeft, [fifty, edit]],
    ] as const;
    expect(await pointsOf(...life)).toEqual([100, 50, 50]);
  });

  it('the goods of 50 removed by an edit, then 50 paid back: 100 → 50 → 50', async () => {
    const life = [
      [shirts, []],
      [oneLeft, [edit]],
      [oneLeft, [edit, fifty]],
    ] as const;
    expect(await pointsOf(...life)).toEqual([100, 50, 50]);
  });

  it('100, 20 paid back; a pending refund of 10, which settles: 100 → 80 → 80 → 70', async () => {
    const twenty = paidBackWithoutLine(2000);
    const points = await pointsOf(
      [shirts, []],
      [shirts, [twenty]],
      [shirts, [twenty, paidBackWithoutLine(1000, 'pending')]],
      [shirts, [twenty, paidBackWithoutLine(1000)]],
    );
    expect(points).toEqual([100, 80, 80, 70]);
  });
});
